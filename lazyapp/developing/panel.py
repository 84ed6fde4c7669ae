"""`/_lazy`: the pages that tell a developer what the application is and what it does. Server-rendered; no script is needed."""

from collections.abc import Container, Mapping
from pathlib import Path
from typing import Any, Final

from lazyapp.accept import wish
from lazyapp.developing.application import Application
from lazyapp.developing.asked import answer, is_read, query_of
from lazyapp.developing.door import ROOT, ASGIApp, Receive, Scope, Send
from lazyapp.developing.error_page import error_page
from lazyapp.developing.history import errors, log, one_request, requests
from lazyapp.developing.memory import Memory
from lazyapp.developing.overview import overview
from lazyapp.developing.route_table import route_table
from lazyapp.developing.service_table import service_table
from lazyapp.developing.shown import HELPERS, segment
from lazyapp.developing.surface import surface
from lazyapp.error_pages import KEPT_UNDER
from lazyapp.version import __version__
from lazyview import Views

TEMPLATES: Final = Path(__file__).parent / "templates"
LAYOUT: Final = "developing"

_REQUEST: Final = f"{ROOT}/requests/"
_LINKS: Final = {
    "routes": "Routes",
    "mcp": "MCP",
    "services": "Services",
    "requests": "Requests",
    "errors": "Errors",
    "log": "Log",
    "logins": "Logins",
    "preview": "Preview",
    "docs": "Docs",
}


class Panel:
    """The panel, as an ASGI application.

    Args:
        app: what is shown.
        memory: what it did last.
        neighbours: the prefixes of the other parts of `/_lazy`; the bar leads to those that are there.
    """

    def __init__(self, app: Application, memory: Memory, neighbours: Container[str]) -> None:
        self._app = app
        self._memory = memory
        self._neighbours = neighbours
        self._views = Views([TEMPLATES], helpers=HELPERS)

    async def __call__(self, scope: Scope, _receive: Receive, send: Send) -> None:
        """One page."""
        path = scope["path"].rstrip("/")
        found = await self._find(path, scope)
        if found is None and not path.startswith(KEPT_UNDER):
            return await answer(scope, send, self._page("missing", {"path": path}), status=404)
        if not await is_read(scope, send):
            return None
        if found is None:
            return await error_page(self._memory, scope, send, self._page)
        view, variables = found
        if view == "errors" and (wanted := query_of(scope).get("id", "").strip()):
            return await answer(scope, send, "", status=303, more={"location": f"{KEPT_UNDER}{segment(wanted)}"})
        return await answer(scope, send, self._page(view, {"path": path, **variables}))

    async def _find(self, path: str, scope: Scope) -> tuple[str, Mapping[str, Any]] | None:
        """The view of a path and its variables; None where there is none."""
        app, memory = self._app, self._memory
        match path.removeprefix(ROOT):
            case "":
                return "overview", overview(app, memory)
            case "/routes":
                return "routes", route_table(app, query_of(scope))
            case "/mcp":
                return "mcp", surface(app)
            case "/services":
                return "services", await service_table(app)
            case "/requests":
                return "requests", requests(memory, query_of(scope))
            case "/errors":
                return "errors", errors(memory)
            case "/log":
                return "log", log(memory, query_of(scope))
        if path.startswith(_REQUEST) and (one := one_request(memory, path.removeprefix(_REQUEST))) is not None:
            return "request", one
        return None

    def _page(self, view: str, variables: Mapping[str, Any]) -> str:
        given = {"path": "", "name": self._app.config.name, "version": __version__, "links": self.links()}
        return self._views.render(f"panel/{view}", {**given, **variables}, layout=LAYOUT)

    def links(self) -> list[tuple[str, str]]:
        """Where the bar leads: addresses and labels."""
        theirs = {"logins", "preview", "docs"}
        links = [(f"{ROOT}/{name}", label) for name, label in _LINKS.items()]
        return [(path, label) for path, label in links if path in self._neighbours or path.removeprefix(f"{ROOT}/") not in theirs]


def for_browsers(page: ASGIApp, otherwise: ASGIApp) -> ASGIApp:
    """One address for two: who reads HTML gets the page, and everybody else, such as an MCP client, what is there besides."""

    async def either(scope: Scope, receive: Receive, send: Send) -> None:
        is_browser = scope["method"] in ("GET", "HEAD") and wish(scope) == "html"
        await (page if is_browser else otherwise)(scope, receive, send)

    return either
