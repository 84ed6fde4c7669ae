"""The bearer guard of the resource (RFC 6750, RFC 9728). Raw ASGI, because every tool call passes through it.

A token is verified once and remembered by its header until it expires; whether its login and its user are still good is asked of
their stores at most every five seconds, and known at once for what ends in this process (see `refresh.py` and `users.py`).
"""

import json
from collections import OrderedDict
from dataclasses import dataclass
from urllib.parse import parse_qs

from lazyauth import Claims, User, signed_in
from lazyoauth import trace
from lazyoauth.errors import InvalidRequest, InvalidToken, OAuthError
from lazyoauth.http import CORS, ASGIApp, ChooseIssuer, Receive, Scope, Send
from lazyoauth.issuer import Issuer
from lazyoauth.metadata import resource_metadata_url
from lazyoauth.tokens import RESERVED

REMEMBERED = 8_192


@dataclass(frozen=True, slots=True, repr=False)
class _Bearer:
    """A token that was verified, and who it speaks for."""

    issuer: Issuer
    family_id: str
    expires_at: int
    user: User
    claims: Claims
    auth_time: float | None  # None: a client's own token, nobody signed in


class BearerGuard:
    """An ASGI application that lets a request through to another one when it carries a good token.

    Inside, `lazyauth.current_user()` is the token's user (its data are the token's further claims) and
    `lazyauth.current_claims()` are its claims. State: the tokens it remembers, of which it keeps a bounded number.
    """

    def __init__(self, app: ASGIApp, choose: ChooseIssuer) -> None:
        self._app = app
        self._choose = choose
        self._known: OrderedDict[bytes, _Bearer] = OrderedDict()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
            return
        if scope["type"] != "http" or scope["method"] == "OPTIONS":
            # A preflight never carries a token. Whoever is behind us sees that nobody is signed in.
            await self._app(scope, receive, send)
            return
        issuer = self._choose(scope)
        presented = [value for name, value in scope["headers"] if name == b"authorization"]
        try:
            if scope["query_string"] or len(presented) > 1:
                _refuse_other_ways(scope, presented)
            bearer = self._find(issuer, presented[0]) if presented else None
            if bearer is None:
                await _refuse(issuer, None, send)
                return
            if not _is_known_good(issuer, bearer) and not await _goes_on(issuer, bearer):
                self._known.pop(presented[0], None)
                trace.about(bearer.claims.get("client_id", ""))
                raise InvalidToken("the login of this access token has ended")
        except OAuthError as error:
            await _refuse(issuer, error, send)
            return
        with signed_in(bearer.user, bearer.claims):
            await self._app(scope, receive, send)

    def _find(self, issuer: Issuer, header: bytes) -> _Bearer | None:
        """The token as remembered, or verified now; None when the header is of another scheme than Bearer."""
        bearer = self._known.get(header)
        if bearer is None or bearer.issuer is not issuer or bearer.expires_at <= issuer.now():
            return self._verify(issuer, header)
        # Here, before anything is awaited: afterwards another request may have pushed the token out of memory.
        self._known.move_to_end(header)
        return bearer

    def _verify(self, issuer: Issuer, header: bytes) -> _Bearer | None:
        """Verify and remember; None when the header is of another scheme than Bearer."""
        self._known.pop(header, None)
        scheme, _, token = header.decode("latin-1").partition(" ")
        if scheme.lower() != "bearer":
            return None
        claims = issuer.tokens.verify_access(token.strip())
        trace.about(claims["client_id"])
        user = User(claims["sub"], {name: value for name, value in claims.items() if name not in RESERVED})
        bearer = _Bearer(issuer, claims["fid"], claims["exp"], user, Claims(claims), claims.get("auth_time"))
        self._known[header] = bearer
        if len(self._known) > REMEMBERED:
            self._known.popitem(last=False)
        return bearer


def _is_known_good(issuer: Issuer, bearer: _Bearer) -> bool:
    """Whether login and user were both seen to be good in the last five seconds; the way of almost every call."""
    if not issuer.families.is_known_active(bearer.family_id):
        return False
    return bearer.auth_time is None or issuer.users.is_known_good(bearer.user.id, bearer.auth_time)


async def _goes_on(issuer: Issuer, bearer: _Bearer) -> bool:
    """Ask the stores. The login of a user who was disabled, removed or signed out since is ended, so that it stays over.

    Raises:
        TemporarilyUnavailable: one of them is away; nothing has ended.
    """
    if not await issuer.families.is_active(bearer.family_id):
        return False
    if bearer.auth_time is None or await issuer.users.may_go_on(bearer.user.id, bearer.auth_time):
        return True
    await issuer.families.end(bearer.family_id)
    return False


def _refuse_other_ways(scope: Scope, presented: list[bytes]) -> None:
    """MCP 2026-07-28, authorization: a token travels in the Authorization header only, for a URL ends up in logs."""
    if len(presented) > 1:
        raise InvalidRequest("there is more than one Authorization header")
    if "access_token" in parse_qs(scope["query_string"].decode("latin-1"), keep_blank_values=True):
        # RFC 6750, section 3.1: two ways at once are a malformed request; one, that is not offered here, is no token at all.
        message = "the access token belongs into the Authorization header, not into the query"
        raise InvalidRequest(message) if presented else InvalidToken(message)


async def _refuse(issuer: Issuer, error: OAuthError | None, send: Send) -> None:
    """Say no, and where to get a token. RFC 6750, section 3: no error code when there was no token."""
    if error is not None:
        trace.broke(error)
    status = error.status if error else 401
    body = error.to_dict() if error else {"error_description": "Sign in: this resource wants a bearer token."}
    headers = {"content-type": "application/json", "cache-control": "no-store", **CORS, **(error.headers() if error else {})}
    if status in (400, 401):
        headers["www-authenticate"] = _challenge(issuer, error)
    start = {
        "type": "http.response.start",
        "status": status,
        "headers": [(name.lower().encode(), value.encode("latin-1")) for name, value in headers.items()],
    }
    await send(start)
    await send({"type": "http.response.body", "body": json.dumps(body).encode()})


def _challenge(issuer: Issuer, error: OAuthError | None) -> str:
    """RFC 9728, section 5.1; RFC 6750, section 3. `offline_access` is not the resource's to ask for (SEP-2207)."""
    values = {"error": error.code, "error_description": error.message} if error else {}
    values["resource_metadata"] = resource_metadata_url(issuer.url, issuer.config.resource_path)
    values["scope"] = " ".join(issuer.config.scopes)
    return "Bearer " + ", ".join(f'{name}="{value}"' for name, value in values.items())
