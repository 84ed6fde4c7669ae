"""`/_lazy/logins`: the last steps of AI clients' logins, with the rule that each satisfied or broke. For development only.

The page answers this machine alone: the connection must come from it, and the request must name it as its host, for a tunnel's
requests come from here too, and must not say that it was passed on. Everyone else gets the 404 of a page that is not there. It
needs no JavaScript and sets no cookie.
"""

import re
import time
from collections import deque
from collections.abc import Callable, Iterable, MutableMapping, Sequence
from hashlib import sha256
from typing import Any

from markupsafe import Markup, escape

from lazyapp.this_machine import is_from_here, is_of_this_origin, not_found
from lazyoauth import Event

PATH = "/_lazy/logins"
KEPT = 200
#: Steps without a client's name belong to the login that follows them within this time.
TOGETHER_S = 15.0

_STEPS = {
    "resource": "Call of /mcp",
    "resource document": "Document of the resource",
    "server document": "Document of the server",
    "keys": "Public keys",
    "register": "Registration",
    "authorize": "Authorization request",
    "login": "Name and password",
    "consent": "Consent",
    "token": "Token",
    "revoke": "Revocation",
    "introspect": "Introspection",
}
# Answers that are no fault: every login begins with the first, and people may say no.
_EXPECTED = frozenset({"ok", "challenged"})
_RFC = re.compile(r"RFC (\d+), section ([\d.]+)")
# The look is that of the other pages below /_lazy, which are served wherever this one is.
_PAGE = Markup(
    '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>Logins of AI clients</title>\n'
    '<meta name="viewport" content="width=device-width, initial-scale=1">\n<link rel="icon" href="data:,">\n'
    '<link rel="stylesheet" href="/_lazy/assets/developing.css">\n</head>\n<body>\n'
    '<header class="top"><a class="brand" href="/_lazy">Panel</a>{bar}</header>\n'
    '<main id="main">\n<h1>Logins of AI clients</h1>\n{body}</main>\n</body>\n</html>\n'
)
_TABLE = Markup(
    '<div class="wide" tabindex="0" role="group" aria-label="Steps">'
    "<table>\n<thead><tr><th scope=col>Time</th><th scope=col>Step</th><th scope=col>Outcome</th><th scope=col>Rule</th>"
    "<th scope=col>What there is to know</th></tr></thead>\n<tbody>\n{rows}</tbody>\n</table></div>\n"
)
_ROW = Markup(
    '<tr><td class=time>{time}</td><td class=tight>{step}</td><td class="tight {shade}">{outcome}</td>'
    "<td>{rule}</td><td>{detail}</td></tr>\n"
)


class LoginTrace:
    """An observer (`lazyoauth.Config.observer`) that keeps the last events, in this process, and shows them.

    State: a bounded queue; each event that comes is added, nothing removes one but the bound.

    Args:
        also: the application's own observer, which is told everything too.

    Attributes:
        links: addresses and labels of the pages beside this one; whoever serves them sets it.
    """

    links: Sequence[tuple[str, str]] = ()

    def __init__(self, also: Callable[[Event], None] | None = None) -> None:
        self._events: deque[Event] = deque(maxlen=KEPT)
        self._also = also

    def __call__(self, event: Event) -> None:
        self._events.append(event)
        if self._also is not None:
            self._also(event)

    async def page(self, scope: MutableMapping[str, Any], _receive: object, send: Callable[[Any], Any]) -> None:
        """The page, as an ASGI application."""
        if not is_from_here(scope) or not is_of_this_origin(scope) or scope["method"] not in ("GET", "HEAD"):
            await not_found(scope, send)
            return
        policy = "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; frame-ancestors 'none'"
        headers = [
            (b"content-type", b"text/html; charset=utf-8"),
            (b"cache-control", b"no-store"),
            (b"content-security-policy", policy.encode()),
            (b"referrer-policy", b"no-referrer"),
            (b"x-content-type-options", b"nosniff"),
        ]
        html = _PAGE.format(bar=_bar(self.links), body=_body(self._events))
        await _send(send, 200, "" if scope["method"] == "HEAD" else html, headers)


