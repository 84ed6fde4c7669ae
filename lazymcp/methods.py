"""The methods of MCP, one small function each, and the table that names them.

Every method takes the registry, the request's params and its context, and returns the bare result; `answer` completes it. They
speak 2026-07-28 and know no transport. A new method is one function and one row.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final, NamedTuple

from lazymcp import lists, replay
from lazymcp.asking import InputRequired
from lazymcp.completion_methods import complete_argument
from lazymcp.context import Context
from lazymcp.errors import InternalError, InvalidParams, MethodNotFound, ResourceNotFound
from lazymcp.page_meta import can_show_pages
from lazymcp.protocol import SKILLS_EXTENSION, TASKS_EXTENSION, UI_EXTENSION, VERSION, Prepared, Structured, complete, string_param
from lazymcp.registry import Registry, require_scopes
from lazymcp.resources import Resource
from lazymcp.skill_methods import get_skill, read_directory, read_index
from lazymcp.subscriptions import listener
from lazymcp.task_methods import cancel_task, get_task, owns_task, update_task

__all__ = ["METHODS", "Method", "answer", "capabilities", "is_readable", "routing_param"]

Handle = Callable[[Registry, dict[str, Any], Context], Awaitable[dict[str, Any]]]


class Method(NamedTuple):
    """A row of the table.

    Attributes:
        handle: what answers it.
        ttl_ms: how long clients may keep the answer; None for methods that are never kept.
        routed_by: the param that the header `Mcp-Name` repeats, or "".
        may_ask: whether the client may be asked something before it is answered. MCP 2026-07-28, basic/patterns/mrtr.
    """

    handle: Handle
    ttl_ms: int | None = None
    routed_by: str = ""
    may_ask: bool = False


async def answer(registry: Registry, name: str, params: dict[str, Any], ctx: Context) -> dict[str, Any]:
    """The complete result of a request, or what the client must be asked first.

    Raises:
        MCPError: what the peer did wrong.
        Forbidden: the token lacks a scope that a tool declares.
    """
    method = METHODS.get(name)
    if method is None:
        raise MethodNotFound(f"there is no method {name!r}")
    if ("requestState" in params or "inputResponses" in params) and method.may_ask and ctx.asker is replay.FIRST:
        ctx.asker = replay.resume(registry.states, name, params)
    try:
        result = await method.handle(registry, params, ctx)
    except InputRequired as stop:
        if not method.may_ask or not isinstance(ctx.asker, replay.First):
            raise InternalError(f"{name} cannot ask the client anything") from stop
        return {**replay.suspend(registry.states, name, params, ctx.asker, stop), "_meta": registry.server}
    if type(result) is Structured and not result:
        result.ending = registry.ending
        return result
    if type(result) is Prepared:
        return result
    return complete(result, registry.server, method.ttl_ms, "private")


def capabilities(registry: Registry) -> dict[str, Any]:
    """What the server offers, as `server/discover` and the older `initialize` tell."""
    has_resources = bool(registry.resources or registry.templates)
    extensions: dict[str, Any] = {}
    if registry.apps:
        extensions[UI_EXTENSION] = {}
    if registry.skills:
        extensions[SKILLS_EXTENSION] = {"directoryRead": True}
    found: dict[str, Any] = {}
    if registry.tools:
        found["tools"] = {"listChanged": True}
    if has_resources:
        found["resources"] = {"subscribe": True, "listChanged": True}
    if registry.prompts:
        found["prompts"] = {"listChanged": True}
    if registry.completes:
        found["completions"] = {}
    return {**found, "extensions": extensions} if extensions else found


async def discover(registry: Registry, params: dict[str, Any], ctx: Context) -> dict[str, Any]:
    """`server/discover`. MCP 2026-07-28, server/discover."""
    # Log messages go to whoever asks for them in `_meta`; older clients would ask by a method that is not served.
    offered = {**capabilities(registry), "logging": {}}
    if registry.tasks is not None:
        offered["extensions"] = {**offered.get("extensions", {}), TASKS_EXTENSION: {}}
    found: dict[str, Any] = {"supportedVersions": [VERSION], "capabilities": offered}
    if registry.is_open():
        found["cacheScope"] = "public"
    if registry.options.instructions:
        found["instructions"] = registry.options.instructions
    return found


async def call_tool(registry: Registry, params: dict[str, Any], ctx: Context) -> dict[str, Any]:
    """`tools/call`. An unknown tool is the client's mistake, a failing one is news for the model. MCP 2026-07-28, server/tools."""
    name = params.get("name")
    tool = registry.any_tool.get(name) if type(name) is str else None
    is_known = tool is not None and (registry.is_open() or await registry.allows(tool.module))
    # SEP-1865, "Visibility": what only pages may call does not exist for a client without pages.
    if tool is None or not is_known or (tool.is_for_pages and not can_show_pages(ctx)):
        raise InvalidParams(f"unknown tool: {name!r}")
    if tool.scopes:
        require_scopes(tool.scopes)
    if tool.task and registry.tasks is not None:
        return await registry.tasks.call(tool, _arguments(params), ctx)
    return await tool.call(_arguments(params), ctx)


