"""`completion/complete`: finds what is completed, and asks it. What is hidden is answered like what is unknown."""

from collections.abc import Mapping
from typing import Any

from lazymcp.completion import Completions
from lazymcp.context import Context
from lazymcp.errors import InvalidParams
from lazymcp.registry import Registry

__all__ = ["complete_argument"]

_NOTHING = Completions({}, {}, "what is read under this URI")


async def complete_argument(registry: Registry, params: dict[str, Any], ctx: Context) -> dict[str, Any]:
    """`completion/complete`. MCP 2026-07-28, server/utilities/completion."""
    argument = _object(params, "argument")
    name, typed = argument.get("name"), argument.get("value")
    if type(name) is not str or type(typed) is not str:
        raise InvalidParams("argument must have name and value, both strings")
    others = _object(_object(params, "context", {}), "arguments", {})
    if not all(type(value) is str for value in others.values()):
        raise InvalidParams("context.arguments must hold strings")
    completions = await _find(registry, _object(params, "ref"))
    return {"completion": await completions.complete(name, typed, others, ctx)}


async def _find(registry: Registry, ref: Mapping[str, Any]) -> Completions:
    name, uri = ref.get("name"), ref.get("uri")
    if ref.get("type") == "ref/prompt" and type(name) is str:
        prompt = registry.any_prompt.get(name)
        if prompt is None or not await registry.allows(prompt.module):
            raise InvalidParams(f"unknown prompt: {name!r}")
        return prompt.completions
    if ref.get("type") == "ref/resource" and type(uri) is str:
        resource = registry.templates.get(uri) or registry.resources.get(uri)
        if resource is None or not await registry.allows(resource.module):
            raise InvalidParams(f"no resource or template is known as {uri!r}", {"uri": uri})
        return resource.completions or _NOTHING
    raise InvalidParams('ref must be {"type": "ref/prompt", "name": …} or {"type": "ref/resource", "uri": …}')


def _object(holder: Mapping[str, Any], key: str, default: Mapping[str, Any] | None = None) -> Mapping[str, Any]:
    found = holder.get(key, default)
    if found is None and default is not None:
        return default
    if not isinstance(found, Mapping):
        raise InvalidParams(f"{key} must be an object")
    return found
