"""`/_lazy`: the pages that tell a developer what the application is and what it does. Server-rendered; no script is needed."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from lazyapp.developing.application import Application
from lazyapp.developing.asked import answer, is_read
from lazyapp.developing.door import ROOT, Receive, Scope, Send
from lazyapp.developing.memory import Memory
from lazyapp.version import __version__
from lazyview import Views

TEMPLATES: Final = Path(__file__).parent / "templates"


class Panel:
    """The panel, as an ASGI application.

    Args:
        app: what is shown.
        memory: what it did last.
    """

    def __init__(self, app: Application, memory: Memory) -> None:
        self._app = app
        self._memory = memory
        self._views = Views([TEMPLATES])

    async def __call__(self, scope: Scope, _receive: Receive, send: Send) -> None:
        """One page."""
        if scope["path"] not in (ROOT, ROOT + "/"):
            return await answer(scope, send, self._page("missing", scope), status=404)
        if await is_read(scope, send):
            await answer(scope, send, self._page("overview", scope))
        return None

    def _page(self, name: str, scope: Scope, variables: Mapping[str, Any] | None = None) -> str:
        given = {"name": self._app.config.name, "version": __version__, "path": scope["path"], **(variables or {})}
        return self._views.render(f"panel/{name}", given, layout="developing")
