"""Tokens for a client itself, without a person: the `client_credentials` grant. RFC 6749, section 4.4; MCP extension SEP-1046.

Such a token is a login of its own, of one generation: a family that nothing can refresh, and that can be revoked like any other. It
carries no `auth_time`, because nobody signed in; by that the bearer guard knows that there is no user to ask for.
"""

import uuid

from lazyoauth import jti, resources, scopes
from lazyoauth.errors import UnauthorizedClient
from lazyoauth.issuer import Issuer
from lazyoauth.parameters import Parameters
from lazyoauth.records import Client, Grant, TokenResponse


async def answer(issuer: Issuer, client: Client, parameters: Parameters) -> TokenResponse:
    """An access token whose subject is the client, and no refresh token (RFC 6749, section 4.4.3).

    Raises:
        UnauthorizedClient: the client is not confidential, or a user has its id.
        InvalidTarget: another resource than ours.
        TemporarilyUnavailable: a store is away.
    """
    if client.kind != "registered" or client.auth_method == "none":
        raise UnauthorizedClient("client_credentials is for registered clients that authenticate")
    resource = resources.choose(parameters.resources, issuer.resource)
    # RFC 9700, section 4.15: a client must not be taken for the person whose id it bears.
    if await issuer.find_user(client.id) is not None:
        raise UnauthorizedClient("client_credentials is not for this client", detail="a user has the client's id")
    allowed = client.scopes or issuer.config.scopes
    scope = " ".join(value for value in scopes.split(scopes.grant(parameters.get("scope"), allowed)) if value in allowed)
    grant = Grant(
        family_id=str(uuid.uuid4()),
        jti=jti.first(jti.random_part()),
        user_id=client.id,
        client_id=client.id,
        scope=scope,
        asked_scope=scope,
        resource=resource,
        auth_time=0,
    )
    access_token = issuer.tokens.issue_access(grant, scope, issuer.clients.registry.claims_of(client.id), jti.random_part())
    lifetime_s = issuer.config.lifetimes.access_s
    await issuer.families.begin(grant.family_id, grant.jti, issuer.now() + lifetime_s)
    return TokenResponse(access_token=access_token, expires_in_s=lifetime_s, scope=scope)
