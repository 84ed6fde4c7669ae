"""Who is asking: one spelling for everything that belongs to one caller, a task or the state of a request."""

from lazyauth import current_claims, current_user

__all__ = ["caller"]


def caller() -> str:
    """Whose this request is; "" where nobody signs in. No user and no client can have a name that makes it another's.

    A token without a subject is its client's. Without a token it may still be a user's, over stdio for one.
    """
    user = current_user()
    if user is None:
        return ""
    claims = current_claims()
    if claims is None:
        return f"user:{user.id}"
    return f"sub:{claims.subject}" if claims.subject else f"client:{claims.client_id}"
