"""Apps: pages shown inside the client, served as `ui://` resources (MCP Apps, SEP-1865)."""

from collections.abc import Mapping
from typing import Any

from lazymcp.context import Context
from lazymcp.errors import RegistrationError
from lazymcp.failures import refusal
from lazymcp.function import Function
from lazymcp.icons import icons_of
from lazymcp.options import Renderer
from lazymcp.output import entry_of
from lazymcp.page_meta import keeps_domain, page_meta, without_domain
from lazymcp.protocol import APP_MIME_TYPE
from lazymcp.resources import Resource
from lazymcp.specs import AppSpec

__all__ = ["DEFAULT_LAYOUT", "app_resource"]

DEFAULT_LAYOUT = "mcp_app"


def app_resource(module: str, uri: str, name: str, spec: AppSpec, views: Renderer | None, place: str) -> Resource:
    """The page as a resource; its metadata stands on the list entry and on what is read, as hosts look in either place.

    Raises:
        RegistrationError: no description, neither or both of html and view, or a view that does not exist.
    """
    if not spec.desc.strip():
        raise RegistrationError(f"app {uri} has no description: set desc", place)
    if not uri.startswith("ui://"):
        raise RegistrationError(f"the URI of an app begins with ui://, not {uri!r}", place)
    if bool(spec.html) == bool(spec.view):
        raise RegistrationError(f"app {uri} needs either html or view", place)
    meta = page_meta(spec, place)
    page = _Page(module, spec, views, place)
    entry = {
        "name": name,
        "title": spec.title,
        "description": spec.desc,
        "icons": icons_of(spec.icons),
        "mimeType": APP_MIME_TYPE,
        "_meta": meta,
    }

    async def read(asked: str, _: dict[str, Any], ctx: Context) -> list[dict[str, Any]]:
        try:
            html = await page.html(ctx)
        except BaseException as problem:
            raise refusal(problem, f"app {uri}") from problem
        told = meta if keeps_domain(ctx) else without_domain(meta)
        return [{"uri": asked, "mimeType": APP_MIME_TYPE, "text": html, "_meta": told}]

    return Resource(module, uri, entry_of(entry, place), read, place)


class _Page:
    """Where the HTML of an app comes from."""

    def __init__(self, module: str, spec: AppSpec, views: Renderer | None, place: str) -> None:
        self.static = spec.html
        self.view = "/".join(part for part in ("mcp", module, spec.view) if part)
        self.layout = (spec.layout or DEFAULT_LAYOUT) if spec.use_layout or spec.layout else None
        self.basics: dict[str, Any] = {"title": spec.title or spec.desc}
        if spec.display_modes:
            self.basics["display_modes"] = tuple(spec.display_modes)
        self.views = views
        self.fixed = spec.variables if isinstance(spec.variables, Mapping) else {}
        self.variables = Function(spec.variables) if callable(spec.variables) else None
        if self.variables is not None and self.variables.takes:
            raise RegistrationError("the function that gives an app its variables takes no parameters but the context", place)
        if self.static:
            return
        if views is None:
            raise RegistrationError(
                "an app with a view needs Options.views, e.g. lazymcp.view_renderer(lazyview.Views(...))", place
            )
        exists = getattr(views, "exists", None)
        for view in (self.view, f"layouts/{self.layout}" if self.layout else ""):
            if view and exists is not None and not exists(view):
                raise RegistrationError(f"there is no view {view!r}: write app/views/{view}.html.j2", place)

    async def html(self, ctx: Context) -> str:
        if self.static or self.views is None:
            return self.static
        found = self.fixed if self.variables is None else await self.variables.call({}, ctx)
        return self.views(self.view, {**self.basics, **found}, self.layout)
