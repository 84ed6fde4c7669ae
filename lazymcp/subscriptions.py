"""`subscriptions/listen`: a stream that says which lists, resources and tasks have changed.

The first event acknowledges what of the wish is granted; what follows keeps to that and bears the id of the request. The stream
ends when the client leaves, or with a result when the server stops (`streams.py`). MCP 2026-07-28, basic/patterns/subscriptions.

What a caller may not read is left out of the acknowledgement like what does not exist, and the caller's right is looked at again
when a resource changes: an authorizer may have changed its mind since.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any, Final, NamedTuple, Protocol, cast

from lazymcp.context import Context, Link
from lazymcp.errors import InvalidParams, MethodNotFound
from lazymcp.jsonrpc import RequestId
from lazymcp.news import PROMPTS, RESOURCES, TOOLS, Key, resource_key, task_key
from lazymcp.pen import Pen
from lazymcp.registry import Registry
from lazymcp.streams import ClientLeft, LongLink

__all__ = ["MAX_WATCHED", "SUBSCRIPTION_KEY", "listener"]

SUBSCRIPTION_KEY: Final = "io.modelcontextprotocol/subscriptionId"

# What one stream watches at most, of resources and of tasks; the acknowledgement tells what is left out.
MAX_WATCHED: Final = 1_000
# Longer names are left out too: what is watched lies in memory for as long as the stream.
MAX_LENGTH: Final = 2_048

_LISTS: Final[Mapping[str, Key]] = {"toolsListChanged": TOOLS, "promptsListChanged": PROMPTS, "resourcesListChanged": RESOURCES}

IsReadable = Callable[[Registry, str], Awaitable[bool]]
OwnsTask = Callable[[Registry, Context, str], Awaitable[bool]]
Method = Callable[[Registry, dict[str, Any], Context], Awaitable[dict[str, Any]]]


class _StreamLink(Link, LongLink, Protocol):
    """A link whose request can be a stream."""

    request_id: RequestId | None

    def prolong(self) -> None:
        """Announce it, before anything is waited for."""


class _Wish(NamedTuple):
    """A filter that can be trusted: which lists, which URIs, which tasks."""

    lists: tuple[str, ...]
    uris: tuple[str, ...]
    tasks: tuple[str, ...]


def listener(is_readable: IsReadable, owns_task: OwnsTask) -> Method:
    """The method that answers `subscriptions/listen`.

    Args:
        is_readable: whether the caller may read what stands under a URI.
        owns_task: whether a task is the caller's.
    """

    async def listen(registry: Registry, params: dict[str, Any], ctx: Context) -> dict[str, Any]:
        link = ctx.link
        if not hasattr(link, "prolong"):
            raise MethodNotFound("subscriptions/listen cannot be called from here")
        stream = cast(_StreamLink, link)
        stream.prolong()
        wish = _read(params)
        granted = _Wish(
            _offered(registry, wish.lists),
            tuple([uri for uri in wish.uris if await _in_turn(is_readable(registry, uri))]),
            tuple([task_id for task_id in wish.tasks if await owns_task(registry, ctx, task_id)]),
        )
        # A stream lives long, and what its request said has been read.
        params.clear()
        ctx.meta = ctx.client = ctx.capabilities = {}
        tell = partial(_tell, stream)
        pen = Pen(partial(is_readable, registry), tell, is_held=True)
        stop = registry.news.watch(_keys(granted), pen)
        try:
            await tell("notifications/subscriptions/acknowledged", _acknowledged(granted))
            pen.release()
            if not await registry.streams.hold(stream) or not await pen.finish():
                raise ClientLeft
        finally:
            stop()
            pen.close()
        return {"_meta": {SUBSCRIPTION_KEY: stream.request_id}}

    return listen


async def _in_turn(asked: Awaitable[bool]) -> bool:
    """The answer to one of many questions; whoever else waits for the event loop comes in between."""
    await asyncio.sleep(0)
    return await asked


def _read(params: Mapping[str, Any]) -> _Wish:
    """The filter of a request.

    Raises:
        InvalidParams: it is missing or malformed. Keys that nobody knows are extensions, and not granted.
    """
    wish = params.get("notifications")
    if type(wish) is not dict:
        raise InvalidParams("subscriptions/listen needs notifications, an object that says what to hear of")
    for name in _LISTS:
        if type(wish.get(name, False)) is not bool:
            raise InvalidParams(f"notifications.{name} must be true or false")
    lists = tuple(name for name in _LISTS if wish.get(name))
    return _Wish(lists, _strings(wish, "resourceSubscriptions"), _strings(wish, "taskIds"))


def _strings(wish: Mapping[str, Any], name: str) -> tuple[str, ...]:
    listed = wish.get(name, [])
    if type(listed) is not list or not all(type(item) is str for item in listed):
        raise InvalidParams(f"notifications.{name} must be a list of strings")
    return tuple(dict.fromkeys(item for item in listed if len(item) <= MAX_LENGTH))[:MAX_WATCHED]


def _offered(registry: Registry, lists: tuple[str, ...]) -> tuple[str, ...]:
    has = {
        "toolsListChanged": bool(registry.tools),
        "promptsListChanged": bool(registry.prompts),
        "resourcesListChanged": bool(registry.resources or registry.templates),
    }
    return tuple(name for name in lists if has[name])


def _keys(granted: _Wish) -> tuple[Key, ...]:
    return (
        *(_LISTS[name] for name in granted.lists),
        *(resource_key(uri) for uri in granted.uris),
        *(task_key(task_id) for task_id in granted.tasks),
    )


def _acknowledged(granted: _Wish) -> dict[str, Any]:
    told: dict[str, Any] = dict.fromkeys(granted.lists, True)
    if granted.uris:
        told["resourceSubscriptions"] = list(granted.uris)
    if granted.tasks:
        told["taskIds"] = list(granted.tasks)
    return {"notifications": told}


async def _tell(link: _StreamLink, method: str, params: dict[str, Any]) -> None:
    meta = {**params.get("_meta", {}), SUBSCRIPTION_KEY: link.request_id}
    with contextlib.suppress(ConnectionError):
        await link.notify(method, {**params, "_meta": meta})
