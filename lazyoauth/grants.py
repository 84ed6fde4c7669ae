"""The grants of the token endpoint: a code for tokens, a refresh token for fresh ones. `client_credentials` is next door.

Both end in one compare-and-swap on the login's family, and both do everything that can fail before it: after it the old
token is dead, and an error would strand the client. So a wrong verifier, client, redirect URI, resource or scope neither uses up
nor ends a login, and the access token is signed before it is known whether it will be given out.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from lazyauth import User
from lazyoauth import client_credentials, jti, pkce, resources, scopes
from lazyoauth.connections import connection_of
from lazyoauth.errors import InvalidGrant, UnauthorizedClient, UnsupportedGrantType
from lazyoauth.issuer import Issuer, unavailable
from lazyoauth.parameters import Parameters
from lazyoauth.records import Client, Grant, TokenResponse
from lazyoauth.registered import GRANT_TYPES


async def answer(issuer: Issuer, client: Client, parameters: Parameters) -> TokenResponse:
    """The answer to a token request of a known client.

    Raises:
        OAuthError: RFC 6749, section 5.2.
    """
    grant_type = parameters.require("grant_type")
    if grant_type not in GRANT_TYPES:
        raise UnsupportedGrantType(f"grant_type must be one of {', '.join(GRANT_TYPES)}")
    if grant_type not in client.grant_types:
        raise UnauthorizedClient("the client is not registered for this grant")
    return await _ACTS[grant_type](issuer, client, parameters)


async def exchange_code(issuer: Issuer, client: Client, parameters: Parameters) -> TokenResponse:
    """Tokens for an authorization code. RFC 6749, section 4.1.3; RFC 7636, section 4.6."""
    code = issuer.tokens.verify_code(parameters.require("code"))
    if code.grant.client_id != client.id:
        raise InvalidGrant("the code was issued to another client")
    # OAuth 2.1 dropped the parameter, because PKCE binds the code; who sends it must send the same.
    if parameters.get("redirect_uri") not in ("", code.redirect_uri):
        raise InvalidGrant("redirect_uri is not the one of the authorization request")
    if not client.redirects_to(code.redirect_uri):
        # A client's document may have changed since: what it no longer names is no longer good, what it adds came too late.
        raise InvalidGrant("redirect_uri is no longer one of the client's")
    pkce.verify(parameters.require("code_verifier"), code.code_challenge)
    resources.choose(parameters.resources, code.grant.resource)
    lifetimes = issuer.config.lifetimes
    stays = "refresh_token" in client.grant_types
    ends_after_s = lifetimes.refresh_absolute_s if stays else lifetimes.access_s
    answered = await _advance(issuer, code.grant, code.grant.scope, issuer.now() + ends_after_s, refreshable=stays)
    await issuer.connections.begin(connection_of(code, client, issuer.now()))
    return answered


async def refresh(issuer: Issuer, client: Client, parameters: Parameters) -> TokenResponse:
    """A fresh access token, and the next refresh token. RFC 6749, section 6; RFC 9700, section 4.14.2."""
    grant = issuer.tokens.verify_refresh(parameters.require("refresh_token"))
    if grant.client_id != client.id:
        raise InvalidGrant("the refresh token was issued to another client")
    resources.choose(parameters.resources, grant.resource)
    scope = scopes.narrow(parameters.get("scope"), grant.scope, grant.asked_scope)
    answered = await _advance(issuer, grant, scope, None, refreshable=True)
    await issuer.connections.touch(grant.family_id)
    return answered


async def _advance(issuer: Issuer, grant: Grant, scope: str, expires_at: float | None, *, refreshable: bool) -> TokenResponse:
    """Move the login on by one generation. The refresh token keeps the whole grant, however narrow this access token is."""
    user = await issuer.find_user(grant.user_id)
    if user is None or grant.auth_time < user.signed_out_at:
        await issuer.families.end(grant.family_id)
        raise InvalidGrant("the user can no longer sign in, or was signed out since")
    access_token = issuer.tokens.issue_access(grant, scope, _extra_claims(issuer, user), jti.random_part())
    # Nothing above has changed anything; nothing below but signing with a key that has just been read can fail.
    successor = jti.successor(grant.jti, jti.random_part())
    outcome = await issuer.families.rotate(grant.family_id, grant.jti, successor, expires_at)
    following = replace(grant, jti=outcome.current_jti)
    return TokenResponse(
        access_token=access_token,
        expires_in_s=issuer.config.lifetimes.access_s,
        scope=scope,
        refresh_token=issuer.tokens.issue_refresh(following, outcome.expires_at) if refreshable else "",
    )


def _extra_claims(issuer: Issuer, user: User) -> Mapping[str, Any]:
    """The application's claims about the user, as of now: roles are never frozen at login."""
    try:
        return issuer.config.claims(user)
    except Exception as error:
        raise unavailable("the source of claims", error) from error


_ACTS = {"authorization_code": exchange_code, "refresh_token": refresh, "client_credentials": client_credentials.answer}
