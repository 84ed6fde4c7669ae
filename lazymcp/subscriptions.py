"""`subscriptions/listen`: a stream that says which lists, resources and tasks have changed.

The first event acknowledges what of the wish is granted; what follows keeps to that and bears the id of the request. The stream
ends when the client leaves, or with a result when the server stops (`streams.py`). MCP 2026-07-28, basic/patterns/subscriptions.

What a caller may not read is left out of the acknowledgement like what does not exist, and the caller's right is looked at again
when a resource changes: an authorizer may have changed its mind since.
"""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Mapping
from contextvars import Context as Variables
from contextvars import copy_context
from dataclasses import dataclass
from typing import Any, Final, Protocol, cast

from lazymcp.context import Context, Link
from lazymcp.errors import InvalidParams, MethodNotFound
from lazymcp.jsonrpc import RequestId
from lazymcp.news import PROMPTS, RESOURCES, TOOLS, Key, resource_key, task_key
from lazymcp.registry import Registry
from lazymcp.streams import ClientLeft, LongLink

__all__ = ["MAX_WATCHED", "SUBSCRIPTION_KEY", "listener"]

SUBSCRIPTION_KEY: Final = "io.modelcontextprotocol/subscriptionId"

# What one stream watches at most, of resources and of tasks; the acknowledgement tells what is left out.
MAX_WATCHED: Final = 1_000
# Nobody waits long for a client that does not read.
LAST_WORD_S: Final = 1.0

_LISTS: Final[Mapping[str, Key]] = {"toolsListChanged": TOOLS, "promptsListChanged": PROMPTS, "resourcesListChanged": RESOURCES}

IsReadable = Callable[[Registry, str], Awaitable[bool]]
OwnsTask = Callable[[Registry, Context, str], Awaitable[bool]]
Method = Callable[[Registry, dict[str, Any], Context], Awaitable[dict[str, Any]]]

log = logging.getLogger("lazymcp.subscriptions")


class _StreamLink(Link, LongLink, Protocol):
    """A link whose request can be a stream."""

    request_id: RequestId | None

    def prolong(self) -> None:
        """Announce it, before anything is waited for."""


@dataclass(frozen=True, slots=True)
class _Wish:
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
            tuple([uri for uri in wish.uris if await is_readable(registry, uri)]),
            tuple([task_id for task_id in wish.tasks if await owns_task(registry, ctx, task_id)]),
        )
        # A stream lives long, and what its request said has been read.
        params.clear()
        ctx.meta = ctx.client = ctx.capabilities = {}
        subscription = _Subscription(stream, lambda uri: is_readable(registry, uri))
        stop = registry.news.watch(_keys(granted), subscription)
        try:
            await subscription.open(granted)
            if not await registry.streams.hold(stream):
                raise ClientLeft
            if not await subscription.finish():
                raise ClientLeft
        finally:
            stop()
            subscription.close()
        return {"_meta": {SUBSCRIPTION_KEY: stream.request_id}}

    return listen


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
    return tuple(dict.fromkeys(listed))[:MAX_WATCHED]


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


class _Subscription:
    """One stream of notifications: a `news.Reader`.

    State: what waits to be written, one item at most for each thing that is watched. While something is written a task does it;
    an idle subscription has none.
    """

    __slots__ = ("_is_open", "_is_readable", "_link", "_pen", "_variables", "_waiting")

    def __init__(self, link: _StreamLink, is_readable: Callable[[str], Awaitable[bool]]) -> None:
        self._link = link
        self._is_readable = is_readable
        # News arrives in the context of whoever published it; rights are those of the subscriber.
        self._variables: Variables = copy_context()
        self._waiting: dict[Key, tuple[str, Mapping[str, Any]]] | None = None
        self._pen: asyncio.Task[None] | None = None
        self._is_open = False

    async def open(self, granted: _Wish) -> None:
        """Acknowledge; what was heard meanwhile follows."""
        told: dict[str, Any] = dict.fromkeys(granted.lists, True)
        if granted.uris:
            told["resourceSubscriptions"] = list(granted.uris)
        if granted.tasks:
            told["taskIds"] = list(granted.tasks)
        await self._tell("notifications/subscriptions/acknowledged", {"notifications": told})
        self._is_open = True
        self._take_pen()

    def hear(self, key: Key, method: str, params: Mapping[str, Any], /) -> None:
        """Take a notification; it goes out as soon as the client has read what came before."""
        if self._waiting is None:
            self._waiting = {}
        self._waiting[key] = (method, params)
        if self._is_open and self._pen is None:
            self._take_pen()

    async def finish(self) -> bool:
        """Let what is being written reach the client; whether it did, and the client may hear a last word."""
        pen = self._pen
        return pen is None or bool((await asyncio.wait([pen], timeout=LAST_WORD_S))[0])

    def close(self) -> None:
        """Write nothing more."""
        self._is_open = False
        if self._pen is not None:
            self._pen.cancel()

    def _take_pen(self) -> None:
        if self._waiting:
            self._pen = asyncio.get_running_loop().create_task(self._write(), context=self._variables.copy())

    async def _write(self) -> None:
        while self._waiting:
            key = next(iter(self._waiting))
            method, params = self._waiting.pop(key)
            try:
                if key[0] != "resource" or await self._is_readable(key[1]):
                    await self._tell(method, params)
            except Exception:
                log.exception("a notification of %r was lost", key[0])
        self._waiting = self._pen = None

    async def _tell(self, method: str, params: Mapping[str, Any]) -> None:
        meta = {**params.get("_meta", {}), SUBSCRIPTION_KEY: self._link.request_id}
        with contextlib.suppress(ConnectionError):
            await self._link.notify(method, {**params, "_meta": meta})
