"""The authorization endpoint without its pages: which requests are good, and what is sent back to the client.

RFC 6749, section 4.1; OAuth 2.1: PKCE for everyone; RFC 8707 resources; RFC 9207 `iss` on every answer.
"""

import uuid
from dataclasses import dataclass
from urllib.parse import urlencode

from lazyoauth import jti, pkce, resources, scopes
from lazyoauth.errors import AccessDenied, InvalidRequest, LoginRequired, OAuthError, UnsupportedResponseType, UntrustedRedirect
from lazyoauth.issuer import Issuer
from lazyoauth.metadata import AUTHORIZE
from lazyoauth.network import FetchFailed
from lazyoauth.parameters import Parameters
from lazyoauth.records import AuthorizationRequest, Client, Code, Grant, Transaction

MAX_STATE_LENGTH = 2048
# What is unknown is ignored anyway; a megabyte of it is not carried through the login.
MAX_SCOPE_LENGTH = 1024


@dataclass(frozen=True, slots=True)
class Target:
    """Whom an answer goes to: a client we know, at a redirect URI of its own."""

    client: Client
    redirect_uri: str
    state: str


async def find_target(issuer: Issuer, parameters: Parameters) -> Target:
    """The client of a request and where to send its answer. Until this is known, nobody is redirected anywhere.

    Raises:
        UntrustedRedirect: the client is unknown or the redirect URI is not one of its own. RFC 6749, section 4.1.2.1.
    """
    client_id = parameters.get("client_id")
    client = await _find_client(issuer, client_id)
    redirect_uri = parameters.get("redirect_uri")
    if not redirect_uri and len(client.redirect_uris) == 1:
        # RFC 6749, section 3.1.2.3: the only one that was registered may be left out.
        redirect_uri = client.redirect_uris[0]
    if not client.redirects_to(redirect_uri):
        message = "The application wants the answer sent to an address that it did not register."
        raise UntrustedRedirect(message, detail="redirect_uri")
    if len(parameters.get("state")) > MAX_STATE_LENGTH:
        raise UntrustedRedirect(f"The application's state is longer than {MAX_STATE_LENGTH} characters.", detail="state")
    return Target(client, redirect_uri, parameters.get("state"))


async def _find_client(issuer: Issuer, client_id: str) -> Client:
    try:
        client, detail = await issuer.clients.find(client_id) if client_id else None, "client_id"
    except FetchFailed as failure:
        client, detail = None, failure.detail
    if client is not None:
        return client
    if client_id.startswith("https://"):
        # One page for every cause: whoever makes up URLs must not see in our answers what stands in our network.
        message = "The application that sent you here publishes no description that can be read now. Try again in a minute."
        raise UntrustedRedirect(message, detail=detail)
    raise UntrustedRedirect("The application that sent you here is not registered with this server.", detail=detail)


def check(issuer: Issuer, target: Target, parameters: Parameters) -> AuthorizationRequest:
    """The request of a known client, checked.

    Raises:
        OAuthError: what is wrong with it; `error_url` tells the client.
    """
    response_type = parameters.require("response_type")
    if response_type != "code":
        raise UnsupportedResponseType("response_type must be code")
    if parameters.get("response_mode") not in ("", "query"):
        raise InvalidRequest("response_mode must be query")
    pkce.check_challenge(parameters.get("code_challenge"), parameters.get("code_challenge_method"))
    if "none" in parameters.get("prompt").split():
        # RFC 9700, section 4.11.2: nothing is ever approved in silence. Each login here has a page, whatever happened before.
        raise LoginRequired("prompt=none cannot be answered: the person must sign in and agree on a page")
    asked = parameters.get("scope")[:MAX_SCOPE_LENGTH]
    return AuthorizationRequest(
        client_id=target.client.id,
        redirect_uri=target.redirect_uri,
        scope=scopes.grant(asked, target.client.scopes or issuer.config.scopes),
        asked_scope=" ".join(scopes.split(asked)),
        resource=resources.choose(parameters.resources, issuer.resource),
        code_challenge=parameters.get("code_challenge"),
        state=target.state,
    )


async def approve(issuer: Issuer, transaction: Transaction) -> str:
    """The URL that takes a new code to the client: the person said yes, and a login begins.

    The code is generation 0 of the login's family, so that using it twice ends the login.

    Raises:
        TemporarilyUnavailable: the store is away.
    """
    request = transaction.request
    grant = Grant(
        family_id=str(uuid.uuid4()),
        jti=jti.first(jti.random_part()),
        user_id=transaction.user_id,
        client_id=request.client_id,
        scope=request.scope,
        asked_scope=request.asked_scope or request.scope,
        resource=request.resource,
        auth_time=transaction.auth_time,
    )
    await issuer.families.begin(grant.family_id, grant.jti, issuer.now() + issuer.config.lifetimes.code_s)
    code = Code(grant=grant, redirect_uri=request.redirect_uri, code_challenge=request.code_challenge)
    return _answer(issuer, request.redirect_uri, {"code": issuer.tokens.issue_code(code), "state": request.state})


def deny(issuer: Issuer, transaction: Transaction) -> str:
    """The URL that tells the client that the person said no."""
    return error_url(issuer, transaction.request.redirect_uri, transaction.request.state, AccessDenied("the person declined"))


def error_url(issuer: Issuer, redirect_uri: str, state: str, error: OAuthError) -> str:
    """The URL that tells a client what went wrong. RFC 6749, section 4.1.2.1; RFC 9207, section 2."""
    return _answer(issuer, redirect_uri, {**error.to_dict(), "state": state})


def _answer(issuer: Issuer, redirect_uri: str, values: dict[str, str]) -> str:
    present = {name: value for name, value in values.items() if value} | {"iss": issuer.url}
    return f"{redirect_uri}{'&' if '?' in redirect_uri else '?'}{urlencode(present)}"


def path_of(request: AuthorizationRequest, *, must_ask: bool = False) -> str:
    """The path at which the same request is made again, by the person who has signed in elsewhere meanwhile.

    Of `prompt` only what is still to be done: they have just signed in, but were not asked whether they agree.
    """
    parameters = {
        "prompt": "consent" if must_ask else "",
        "response_type": "code",
        "client_id": request.client_id,
        "redirect_uri": request.redirect_uri,
        "scope": request.asked_scope,
        "resource": request.resource,
        "code_challenge": request.code_challenge,
        "code_challenge_method": "S256",
        "state": request.state,
    }
    return f"{AUTHORIZE}?{urlencode({name: value for name, value in parameters.items() if value})}"
