"""Token revocation (RFC 7009): any token of a login ends the login.

The unit is the login, not the user or the client: one client id can stand for every installation of a product
(https://github.com/cloudflare/workers-oauth-provider/issues/297).
"""

from lazyoauth.errors import InvalidGrant, InvalidToken
from lazyoauth.issuer import Issuer
from lazyoauth.parameters import Parameters
from lazyoauth.records import Client


async def revoke(issuer: Issuer, client: Client, parameters: Parameters) -> None:
    """End the login that a refresh or access token belongs to. What is not this client's, or no token, has no effect.

    RFC 7009, section 2.2: an invalid token is no error, for there is nothing left to revoke.
    """
    family_id = _family_of(issuer, client, parameters.require("token"))
    if family_id:
        await issuer.families.end(family_id)


def _family_of(issuer: Issuer, client: Client, token: str) -> str:
    """The family of a token of this client, whichever kind it is (the hint of section 2.1 is not needed), or ""."""
    try:
        grant = issuer.tokens.verify_refresh(token)
        return grant.family_id if grant.client_id == client.id else ""
    except InvalidGrant:
        pass
    try:
        claims = issuer.tokens.verify_access(token)
    except InvalidToken:
        return ""
    return str(claims["fid"]) if claims["client_id"] == client.id else ""
