"""The methods of the skills extension (SEP-2640), and the index that its drafts had in their place."""

from typing import Any

from lazymcp.context import Context
from lazymcp.errors import InvalidParams
from lazymcp.lists import page_of
from lazymcp.protocol import string_param
from lazymcp.registry import Registry
from lazymcp.skills import index_json

__all__ = ["get_skill", "read_directory", "read_index"]


async def get_skill(registry: Registry, params: dict[str, Any], ctx: Context) -> dict[str, Any]:
    """`skills/get`. SEP-2640, "Getting a Skill"."""
    uri = string_param(params, "uri")
    published = registry.skills.get(uri)
    if published is None or not await registry.allows(published.module):
        raise InvalidParams(f"no skill is known as {uri!r}", {"uri": uri})
    return {"skill": published.skill.entry()}


async def read_directory(registry: Registry, params: dict[str, Any], ctx: Context) -> dict[str, Any]:
    """`resources/directory/read`: the direct children of a folder of skills. SEP-2640, "Reading Directories"."""
    uri = string_param(params, "uri")
    children = registry.directories.children(uri, await registry.allowed())
    if children is None:
        raise InvalidParams(f"{uri!r} is not a directory", {"uri": uri})
    return page_of("resources", children, params.get("cursor"), registry.options.page_size, of=uri)


async def read_index(registry: Registry, uri: str) -> list[dict[str, Any]] | None:
    """The content of `skill://index.json`; None for a caller who may see no skill."""
    modules = await registry.allowed()
    skills = [published.skill for published in registry.skills.values() if published.module in modules]
    return [{"uri": uri, "mimeType": "application/json", "text": index_json(skills)}] if skills else None
