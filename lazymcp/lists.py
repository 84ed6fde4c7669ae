"""The lists: tools, prompts, resources, templates, skills. One way to page them, and one memory of pages.

A list depends on which modules the caller may see and how names are spelled for the client, on nothing else. So its pages are
kept with their JSON: listing a thousand tools costs a look-up. The memory is bounded; when full it starts afresh.
"""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from hashlib import sha256
from typing import Any, Final, NamedTuple

from lazymcp.clients import refuses_dots
from lazymcp.context import Context
from lazymcp.errors import InvalidParams
from lazymcp.page_meta import can_show_pages, keeps_domain, without_domain
from lazymcp.prompts import Prompt
from lazymcp.protocol import Prepared, complete
from lazymcp.registry import Registry, underscored
from lazymcp.resources import Resource
from lazymcp.tools import Tool

__all__ = ["INDEX_URI", "LIST_TTL_MS", "PROMPTS", "RESOURCES", "SKILLS", "TEMPLATES", "TOOLS", "page_of"]

LIST_TTL_MS: Final = 60_000
INDEX_URI: Final = "skill://index.json"

_MAX_PAGES: Final = 256
# A cursor holds the beginning of a digest of what is listed, and how much of it has been shown: nine bytes, twelve letters.
_NAME_BYTES: Final = 6
_OFFSET_BYTES: Final = 3

Modules = frozenset[str]
Method = Callable[[Registry, dict[str, Any], Context], Awaitable[dict[str, Any]]]


class Reader(NamedTuple):
    """What of the client a list depends on.

    Attributes:
        varies: whether another client might read something else.
        has_plain_names: names come without dots.
        has_pages: it shows pages, so tools that only pages call are there.
        has_domains: pages are told with their domain.
    """

    varies: bool = False
    has_plain_names: bool = False
    has_pages: bool = True
    has_domains: bool = True


_ANYONE: Final = Reader()
Look = Callable[[Registry, Context], Reader]
Entries = Callable[[Registry, Modules, Reader], Iterable[dict[str, Any]]]


def _lister(key: str, entries: Entries, look: Look | None = None) -> Method:
    """The method that answers a list.

    Args:
        key: the result's member that holds the entries.
        entries: all entries that belong to these modules, as this reader reads them.
        look: what of the client the list depends on; None for nothing.
    """

    async def list_entries(registry: Registry, params: dict[str, Any], ctx: Context) -> dict[str, Any]:
        modules = await registry.allowed()
        reader = _ANYONE if look is None else look(registry, ctx)
        # MCP 2026-07-28, server/utilities/caching: public only if the answer is the same for everyone.
        is_public = registry.is_open() and not reader.varies
        cursor = params.get("cursor")
        if cursor is not None and type(cursor) is not str:
            raise InvalidParams("cursor must be a string")
        memory_key = (key, modules, reader, is_public, cursor or None)
        page = registry.pages.get(memory_key)
        if page is None:
            result = page_of(key, list(entries(registry, modules, reader)), cursor, registry.options.page_size)
            page = Prepared(complete(result, registry.server, LIST_TTL_MS, "public" if is_public else "private"))
            if len(registry.pages) >= _MAX_PAGES:
                registry.pages.clear()
            registry.pages[memory_key] = page
        return page

    return list_entries


def page_of(key: str, entries: list[dict[str, Any]], cursor: Any, size: int, of: str = "") -> dict[str, Any]:
    """One page of entries, and the cursor of the next if there is one.

    A cursor needs no memory and no secret, so every process of a server knows it; it leads nowhere that the list itself does not.

    Args:
        key: the result's member that holds the entries.
        cursor: as it came; an empty one is legal, and nothing can be meant by it but the beginning.
        size: of a page; 0 for all in one.
        of: what is listed, where `key` alone does not tell.

    Raises:
        InvalidParams: the cursor is not one that this list gives out. MCP, server/utilities/pagination.
    """
    name = sha256(f"{key} {of}".encode("utf-8", "surrogatepass")).digest()[:_NAME_BYTES]
    start = 0 if cursor is None or cursor == "" else _offset(cursor, name)
    if start and (size <= 0 or start % size or start >= len(entries)):
        raise _stray()
    end = start + size if size > 0 else len(entries)
    page: dict[str, Any] = {key: entries[start:end]}
    if end < len(entries):
        page["nextCursor"] = urlsafe_b64encode(name + end.to_bytes(_OFFSET_BYTES, "big")).decode()
    return page


