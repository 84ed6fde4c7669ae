"""Apps: pages shown inside the client, served as `ui://` resources (MCP Apps, SEP-1865)."""

from collections.abc import Mapping
from typing import Any

from lazymcp.context import Context
from lazymcp.errors import RegistrationError
from lazymcp.failures import refusal
from lazymcp.function import Function
from lazymcp.options import Renderer
from lazymcp.output import entry_of
from lazymcp.protocol import APP_MIME_TYPE
from lazymcp.resources import Resource
from lazymcp.specs import AppCSP, AppPermissions, AppSpec

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
    meta = _metadata(spec)
    page = _Page(module, spec, views, place)
    entry = {"name": name, "title": spec.title, "description": spec.desc, "mimeType": APP_MIME_TYPE, "_meta": meta}

    async def read(asked: str, _: dict[str, Any], ctx: Context) -> list[dict[str, Any]]:
        try:
            html = await page.html(ctx)
        except BaseException as problem:
            raise refusal(problem, f"app {uri}") from problem
        return [{"uri": asked, "mimeType": APP_MIME_TYPE, "text": html, **({"_meta": meta} if meta else {})}]

    return Resource(module, uri, entry_of(entry, place), read, place)


class _Page:
    """Where the HTML of an app comes from."""

    def __init__(self, module: str, spec: AppSpec, views: Renderer | None, place: str) -> None:
        self.static = spec.html
        self.view = "/".join(part for part in ("mcp", module, spec.view) if part)
        self.layout = (spec.layout or DEFAULT_LAYOUT) if spec.use_layout or spec.layout else None
        self.title = spec.title or spec.desc
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
        return self.views(self.view, {"title": self.title, **found}, self.layout)


def _metadata(spec: AppSpec) -> dict[str, Any]:
    """The standard keys and ChatGPT's aliases for them. SEP-1865, "UI resource metadata"; OpenAI Apps SDK reference."""
    standard: dict[str, Any] = {}
    aliases: dict[str, Any] = {}
    if spec.csp is not None:
        domains = _domains(spec.csp)
        standard["csp"] = {_camel(key): value for key, value in domains.items()}
        # Inside its own key ChatGPT reads snake_case only, and knows no base-uri.
        aliases["openai/widgetCSP"] = {key: value for key, value in domains.items() if key != "base_uri_domains"}
    if spec.permissions is not None:
        standard["permissions"] = _permissions(spec.permissions)
    if spec.domain:
        standard["domain"] = aliases["openai/widgetDomain"] = spec.domain
    if spec.prefers_border is not None:
        standard["prefersBorder"] = aliases["openai/widgetPrefersBorder"] = spec.prefers_border
    return {**({"ui": standard} if standard else {}), "openai/widgetDescription": spec.desc, **aliases}


def _domains(csp: AppCSP) -> dict[str, list[str]]:
    # An empty list is a policy (none at all), so the two that every page has are always told.
    domains = {"connect_domains": list(csp.connect_domains), "resource_domains": list(csp.resource_domains)}
    if csp.frame_domains:
        domains["frame_domains"] = list(csp.frame_domains)
    if csp.base_uri_domains:
        domains["base_uri_domains"] = list(csp.base_uri_domains)
    return domains


def _permissions(asked: AppPermissions) -> dict[str, Any]:
    features = {"camera": asked.camera, "microphone": asked.microphone, "geolocation": asked.geolocation}
    features["clipboardWrite"] = asked.clipboard_write
    # `tools` is not in SEP-1865, whose hosts ignore what they do not know; it tells readers of the page which tools it calls.
    return {**{key: {} for key, wanted in features.items() if wanted}, **({"tools": list(asked.tools)} if asked.tools else {})}


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.title() for part in rest)
