"""What happened in a login, told as it happens: each request to an endpoint with the rule that it satisfied or broke.

A server with `Config.observer` wraps its endpoints in `Watched`; one without is not touched. What the wrapper cannot see from
outside (which client is asking, which rule an error names) is noted on the way by `about`, `tell` and `broke`, in a context
variable that belongs to one request. No event carries a token, code, password, cookie, `state` or user name.
"""

from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

from lazyoauth.errors import OAuthError

Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]
ASGIApp = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]

OK = "ok"
MAX_DETAIL = 200

#: What an endpoint obeys when it answers well.
RULES: Mapping[str, str] = {
    "resource document": "RFC 9728, section 3",
    "server document": "RFC 8414, section 3",
    "keys": "RFC 7517, section 5",
    "register": "RFC 7591, section 3.2.1",
    "authorize": "RFC 6749, section 4.1.1",
    "login": "RFC 9700, section 4.12",
    "consent": "RFC 6749, section 4.1.2",
    "token": "RFC 6749, section 5.1",
    "revoke": "RFC 7009, section 2.2",
    "introspect": "RFC 7662, section 2.2",
    "resource": "RFC 6750, section 2.1",
}
#: What was broken, or answered, by the code of the outcome; other codes are those of RFC 6749.
BROKEN: Mapping[str, str] = {
    "invalid_token": "RFC 6750, section 3.1",
    "insufficient_scope": "RFC 6750, section 3.1",
    "invalid_target": "RFC 8707, section 2",
    "login_required": "OpenID Connect Core, section 3.1.2.6",
    "invalid_redirect_uri": "RFC 7591, section 3.2.2",
    "invalid_client_metadata": "RFC 7591, section 3.2.2",
    "temporarily_unavailable": "RFC 6749, section 4.1.2.1",
    "access_denied": "RFC 6749, section 4.1.2.1",
    "challenged": "RFC 9728, section 5.1",
    "refused": "RFC 6749, section 3.1",
}
#: What a good answer was, by endpoint, method and status, where that says more than who asked.
_DETAILS: Mapping[tuple[str, str, int], str] = {
    ("authorize", "GET", 200): "the login page was shown",
    ("authorize", "GET", 303): "the person was signed in already",
    ("login", "POST", 303): "the person signed in",
    ("consent", "GET", 200): "the person was asked",
    ("consent", "GET", 303): "the person had agreed before",
    ("consent", "POST", 303): "the person agreed",
}


class Event(NamedTuple):
    """One answer of the server.

    Attributes:
        when: Unix seconds.
        endpoint: a name in `RULES`.
        client: the client's id, "" when none was named.
        outcome: "ok", or the code of the error; "challenged" for the resource's first answer, "refused" for a wrong password.
        rule: the clause that was satisfied or broken.
        detail: what else there is to know, for a person.
        client_name: what the client calls itself, as far as it is known.
    """

    when: float
    endpoint: str
    client: str
    outcome: str
    rule: str
    detail: str = ""
    client_name: str = ""


Observer = Callable[[Event], None]


@dataclass(slots=True)
class _Notes:
    """What one request has told so far."""

    client: str = ""
    client_name: str = ""
    detail: str = ""
    error: OAuthError | None = None


_notes: ContextVar[_Notes | None] = ContextVar("lazyoauth_trace", default=None)


def about(client_id: str, name: str = "") -> None:
    """This request is one of that client."""
    if (notes := _notes.get()) is not None:
        notes.client, notes.client_name = client_id, name or notes.client_name


def tell(detail: str) -> None:
    """Something a person would like to know of this request; never a secret."""
    if (notes := _notes.get()) is not None:
        notes.detail = detail


def broke(error: OAuthError) -> None:
    """This request broke a rule."""
    if (notes := _notes.get()) is not None:
        notes.error = error


@dataclass(frozen=True, slots=True)
class Watched:
    """An application that tells the observer of each of its answers, preflights aside.

    Of the resource only those requests are told that were refused, or let in with a token that was not known yet.

    Attributes:
        endpoint: a name in `RULES`.
    """

    app: ASGIApp
    endpoint: str
    observer: Observer
    now: Callable[[], float]

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] == "OPTIONS":
            return await self.app(scope, receive, send)
        notes = _Notes()

        async def watching(message: Any) -> None:
            if message["type"] == "http.response.start":
                event = _event(self.endpoint, scope, notes, message)
                if event is not None:
                    self.observer(event._replace(when=self.now()))
            await send(message)

        token = _notes.set(notes)
        try:
            return await self.app(scope, receive, watching)
        finally:
            _notes.reset(token)


def _event(endpoint: str, scope: Mapping[str, Any], notes: _Notes, start: Mapping[str, Any]) -> Event | None:
    location = next((value for name, value in start.get("headers", ()) if name.lower() == b"location"), b"").decode("latin-1")
    if endpoint == "resource":
        outcome, detail = _at_resource(start["status"], notes)
        if not outcome:
            return None
    else:
        outcome, detail = _outcome(start["status"], location, notes)
    rule = RULES[endpoint] if outcome == OK else BROKEN.get(outcome, "RFC 6749, section 5.2")
    if outcome == OK and not detail:
        detail = notes.detail or _DETAILS.get((endpoint, scope["method"], start["status"]), "")
    return Event(0.0, endpoint, notes.client, outcome, rule, _plain(detail or _agent(scope)), _plain(notes.client_name))


def _at_resource(status: int, notes: _Notes) -> tuple[str, str]:
    """How the resource's guard decided, ("", "") for what is no step of a login; what lies behind it answers as it likes."""
    if notes.error is not None:
        return notes.error.code, notes.error.message
    if notes.client:
        return OK, "the access token was accepted"
    return ("challenged", "") if status == 401 else ("", "")


def _outcome(status: int, location: str, notes: _Notes) -> tuple[str, str]:
    """How it ended, and why it ended badly."""
    if notes.error is not None:
        return notes.error.code, notes.error.message
    if location:
        # Only these two are looked at: the same query may carry a code.
        query = parse_qs(urlsplit(location).query)
        if "error" in query:
            return query["error"][0], query.get("error_description", [""])[0]
    if status < 400:
        return OK, ""
    return ("refused", "the name or the password is wrong") if status == 422 else ("invalid_request", f"status {status}")


def _agent(scope: Mapping[str, Any]) -> str:
    agents = [value for name, value in scope.get("headers", ()) if name == b"user-agent"]
    return f"asked by {agents[0].decode('latin-1')}" if agents else ""


def _plain(text: str) -> str:
    """One line without control characters: it is a stranger's, and will be shown."""
    return "".join(character if character.isprintable() else " " for character in text)[:MAX_DETAIL]