def _offset(cursor: Any, name: bytes) -> int:
    try:
        data = urlsafe_b64decode(cursor)
        is_ours = urlsafe_b64encode(data).decode() == cursor
    except (TypeError, ValueError):
        raise _stray() from None
    offset = int.from_bytes(data[_NAME_BYTES:], "big")
    if not is_ours or len(data) != _NAME_BYTES + _OFFSET_BYTES or data[:_NAME_BYTES] != name or offset == 0:
        raise _stray()
    return offset


def _stray() -> InvalidParams:
    return InvalidParams("cursor is not one that this list gave out")


def _look_for_names(registry: Registry, ctx: Context) -> Reader:
    style = registry.options.tool_names
    if style != "auto":
        return Reader(has_plain_names=style == "underscored")
    return Reader(True, refuses_dots(str(ctx.client.get("name", "")), ctx.headers.get("user-agent", "")))


def _look_for_tools(registry: Registry, ctx: Context) -> Reader:
    reader = _look_for_names(registry, ctx)
    return reader._replace(varies=True, has_pages=can_show_pages(ctx)) if registry.has_page_tools else reader


def _look_for_resources(registry: Registry, ctx: Context) -> Reader:
    return Reader(True, has_domains=keeps_domain(ctx)) if registry.has_domains else _ANYONE


def _tools(registry: Registry, modules: Modules, reader: Reader) -> Iterator[dict[str, Any]]:
    return _named((tool for tool in registry.tools.values() if reader.has_pages or not tool.is_for_pages), modules, reader)


def _prompts(registry: Registry, modules: Modules, reader: Reader) -> Iterator[dict[str, Any]]:
    return _named(registry.prompts.values(), modules, reader)


def _named(items: Iterable[Tool] | Iterable[Prompt], modules: Modules, reader: Reader) -> Iterator[dict[str, Any]]:
    plain = reader.has_plain_names
    return (item.entry(underscored(item.name) if plain else item.name) for item in items if item.module in modules)


def _resources(registry: Registry, modules: Modules, reader: Reader) -> Iterator[dict[str, Any]]:
    if any(published.module in modules for published in registry.skills.values()):
        yield {"uri": INDEX_URI, "name": "index", "description": "MCP skills index", "mimeType": "application/json"}
    for entry in _listed(registry.resources, modules):
        is_told_less = not reader.has_domains and entry["uri"] in registry.apps
        yield {**entry, "_meta": without_domain(entry["_meta"])} if is_told_less else entry


def _templates(registry: Registry, modules: Modules, _: Reader) -> Iterator[dict[str, Any]]:
    return _listed(registry.templates, modules)


def _listed(resources: Mapping[str, Resource], modules: Modules) -> Iterator[dict[str, Any]]:
    return (resource.entry for resource in resources.values() if resource.entry is not None and resource.module in modules)


def _skills(registry: Registry, modules: Modules, _: Reader) -> Iterator[dict[str, Any]]:
    return (published.skill.entry() for published in registry.skills.values() if published.module in modules)


TOOLS: Final = _lister("tools", _tools, _look_for_tools)
PROMPTS: Final = _lister("prompts", _prompts, _look_for_names)
RESOURCES: Final = _lister("resources", _resources, _look_for_resources)
TEMPLATES: Final = _lister("resourceTemplates", _templates)
SKILLS: Final = _lister("skills", _skills)
