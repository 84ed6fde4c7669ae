"""`/_lazy/routes`: what the application answers, in the order in which it is tried, and which of it answers a request."""

from collections.abc import Iterator, Mapping
from typing import Any, Final, Literal, NamedTuple
from urllib.parse import unquote, urlsplit

from lazyapp.controller import requires_login
from lazyapp.developing.application import Application
from lazyapp.developing.door import ROOT
from lazyapp.path_template import PathTemplate
from lazyapp.steps.mcp import MCP_PATH

METHODS: Final = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")
_HEALTH: Final = ("/livez", "/readyz", "/metrics")


class Row(NamedTuple):
    """One route. `needs_login` is None where only the function itself would know."""

    methods: tuple[str, ...]
    path: str
    name: str
    action: str
    place: str
    needs_login: bool | None


Kind = Literal["page", "router", "mcp", "oauth", "public file", "health", "panel", "nothing"]


class Found(NamedTuple):
    """Who answers a request, in a word and in a sentence, and the row it has in the table, if it has one."""

    kind: Kind
    sentence: str
    row: Row | None = None


def route_table(app: Application, query: Mapping[str, str]) -> dict[str, Any]:
    """What the page shows."""
    listed = rows(app)
    method, path = query.get("method", "GET").upper()[:20], query.get("path", "")
    found = who_answers(app, listed, method, asked_path(path)) if path else None
    pages = [row for row in listed if row.needs_login is not None]
    return {
        "pages": pages,
        "others": [row for row in listed if row.needs_login is None],
        "methods": METHODS,
        "method": method,
        "asked": path,
        "found": found,
    }


def rows(app: Application) -> list[Row]:
    """Every route: the drawn ones in their order, then those of included routers and what FastAPI adds of its own."""
    drawn = list(app.drawn)
    told = app.drawn.rows()
    listed = [
        Row(*row, needs_login=requires_login(route.controller, route.action)) for route, row in zip(drawn, told, strict=False)
    ]
    listed += [Row(*row, needs_login=None) for row in told[len(drawn) :]]
    return [*listed, *_own(app)]


def who_answers(app: Application, listed: list[Row], method: str, path: str) -> Found:
    """Who answers a request for a path that is decoded and has no query."""
    if front := _in_front(app, path):
        return front
    if method in ("GET", "HEAD") and app.pages.public.find(path) is not None:
        return Found("public file", f"The public file {path}, before any route.")
    wanted = "GET" if method == "HEAD" else method
    path = path.rstrip("/") or "/"
    fitting = [row for row in listed if _fits(row.path, path)]
    for row in fitting:
        if wanted in row.methods:
            return Found("page" if row.needs_login is not None else "router", row.action, row)
    allowed = sorted({each for row in fitting for each in row.methods})
    if allowed and method == "OPTIONS":
        return Found("nothing", f"204, with Allow: {', '.join([*allowed, 'OPTIONS'])}.")
    if allowed:
        return Found("nothing", f"Nothing: 405, for this path takes {', '.join(allowed)}.", fitting[0])
    return Found("nothing", "Nothing: 404.")


def _in_front(app: Application, path: str) -> Found | None:
    """What is looked up by its exact path before everything else."""
    if path == ROOT or path.startswith(f"{ROOT}/"):
        return Found("panel", "This panel, in development only.")
    if path in (MCP_PATH, f"{MCP_PATH}/") and app.mcp is not None:
        guard = ", behind the bearer guard" if app.oauth else ""
        return Found("mcp", f"MCP: the modules of this application{guard}.")
    if app.oauth is not None and (path in app.oauth.routes or path in app.oauth.resource_routes):
        return Found("oauth", "OAuth: the authorization server, or one of its documents.")
    return Found("health", "The health of this process.") if path in _HEALTH else None


def _own(app: Application) -> Iterator[Row]:
    """FastAPI's own pages: its documentation and the OpenAPI document."""
    for path, what in ((app.docs_url, "docs"), (app.redoc_url, "redoc"), (app.openapi_url, "OpenAPI document")):
        if path:
            yield Row(("GET",), path, "", f"FastAPI's {what}", "", None)


def _fits(drawn: str, path: str) -> bool:
    try:
        return PathTemplate(drawn).matches(path)
    except ValueError:  # a router's, with a kind of parameter that only it knows
        return False


def asked_path(given: str) -> str:
    """The decoded path of what somebody typed or pasted: a path, or a whole address."""
    try:
        parts = urlsplit(given.strip())
    except ValueError:
        return given
    return unquote(parts.path) or "/"
