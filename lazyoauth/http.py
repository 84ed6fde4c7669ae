"""The HTTP of the OAuth endpoints: what a request is here, what an answer looks like, and the endpoints that machines call.

Every answer is made here, errors included: no framework's error page or validation message ever leaves these paths
(https://github.com/anthropics/claude-code/issues/83679).
"""

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp as ASGIApp
from starlette.types import Receive as Receive
from starlette.types import Scope as Scope
from starlette.types import Send as Send

from lazyoauth import grants, introspection, registration, revocation, trace
from lazyoauth.authentication import authenticate, read
from lazyoauth.errors import InvalidClient, InvalidRequest, OAuthError, RequestTimeout, RequestTooLarge, TemporarilyUnavailable
from lazyoauth.issuer import Issuer
from lazyoauth.limits import network_of
from lazyoauth.parameters import Parameters, parse
from lazyoauth.records import Client

logger = logging.getLogger("lazyoauth")

Handler = Callable[[Issuer, Request], Awaitable[Response]]
ErrorPage = Callable[[Issuer, Request, OAuthError], Response]
ChooseIssuer = Callable[[Scope], Issuer]

MAX_FORM_BYTES = 65_536
BODY_TIMEOUT_S = 30.0
# Pragma is for proxies that know HTTP/1.0 only. RFC 6749, section 5.1.
NO_STORE = {"Cache-Control": "no-store", "Pragma": "no-cache"}
# Any page may call these, because none of them looks at a cookie. Credentials stay off, so `*` is safe.
CORS = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": "WWW-Authenticate, Mcp-Session-Id, MCP-Protocol-Version, Retry-After",
}
PREFLIGHT = CORS | {
    "Access-Control-Allow-Methods": "GET, HEAD, POST, DELETE, OPTIONS",
    "Access-Control-Allow-Headers": "Authorization, Content-Type, Accept, MCP-Protocol-Version, Mcp-Session-Id, Last-Event-ID, *",
    "Access-Control-Max-Age": "7200",
}


def endpoint(
    handler: Handler,
    choose: ChooseIssuer,
    methods: Sequence[str],
    *,
    cors: bool = True,
    on_error: ErrorPage | None = None,
) -> ASGIApp:
    """An ASGI application for one path.

    Args:
        choose: the issuer under which a request came.
        methods: others are answered 405 with `Allow`.
        cors: whether any page's script may call it; pages for people never allow that.
        on_error: how an error is shown; by default as the JSON object of RFC 6749, section 5.2.
    """
    allowed = frozenset(methods) | (frozenset({"HEAD"}) if "GET" in methods else frozenset())
    return Endpoint(handler, choose, allowed, cors, on_error or error_response)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """What `endpoint` makes. An object, for the routes of Starlette and FastAPI take a function for a handler of requests."""

    handler: Handler
    choose: ChooseIssuer
    allowed: frozenset[str]
    cors: bool
    on_error: ErrorPage

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        issuer, request = self.choose(scope), Request(scope, receive)
        if request.method in self.allowed:
            response = await _answer(self.handler, self.on_error, issuer, request)
        else:
            response = _other_method(request.method, self.allowed, PREFLIGHT if self.cors else {})
        if self.cors:
            response.headers.update(CORS)
        await response(scope, receive, send)


async def _answer(handler: Handler, show: ErrorPage, issuer: Issuer, request: Request) -> Response:
    try:
        return await handler(issuer, request)
    except ClientDisconnect:
        return Response(status_code=400)
    except OAuthError as error:
        logger.info("%s %s: %s (%s)", request.scope["path"], error.code, error.message, error.detail)
        trace.broke(error)
        return _shown(show, issuer, request, error)
    except Exception as error:
        return _shown(show, issuer, request, _failure(request, error))


def _shown(show: ErrorPage, issuer: Issuer, request: Request, error: OAuthError) -> Response:
    """An error as its endpoint shows it; where that fails too, because it wears the application's layout, as plain text."""
    try:
        return show(issuer, request, error)
    except Exception as broken:
        failure = _failure(request, broken)
    headers = {**NO_STORE, **failure.headers(), "X-Content-Type-Options": "nosniff"}
    return PlainTextResponse(f"This sign-in cannot go on: {failure.message}.", status_code=failure.status, headers=headers)


def _failure(request: Request, error: Exception) -> OAuthError:
    """What a stranger learns of an exception: where the log has it in full."""
    reference = secrets.token_hex(6)
    logger.error("%s failed, reference %s", request.scope["path"], reference, exc_info=error)
    return OAuthError(f"the server failed; its log has more under {reference}")


def _other_method(method: str, allowed: Collection[str], preflight: Mapping[str, str]) -> Response:
    allow = {"Allow": ", ".join([*sorted(allowed), "OPTIONS"])}
    if method == "OPTIONS":
        return Response(status_code=204, headers={**allow, **preflight})
    error = InvalidRequest(f"this endpoint answers {allow['Allow']}")
    return JSONResponse(error.to_dict(), status_code=405, headers=allow | NO_STORE)


