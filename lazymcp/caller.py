"""Who is asking: one spelling for everything that belongs to one caller, a task or the state of a request."""

from lazyauth import current_claims, current_user

__all__ = ["caller"]


def caller() -> str:
    """Whose this request is; "" where nobody signs in. No user and no client can have a name that makes it another's.

    A token without a subject is its client's. Without a token it may still be a user's, over stdio for one.
    """
    claims, user = current_claims(), current_user()
    if claims is not None:
        return f"sub:{claims.subject}" if claims.subject else f"client:{claims.client_id}"
    return "" if user is None else f"user:{user.id}"