def logins(events: Iterable[Event]) -> list[list[Event]]:
    """The events, a login each, in the order in which they began.

    What comes before a client has named itself belongs to the next login that begins. An authorization request begins one, so does
    a registration; what follows under the same client belongs to its newest.
    """
    groups: list[list[Event]] = []
    newest: dict[str, list[Event]] = {}
    before: list[Event] = []
    for event in events:
        if not event.client:
            if before and event.when - before[-1].when > TOGETHER_S:
                groups.append(before)
                before = []
            before.append(event)
            continue
        group = newest.get(event.client)
        if group is None or _begins_anew(event, group):
            is_recent = bool(before) and event.when - before[-1].when <= TOGETHER_S
            group = before if is_recent else []
            before = [] if is_recent else before
            groups.append(group)
            newest[event.client] = group
        group.append(event)
    return [*groups, before] if before else groups


def _begins_anew(event: Event, group: Sequence[Event]) -> bool:
    if event.endpoint == "register":
        return True
    return event.endpoint == "authorize" and any(earlier.endpoint == "authorize" for earlier in group)


def _bar(links: Sequence[tuple[str, str]]) -> Markup:
    if not links:
        return Markup()
    link = Markup('\n<a href="{}"{}>{}</a>')
    here = Markup(' aria-current="page"')
    shown = [link.format(path, here if path == PATH else "", label) for path, label in links]
    return Markup('\n<nav aria-label="Panel">{}\n</nav>\n').format(Markup().join(shown))


def _body(events: Iterable[Event]) -> Markup:
    found = logins(events)
    if not found:
        return Markup("<p>No AI client has asked yet. Connect one to /mcp, then load this page again.</p>\n")
    intro = Markup("<p>The newest first; the last {} steps are kept, in this process. Load the page again to see more.</p>\n")
    return intro.format(KEPT) + Markup().join(_login(group) for group in reversed(found))


def _login(group: Sequence[Event]) -> Markup:
    client = next((event.client for event in group if event.client), "")
    name = next((event.client_name for event in group if event.client_name), "")
    title = name or ("A client without a name" if client else "Not yet a client")
    broken = sum(event.outcome not in _EXPECTED for event in group)
    steps = f"{len(group)} step{'' if len(group) == 1 else 's'}, {broken or 'none'} went wrong"
    shown = Markup(' · <span class=mono title="{}">{}</span>').format(client, _short(client)) if client else Markup()
    rows = Markup().join(_row(event) for event in group)
    return Markup("<section>\n<h2>{}</h2>\n<p>{}{}</p>\n{}</section>\n").format(title, steps, shown, _TABLE.format(rows=rows))


def _row(event: Event) -> Markup:
    is_good = event.outcome in _EXPECTED
    return _ROW.format(
        time=time.strftime("%H:%M:%S", time.localtime(event.when)),
        step=_STEPS.get(event.endpoint, event.endpoint),
        shade="good" if is_good else "wrong",
        outcome=f"{'✓' if is_good else '✗'} {event.outcome}",
        rule=_linked(event.rule),
        detail=event.detail,
    )


def _linked(rule: str) -> Markup:
    at = _RFC.fullmatch(rule)
    if at is None:
        return escape(rule)
    return Markup('<a href="https://www.rfc-editor.org/rfc/rfc{}#section-{}">{}</a>').format(at[1], at[2], rule)


def _short(client: str) -> str:
    """A client's id, where it is short enough to be read; else enough to tell it from others."""
    return client if len(client) <= 80 else f"{client[:5]}…{sha256(client.encode()).hexdigest()[:8]}"


async def _send(send: Callable[[Any], Any], status: int, text: str, headers: Sequence[tuple[bytes, bytes]]) -> None:
    body = text.encode()
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