def error_response(_: Issuer, request: Request, error: OAuthError) -> Response:
    """An error as JSON, never cached. RFC 6749, section 5.2: who came with HTTP Basic is answered in kind."""
    challenge = {"WWW-Authenticate": 'Basic realm="oauth"'} if error.status == 401 and "authorization" in request.headers else {}
    return JSONResponse(error.to_dict(), status_code=error.status, headers={**NO_STORE, **challenge, **error.headers()})


def document(make: Callable[[Issuer], Mapping[str, Any]]) -> Handler:
    """A handler for a public JSON document; clients may keep it for five minutes."""

    async def handler(issuer: Issuer, _: Request) -> Response:
        return JSONResponse(make(issuer), headers={"Cache-Control": "public, max-age=300"})

    return handler


async def token(issuer: Issuer, request: Request) -> Response:
    """`POST /oauth/token`. RFC 6749, section 3.2."""
    parameters = await read_form(request)
    trace.tell(parameters.get("grant_type"))
    response = await grants.answer(issuer, await _client(issuer, request, parameters), parameters)
    return JSONResponse(response.to_dict(), headers=NO_STORE)


async def revoke(issuer: Issuer, request: Request) -> Response:
    """`POST /oauth/revoke`. RFC 7009, section 2."""
    parameters = await read_form(request)
    await revocation.revoke(issuer, await _client(issuer, request, parameters), parameters)
    return Response(status_code=200, headers=NO_STORE)


async def introspect(issuer: Issuer, request: Request) -> Response:
    """`POST /oauth/introspect`. RFC 7662, section 2."""
    parameters = await read_form(request)
    told = await introspection.introspect(issuer, await _client(issuer, request, parameters), parameters)
    return JSONResponse(told, headers=NO_STORE)


async def register(issuer: Issuer, request: Request) -> Response:
    """`POST /oauth/register`. RFC 7591, section 3."""
    await issuer.throttle.hit("registrations", network_of(address_of(request)))
    body = await read_body(request, registration.MAX_BODY_BYTES)
    return JSONResponse(registration.register(issuer, body), status_code=201, headers=NO_STORE)


def read_query(request: Request) -> Parameters:
    """The parameters of the query.

    Raises:
        InvalidRequest: it is no form, or repeats a parameter.
    """
    # Not `request.url`: that is put together with the Host header, and a malformed one would be our error then.
    return _parse(request.scope["query_string"])


async def read_form(request: Request) -> Parameters:
    """The parameters of a form body.

    Raises:
        InvalidRequest: it is no form, too large, or repeats a parameter.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/x-www-form-urlencoded":
        raise InvalidRequest("the body must be application/x-www-form-urlencoded")
    return _parse(await read_body(request, MAX_FORM_BYTES))


async def read_body(request: Request, limit_bytes: int) -> bytes:
    """The body, as long as it is small.

    Raises:
        RequestTooLarge: it is not; no more than the limit is held.
        RequestTimeout: it does not arrive.
    """
    body = bytearray()
    try:
        async with asyncio.timeout(BODY_TIMEOUT_S):
            async for chunk in request.stream():
                body += chunk
                if len(body) > limit_bytes:
                    raise RequestTooLarge(f"the body has more than {limit_bytes} bytes")
    except TimeoutError:
        raise RequestTimeout(f"the body did not arrive within {BODY_TIMEOUT_S:g} seconds") from None
    return bytes(body)


def address_of(request: Request) -> str:
    """Where the request came from, as the server in front of us (uvicorn, with its list of trusted proxies) says."""
    return request.client.host if request.client else ""


def by_host(issuers: Sequence[Issuer]) -> ChooseIssuer:
    """The choice of an issuer by the `Host` header, among fixed names only; any other name gets the first.

    The header chooses, it is never repeated: a forged one cannot put a name into a document.
    """
    first = issuers[0]
    if len(issuers) == 1:
        return lambda _: first
    names = {issuer.url.partition("://")[2]: issuer for issuer in issuers}

    def choose(scope: Scope) -> Issuer:
        return names.get(Headers(scope=scope).get("host", "").lower(), first)

    return choose


def _parse(encoded: bytes) -> Parameters:
    try:
        return parse(encoded.decode("ascii"))
    except UnicodeDecodeError as error:
        raise InvalidRequest("the parameters must be URL-encoded") from error


async def _client(issuer: Issuer, request: Request, parameters: Parameters) -> Client:
    """The client that is asking, counted under its own name; made-up names are counted as one, or each would be a fresh count."""
    network = network_of(address_of(request))
    try:
        client = await authenticate(issuer, read(parameters, request.headers.get("authorization", "")))
    except (InvalidClient, TemporarilyUnavailable):
        # The second too: a made-up URL of a document that cannot be read makes this server work.
        await issuer.throttle.hit("tokens", network)
        raise
    await issuer.throttle.hit("tokens", network, client.id)
    return client