async def get_prompt(registry: Registry, params: dict[str, Any], ctx: Context) -> dict[str, Any]:
    """`prompts/get`. MCP 2026-07-28, server/prompts."""
    name = params.get("name")
    prompt = registry.any_prompt.get(name) if type(name) is str else None
    if prompt is None or not await registry.allows(prompt.module):
        raise InvalidParams(f"unknown prompt: {name!r}")
    return await prompt.get(_arguments(params), ctx)


async def read_resource(registry: Registry, params: dict[str, Any], ctx: Context) -> dict[str, Any]:
    """`resources/read`: an exact URI first, then the templates in order of registration. MCP 2026-07-28, server/resources."""
    uri = string_param(params, "uri")
    if uri == lists.INDEX_URI and (index := await read_index(registry, uri)):
        return {"contents": index}
    resource, variables = await _find_resource(registry, uri)
    result: dict[str, Any] = {"contents": await resource.read(uri, variables, ctx)}
    if resource.ttl_ms:
        result["ttlMs"] = resource.ttl_ms
    if resource.is_public and registry.is_open():
        result["cacheScope"] = "public"
    return result


async def _find_resource(registry: Registry, uri: str) -> tuple[Resource, dict[str, Any]]:
    exact = registry.resources.get(uri)
    if exact is not None and await registry.allows(exact.module):
        return exact, {}
    for resource in registry.templates.values():
        variables = resource.template.match(uri) if resource.template else None
        if variables is not None and await registry.allows(resource.module):
            return resource, dict(variables)
    other = registry.directories.canonical(uri)
    # A file of a skill under another spelling of its escapes.
    if other is not None and await registry.allows(registry.resources[other].module):
        return registry.resources[other], {}
    raise ResourceNotFound(uri)


async def is_readable(registry: Registry, uri: str) -> bool:
    """Whether the caller may read what stands under a URI."""
    if uri == lists.INDEX_URI and await read_index(registry, uri):
        return True
    try:
        await _find_resource(registry, uri)
    except ResourceNotFound:
        return False
    return True


def _arguments(params: dict[str, Any]) -> dict[str, Any]:
    arguments = params.get("arguments")
    if arguments is None:
        return {}
    if type(arguments) is not dict:
        raise InvalidParams("arguments must be an object")
    return arguments


METHODS: Final[Mapping[str, Method]] = {
    "server/discover": Method(discover, ttl_ms=lists.LIST_TTL_MS),
    "subscriptions/listen": Method(listener(is_readable, owns_task)),
    "tools/list": Method(lists.TOOLS),
    "tools/call": Method(call_tool, routed_by="name", may_ask=True),
    "resources/list": Method(lists.RESOURCES),
    "resources/templates/list": Method(lists.TEMPLATES),
    "resources/read": Method(read_resource, ttl_ms=0, routed_by="uri", may_ask=True),
    "resources/directory/read": Method(read_directory),
    "prompts/list": Method(lists.PROMPTS),
    "prompts/get": Method(get_prompt, routed_by="name", may_ask=True),
    "completion/complete": Method(complete_argument),
    "tasks/get": Method(get_task, routed_by="taskId"),
    "tasks/update": Method(update_task, routed_by="taskId"),
    "tasks/cancel": Method(cancel_task, routed_by="taskId"),
    "skills/list": Method(lists.SKILLS),
    "skills/get": Method(get_skill, ttl_ms=lists.LIST_TTL_MS),
}


def routing_param(method: str) -> str:
    """The param that a client repeats in the header `Mcp-Name` when it asks for this method; "" where there is none."""
    return METHODS[method].routed_by if method in METHODS else ""
