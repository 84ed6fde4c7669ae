"""`Fetcher`: JSON documents of other hosts, asked for by strangers and therefore rationed.

A stranger chooses the URL, so each URL is asked once at a time however many wait for it, few at once for one host and for all, and
not again for a while after a failure. Why there is no document is told in one sentence and on the beat of a clock, or the answers
would draw a map of our network. Documents themselves are kept by who asked for them.

State: the failures and the requests under way, both bounded, of this process. Only `_put_off` and a success change the failures.
"""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from importlib import import_module
from time import monotonic
from typing import Any, NamedTuple
from weakref import WeakValueDictionary

from lazyoauth.addresses import Place, place_of
from lazyoauth.errors import TooManyRequests
from lazyoauth.lifetimes import Clock
from lazyoauth.network import Answer, FetchFailed, Network

logger = logging.getLogger("lazyoauth")

MAX_BYTES = 5 * 1024
# A host that answered wrongly will do so again; one that was away may be back sooner.
WRONG_FOR_S, AWAY_FOR_S = 60.0, 30.0
REMEMBERED = 1024
AT_ONCE, AT_ONCE_PER_HOST = 32, 4
# How long a request may wait for its turn, and how many may: a flood must not become a queue.
TURN_S, MAX_WAITING = 5.0, 256
# CWE-208: how soon a name is refused says whether our name service knows it, or who is behind it. Failures are told on this beat.
BEAT_S = 0.25

Get = Callable[[Network, Place, int], Awaitable[Answer]]


class _Failed(NamedTuple):
    reason: str
    is_answer: bool
    until: float


class Fetcher:
    """Fetches JSON by URL. One for a server; documents and keys of clients are the same to it.

    Args:
        now: the clock by which failures are forgotten.
        network: the world that is asked; tests bring their own.
        count: called with the host before each request; it raises `TooManyRequests` when that host was asked often enough.
        pause: waits so many seconds.
    """

    def __init__(
        self,
        now: Clock,
        network: Network | None = None,
        count: Callable[[str], Awaitable[object]] | None = None,
        pause: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        self._now = now
        self._network = network or Network()
        self._count = count
        self._pause = pause
        self._get: Get | None = None
        self._failed: OrderedDict[str, _Failed] = OrderedDict()
        self._under_way: dict[str, asyncio.Task[Answer]] = {}
        self._slots = asyncio.Semaphore(AT_ONCE)
        # Who waits or asks holds its host's semaphore; when nobody does, it is gone.
        self._host_slots: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()

    async def get_json(self, url: str, max_bytes: int = MAX_BYTES) -> Any:
        """The JSON at a URL, see `fetch`."""
        return (await self.fetch(url, max_bytes)).value

    async def fetch(self, url: str, max_bytes: int = MAX_BYTES) -> Answer:
        """The JSON at a URL, and how long it may be kept.

        Args:
            url: one that `addresses.place_of` knows.
            max_bytes: a longer document is refused.

        Raises:
            FetchFailed: there is none. For a while after a failure the same is raised without asking.
            TooManyRequests: the host was asked too often, or too much is under way.
        """
        place = place_of(url)
        if place is None:
            raise FetchFailed("not a URL that is fetched", is_answer=True)
        failed = self._failed.get(url)
        if failed is not None and self._now() < failed.until:
            raise FetchFailed(f"a moment ago: {failed.reason}", is_answer=failed.is_answer)
        task = self._under_way.get(url)
        if task is None:
            if len(self._under_way) >= MAX_WAITING:
                raise _busy()
            task = self._under_way[url] = asyncio.create_task(self._fetch(url, place, max_bytes))
            task.add_done_callback(partial(self._end, url))
        # One who gives up waiting does not end it for the others.
        return await asyncio.shield(task)

    async def _fetch(self, url: str, place: Place, max_bytes: int) -> Answer:
        if self._count is not None:
            await self._count(place.host)
        try:
            async with self._turn(place.host):
                answer = await self._ask(place, max_bytes)
        except FetchFailed as failure:
            self._put_off(url, failure.detail, is_answer=failure.is_answer)
            raise
        self._failed.pop(url, None)
        return answer

    async def _ask(self, place: Place, max_bytes: int) -> Answer:
        """One request. What no host answered fails on the beat, whether a name, an address, a port or silence is the cause."""
        # Loaded in a thread: it holds up the first document, and nobody else.
        get = self._get = self._get or (await asyncio.to_thread(import_module, "lazyoauth.outbound")).get
        began = monotonic()
        try:
            return await get(self._network, place, max_bytes)
        except FetchFailed as failure:
            if not failure.is_answer:
                # Within the turn, and before it is remembered: who asks beside it must not see it end sooner.
                await self._pause((began - monotonic()) % BEAT_S)
            raise

    def put_off(self, url: str, reason: str) -> None:
        """Do not ask for a document again at once: it came, and is of no use."""
        self._put_off(url, reason, is_answer=True)

    def _put_off(self, url: str, reason: str, *, is_answer: bool) -> None:
        logger.info("no document from %s: %s", url, reason)
        self._failed[url] = _Failed(reason, is_answer, self._now() + (WRONG_FOR_S if is_answer else AWAY_FOR_S))
        self._failed.move_to_end(url)
        if len(self._failed) > REMEMBERED:
            self._failed.popitem(last=False)

    def _end(self, url: str, task: asyncio.Task[Answer]) -> None:
        del self._under_way[url]
        if not task.cancelled():
            # Looked at here, for everybody who waited may have gone.
            task.exception()

    @asynccontextmanager
    async def _turn(self, host: str) -> AsyncIterator[None]:
        """A place among the requests of one host, then among all."""
        host_slots = self._host_slots.setdefault(host, asyncio.Semaphore(AT_ONCE_PER_HOST))
        async with AsyncExitStack() as held:
            try:
                async with asyncio.timeout(TURN_S):
                    await held.enter_async_context(host_slots)
                    await held.enter_async_context(self._slots)
            except TimeoutError:
                raise _busy() from None
            yield


def _busy() -> TooManyRequests:
    return TooManyRequests("too many requests, try again later", detail="documents under way")
