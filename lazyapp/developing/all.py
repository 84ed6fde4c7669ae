"""Everything below `/_lazy`, put together for one run of an application. Each part has its line in `developing`."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from lazyapp.developing import docs_pages, files, panel, preview
from lazyapp.developing.application import Application
from lazyapp.developing.door import ROOT, ASGIApp, Door
from lazyapp.developing.later import Later
from lazyapp.developing.listening import listening
from lazyapp.developing.memory import Memory
from lazyapp.developing.refresh import Refresh
from lazyapp.developing.watch import Watch
from lazyapp.login_trace import PATH as LOGINS
from lazyapp.login_trace import LoginTrace
from lazyapp.steps.mcp import MCP_PATH

ABOUT: Final = f"{ROOT}/mcp"


def developing(app: Application, memory: Memory) -> dict[str, ASGIApp]:
    """The parts by the prefixes of their paths; what stands behind the door.

    Args:
        app: started.
        memory: of this run.
    """
    parts: dict[str, ASGIApp] = {
        files.PREFIX: files.assets,
        docs_pages.PREFIX: docs_pages.DocsPages(app.config.name, lambda: pages.links()),
        ABOUT: Later(lambda: _about(app, memory)),
        preview.PREFIX: preview.Preview(app, lambda: pages.links()),
    }
    trace = app.oauth.config.observer if app.oauth is not None else None
    if isinstance(trace, LoginTrace):
        parts[LOGINS] = trace.page
    pages = panel.Panel(app, memory, frozenset(parts))
    if isinstance(trace, LoginTrace):
        trace.links = pages.links()
    return parts | {ROOT: pages, ABOUT: panel.for_browsers(pages, parts[ABOUT])}


def _about(app: Application, memory: Memory) -> ASGIApp:
    from lazyapp.developing import about

    return about.about(app, memory).asgi()


@contextmanager
def remembered(app: Application) -> Iterator[Memory]:
    """A memory of what is logged for as long as the block runs."""
    memory = Memory()
    with listening(memory, app.settings.root):
        yield memory


def doored(app: Application, web: ASGIApp, memory: Memory) -> ASGIApp:
    """The application's pages, with everything of `/_lazy` before them."""
    refresh = Refresh(app.drain)
    app.files_changed = refresh.changed
    pages = refresh.tagged(web) if app.settings.refresh else web
    return Door(pages, developing(app, memory) | dict(refresh.routes))


def watched(app: Application, whole: ASGIApp, memory: Memory) -> ASGIApp:
    """The whole application, its requests remembered."""
    oauth = app.oauth.routes if app.oauth else {}
    return Watch(whole, memory, origin=app.settings.public_url, mcp=(MCP_PATH, MCP_PATH + "/"), oauth=oauth)
