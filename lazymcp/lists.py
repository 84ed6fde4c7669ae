"""The lists: tools, prompts, resources, templates, skills. One way to page them, and one memory of pages.

A list depends on which modules the caller may see and how names are spelled for the client, on nothing else. So its pages are
kept with their JSON: listing a thousand tools costs a look-up. The memory is bounded; when full it starts afresh.
"""

import base64
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from lazymcp.clients import refuses_dots
from lazymcp.context import Context
from lazymcp.errors import InvalidParams
from lazymcp.prompts import Prompt
from lazymcp.protocol import Prepared, complete
from lazymcp.registry import Registry, underscored
from lazymcp.resources import Resource
from lazymcp.tools import Tool

__all__ = ["INDEX_URI", "LIST_TTL_MS", "PROMPTS", "RESOURCES", "SKILLS", "TEMPLATES", "TOOLS", "page_of"]

LIST_TTL_MS: Final = 60_000
INDEX_URI: Final = "skill://index.json"

_MAX_PAGES: Final = 256

Modules = frozenset[str]
Method = Callable[[Registry, dict[str, Any], Context], Awaitable[dict[str, Any]]]
Entries = Callable[[Registry, Modules, bool], Iterable[dict[str, Any]]]


def _lister(key: str, entries: Entries, *, is_named: bool = False) -> Method:
    """The method that answers a list.

    Args:
        key: the result's member that holds the entries.
        entries: all entries that belong to these modules; the flag asks for names without dots.
        is_named: whether the entries bear names that are spelled for the client.
    """

    async def list_entries(registry: Registry, params: dict[str, Any], ctx: Context) -> dict[str, Any]:
        modules = await registry.allowed()
        plain = is_named and _wants_no_dots(registry, ctx)
        # MCP 2026-07-28, server/utilities/caching: public only if the answer is the same for everyone.
        is_public = registry.is_open() and not (is_named and registry.options.tool_names == "auto")
        cursor = params.get("cursor")
        if cursor is not None and type(cursor) is not str:
            raise InvalidParams("cursor must be a string")
        memory_key = (key, modules, plain, is_public, cursor)
        page = registry.pages.get(memory_key)
        if page is None:
            result = page_of(key, list(entries(registry, modules, plain)), cursor, registry.options.page_size)
            page = Prepared(complete(result, registry.server, LIST_TTL_MS, "public" if is_public else "private"))
            if len(registry.pages) >= _MAX_PAGES:
                registry.pages.clear()
            registry.pages[memory_key] = page
        return page

    return list_entries


def page_of(key: str, entries: list[dict[str, Any]], cursor: Any, size: int) -> dict[str, Any]:
    """One page of entries, and the cursor of the next if there is one.

    Raises:
        InvalidParams: the cursor is not one of ours. MCP, server/utilities/pagination.
    """
    # An empty string is a legal cursor; nothing can be meant by it but the beginning.
    start = 0 if cursor is None or cursor == "" else _offset(cursor)
    if start and not (size > 0 and 0 < start < len(entries)):
        raise InvalidParams("cursor is not one that this list gave out")
    end = start + size if size > 0 else len(entries)
    page: dict[str, Any] = {key: entries[start:end]}
    if end < len(entries):
        page["nextCursor"] = base64.urlsafe_b64encode(str(end).encode()).decode()
    return page


def _offset(cursor: Any) -> int:
    try:
        offset = int(base64.b64decode(cursor, altchars=b"-_", validate=True))
    except (TypeError, ValueError):
        offset = -1
    if offset <= 0:
        raise InvalidParams("cursor is not one that this list gave out")
    return offset


def _wants_no_dots(registry: Registry, ctx: Context) -> bool:
    style = registry.options.tool_names
    if style != "auto":
        return style == "underscored"
    return refuses_dots(str(ctx.client.get("name", "")), ctx.headers.get("user-agent", ""))


def _named(items: Iterable[Tool] | Iterable[Prompt], modules: Modules, plain: bool) -> Iterator[dict[str, Any]]:
    return (item.entry(underscored(item.name) if plain else item.name) for item in items if item.module in modules)


def _resources(registry: Registry, modules: Modules, _: bool) -> Iterator[dict[str, Any]]:
    if any(published.module in modules for published in registry.skills.values()):
        yield {"uri": INDEX_URI, "name": "index", "description": "MCP skills index", "mimeType": "application/json"}
    yield from _listed(registry.resources, modules)


def _listed(resources: Mapping[str, Resource], modules: Modules) -> Iterator[dict[str, Any]]:
    return (resource.entry for resource in resources.values() if resource.entry is not None and resource.module in modules)


def _tools(registry: Registry, modules: Modules, plain: bool) -> Iterator[dict[str, Any]]:
    return _named(registry.tools.values(), modules, plain)


def _prompts(registry: Registry, modules: Modules, plain: bool) -> Iterator[dict[str, Any]]:
    return _named(registry.prompts.values(), modules, plain)


def _templates(registry: Registry, modules: Modules, _: bool) -> Iterator[dict[str, Any]]:
    return _listed(registry.templates, modules)


def _skills(registry: Registry, modules: Modules, _: bool) -> Iterator[dict[str, Any]]:
    return (published.skill.entry() for published in registry.skills.values() if published.module in modules)


TOOLS: Final = _lister("tools", _tools, is_named=True)
PROMPTS: Final = _lister("prompts", _prompts, is_named=True)
RESOURCES: Final = _lister("resources", _resources)
TEMPLATES: Final = _lister("resourceTemplates", _templates)
SKILLS: Final = _lister("skills", _skills)
