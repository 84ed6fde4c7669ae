"""Token introspection (RFC 7662), for registered clients that prove who they are, such as a gateway before the resource.

It tells of access tokens only. A refresh token is nobody's business but ours and its client's, so it is "not active" like anything
else that is not a good access token; why, is never said (RFC 7662, section 2.2).
"""

from typing import Any

from lazyoauth.errors import InvalidClient, InvalidToken
from lazyoauth.issuer import Issuer
from lazyoauth.parameters import Parameters
from lazyoauth.records import Client

_INACTIVE = {"active": False}
# RFC 7662, section 2.2, and RFC 9068, section 2.2. What the application adds to a token is not passed on.
_TOLD = ("scope", "client_id", "exp", "iat", "sub", "aud", "iss", "jti", "auth_time")


async def introspect(issuer: Issuer, client: Client, parameters: Parameters) -> dict[str, Any]:
    """What an access token says, while it is good.

    Raises:
        InvalidClient: the caller is not confidential. RFC 7662, section 2.1: otherwise anyone could try tokens out.
        TemporarilyUnavailable: the store is away, and nothing is known.
    """
    if client.kind != "registered" or client.auth_method == "none":
        raise InvalidClient("introspection is for registered clients that authenticate")
    try:
        claims = issuer.tokens.verify_access(parameters.require("token"))
    except InvalidToken:
        return _INACTIVE
    if not await issuer.families.is_active(claims["fid"]):
        return _INACTIVE
    # As the bearer guard does: a person may be gone, a client that has a token of its own is not a person.
    if "auth_time" in claims and not await issuer.users.may_go_on(claims["sub"], claims["auth_time"]):
        return _INACTIVE
    told = {name: claims[name] for name in _TOLD if name in claims}
    return {"active": True, "token_type": "Bearer", **told}
