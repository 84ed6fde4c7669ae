"""The metadata of MCP Apps, on a page and on the tools that show it: the standard's keys, and ChatGPT's names for them.

SEP-1865 (revision 2026-01-26), "UI resource metadata" and "Tool metadata"; OpenAI, Apps SDK reference. Hosts read the standard's
keys first; what has no twin there stands under ChatGPT's name alone.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from lazymcp.clients import hosts_pages, refuses_foreign_domains
from lazymcp.context import Context
from lazymcp.errors import RegistrationError
from lazymcp.protocol import APP_MIME_TYPE, UI_EXTENSION
from lazymcp.specs import UI, AppCSP, AppPermissions, AppSpec, ToolSpec

__all__ = ["can_show_pages", "keeps_domain", "page_meta", "tool_meta", "without_domain"]

MAX_STATUS: Final = 64

# An origin, as a content security policy takes it: nothing that could begin another directive.
_ORIGIN: Final = re.compile(r"(?:https?|wss?)://(?:\*\.)?(?:[A-Za-z0-9._-]+|\[[0-9a-fA-F:]+\])(?::(?:[0-9]+|\*))?")
_DISPLAY_MODES: Final = frozenset({"inline", "fullscreen", "pip"})


def page_meta(spec: AppSpec, place: str) -> dict[str, Any]:
    """The `_meta` of a page, for its list entry and for what is read: hosts look in either place.

    Raises:
        RegistrationError: a domain is no origin, or a display mode is unknown.
    """
    standard: dict[str, Any] = {}
    aliases: dict[str, Any] = {}
    if spec.csp is not None:
        domains = _domains(spec.csp, place)
        standard["csp"] = {_camel(key): value for key, value in domains.items() if key != "redirect_domains"}
        # Inside its own key ChatGPT reads snake_case only, and knows no base-uri.
        aliases["openai/widgetCSP"] = {key: value for key, value in domains.items() if key != "base_uri_domains"}
    if spec.permissions is not None:
        standard["permissions"] = _permissions(spec.permissions)
        if spec.permissions.tools:
            # Not in the standard, whose own schema takes nothing besides the browser's features; a word for readers of the page.
            aliases["ui.permissions"] = {"tools": list(spec.permissions.tools)}
    if spec.domain:
        standard["domain"] = aliases["openai/widgetDomain"] = spec.domain
    if spec.prefers_border is not None:
        standard["prefersBorder"] = aliases["openai/widgetPrefersBorder"] = spec.prefers_border
    if spec.link_trusted_domains:
        standard["linkTrustedDomains"] = _origins(spec.link_trusted_domains, "link_trusted_domains", place)
    if spec.display_modes:
        if not set(spec.display_modes) <= _DISPLAY_MODES:
            raise RegistrationError(f"display_modes are inline, fullscreen and pip, not {list(spec.display_modes)!r}", place)
        aliases["openai/ui"] = {"availableDisplayModes": list(spec.display_modes)}
    return {**({"ui": standard} if standard else {}), "openai/widgetDescription": spec.desc, **aliases}


def tool_meta(spec: ToolSpec, ui: UI | None, place: str) -> Mapping[str, Any]:
    """The `_meta` of a tool: the page that shows its result and who may call it, the flat alias that older hosts read included.

    Raises:
        RegistrationError: the visibility is unknown, or a status is too long.
    """
    seen_by = tuple(spec.visibility)
    if isinstance(spec.visibility, str) or not set(seen_by) <= {"model", "app"}:
        raise RegistrationError(f'visibility is a list of "model" and "app", not {spec.visibility!r}', place)
    meta: dict[str, Any] = {}
    if ui is not None or seen_by:
        standard: dict[str, Any] = {}
        meta["ui"] = standard
        if ui is not None:
            standard["resourceUri"] = meta["ui/resourceUri"] = meta["openai/outputTemplate"] = ui.resource_uri
        if seen_by:
            standard["visibility"] = list(seen_by)
        meta["openai/widgetAccessible"] = not seen_by or "app" in seen_by
        meta["openai/visibility"] = "public" if not seen_by or "model" in seen_by else "private"
    for moment in ("invoking", "invoked") if ui is not None else ():
        if status := getattr(ui, moment):
            if len(status) > MAX_STATUS:
                raise RegistrationError(f"ui.{moment} has at most {MAX_STATUS} characters, this one {len(status)}", place)
            meta[f"openai/toolInvocation/{moment}"] = status
    if spec.file_params:
        meta["openai/fileParams"] = list(spec.file_params)
    if spec.scopes:
        meta["securitySchemes"] = [{"type": "oauth2", "scopes": list(spec.scopes)}]
    return meta


def can_show_pages(ctx: Context) -> bool:
    """Whether the client is a host of MCP Apps: it says so, or is known to be one that does not say so."""
    # Before the standard knew `extensions`, hosts said it under `experimental`:
    # https://github.com/modelcontextprotocol/ext-apps/issues/231
    for key in ("extensions", "experimental"):
        told = ctx.capabilities.get(key)
        settings = told.get(UI_EXTENSION) if isinstance(told, Mapping) else None
        if isinstance(settings, Mapping):
            types = settings.get("mimeTypes", (APP_MIME_TYPE,))
            return isinstance(types, Sequence) and APP_MIME_TYPE in types
    return hosts_pages(_name(ctx), ctx.headers.get("user-agent", ""))


def keeps_domain(ctx: Context) -> bool:
    """Whether the client takes a `domain` that is not of its own making."""
    return not refuses_foreign_domains(_name(ctx), ctx.headers.get("user-agent", ""))


def without_domain(meta: Mapping[str, Any]) -> dict[str, Any]:
    """The metadata of a page for clients that refuse a foreign `domain`: they give the page one themselves."""
    ui = meta.get("ui", {})
    if "domain" not in ui or ui["domain"].endswith(".claudemcpcontent.com"):
        return dict(meta)
    rest = {key: value for key, value in ui.items() if key != "domain"}
    others = {key: value for key, value in meta.items() if key != "ui"}
    return {"ui": rest, **others} if rest else others


def _name(ctx: Context) -> str:
    return str(ctx.client.get("name", ""))


def _domains(csp: AppCSP, place: str) -> dict[str, list[str]]:
    # An empty list is a policy (none at all), so the two that every page has are always told.
    told = ("connect_domains", "resource_domains")
    keys = (*told, "frame_domains", "base_uri_domains", "redirect_domains")
    found = {key: _origins(getattr(csp, key), key, place) for key in keys}
    return {key: origins for key, origins in found.items() if origins or key in told}


def _origins(origins: Sequence[str], what: str, place: str) -> list[str]:
    for origin in origins:
        if not isinstance(origin, str) or not _ORIGIN.fullmatch(origin):
            raise RegistrationError(f"{what} are origins such as https://api.example.com, without a path, not {origin!r}", place)
    return list(origins)


def _permissions(asked: AppPermissions) -> dict[str, Any]:
    features = {"camera": asked.camera, "microphone": asked.microphone, "geolocation": asked.geolocation}
    features["clipboardWrite"] = asked.clipboard_write
    return {key: {} for key, wanted in features.items() if wanted}


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.title() for part in rest)
