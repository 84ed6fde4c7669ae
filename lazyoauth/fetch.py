"""`Fetcher`: JSON documents of other hosts, asked for by strangers and therefore rationed.

A stranger chooses the URL, so each URL is asked once at a time however many wait for it, few at once for one host and for all, and
not again for a while after a failure. What was read is kept as long as its host says, between a minute and a day; when the host is
away it is used for up to a day, because nobody should lose a login to another company's outage.

State: the documents, the failures and the requests under way, all bounded and all of this process. Only `_fetch` changes them.
"""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any, TypeVar
from weakref import WeakValueDictionary

from lazyoauth.addresses import Place, place_of
from lazyoauth.errors import TooManyRequests
from lazyoauth.lifetimes import Clock
from lazyoauth.outbound import FetchFailed, Network, get

logger = logging.getLogger("lazyoauth")

MAX_BYTES = 5 * 1024
MIN_KEPT_S, USUALLY_KEPT_S, MAX_KEPT_S = 60.0, 300.0, 86_400.0
FAILED_FOR_S, AWAY_FOR_S = 60.0, 30.0
REMEMBERED = 512
AT_ONCE, AT_ONCE_PER_HOST = 32, 4
# How long a request may wait for its turn, and how many may: a flood must not become a queue.
TURN_S, MAX_WAITING = 5.0, 256

V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class _Kept:
    value: Any
    at: float
    until: float


@dataclass(frozen=True, slots=True)
class _Failed:
    reason: str
    is_answer: bool
    until: float


class Fetcher:
    """Fetches JSON by URL. One for a server; documents and keys of clients are the same to it.

    Args:
        now: the clock by which documents grow old.
        network: the world that is asked; tests bring their own.
        count: called with the host before each request; it raises `TooManyRequests` when that host was asked often enough.
    """

    def __init__(self, now: Clock, network: Network | None = None, count: Callable[[str], Awaitable[object]] | None = None) -> None:
        self._now = now
        self._network = network or Network()
        self._count = count
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        # Apart from the documents, so that a flood of made-up URLs pushes out other made-up URLs only.
        self._failed: OrderedDict[str, _Failed] = OrderedDict()
        self._under_way: dict[str, asyncio.Task[Any]] = {}
        self._slots = asyncio.Semaphore(AT_ONCE)
        # One who waits holds its host's semaphore; when nobody does, it is gone.
        self._host_slots: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()

    async def get_json(self, url: str, max_bytes: int = MAX_BYTES, *, max_age_s: float = MAX_KEPT_S) -> Any:
        """The JSON at a URL, from memory if it is fresh.

        Args:
            url: see `addresses.place_of`.
            max_bytes: a longer document is refused.
            max_age_s: ask again if what is known is older; for keys that must have changed.

        Raises:
            FetchFailed: there is none; the text is for the log.
            TooManyRequests: its host was asked too often, and nothing is known.
        """
        place = place_of(url)
        if place is None:
            raise FetchFailed("not a URL that is fetched", is_answer=True)
        kept = self._kept.get(url)
        if kept is not None and self._now() < min(kept.until, kept.at + max_age_s):
            self._kept.move_to_end(url)
            return kept.value
        failed = self._failed.get(url)
        if failed is not None and self._now() < failed.until:
            return self._in_place_of(url, FetchFailed(failed.reason, is_answer=failed.is_answer))
        task = self._under_way.get(url)
        if task is None:
            task = self._under_way[url] = asyncio.create_task(self._fetch(url, place, max_bytes))
            task.add_done_callback(lambda _: self._under_way.pop(url, None))
        # One who gives up waiting does not end it for the others.
        return await asyncio.shield(task)

    async def _fetch(self, url: str, place: Place, max_bytes: int) -> Any:
        try:
            return await self._ask(url, place, max_bytes)
        except TooManyRequests:
            if (kept := self._usable(url)) is not None:
                return kept.value
            raise
        except FetchFailed as failure:
            wait_s = FAILED_FOR_S if failure.is_answer else AWAY_FOR_S
            _remember(self._failed, url, _Failed(str(failure), failure.is_answer, self._now() + wait_s))
            logger.info("no document from %s: %s", url[:200], failure)
            return self._in_place_of(url, failure)

    async def _ask(self, url: str, place: Place, max_bytes: int) -> Any:
        if len(self._under_way) > MAX_WAITING:
            raise _busy()
        if self._count is not None:
            await self._count(place.host)
        async with self._turn(place.host):
            answer = await get(self._network, place, max_bytes)
        at = self._now()
        kept_s = USUALLY_KEPT_S if answer.max_age_s is None else min(max(answer.max_age_s, MIN_KEPT_S), MAX_KEPT_S)
        self._failed.pop(url, None)
        _remember(self._kept, url, _Kept(answer.value, at, at + kept_s))
        return answer.value

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

    def _in_place_of(self, url: str, failure: FetchFailed) -> Any:
        """What was known before, if the host is merely away; what the host itself took back is gone."""
        if failure.is_answer:
            self._kept.pop(url, None)
        elif (kept := self._usable(url)) is not None:
            return kept.value
        raise failure

    def _usable(self, url: str) -> _Kept | None:
        kept = self._kept.get(url)
        return kept if kept is not None and self._now() < kept.at + MAX_KEPT_S else None


def _busy() -> TooManyRequests:
    return TooManyRequests("too many requests, try again later", detail="documents under way")


def _remember(memory: OrderedDict[str, V], url: str, value: V) -> None:
    memory[url] = value
    memory.move_to_end(url)
    if len(memory) > REMEMBERED:
        memory.popitem(last=False)
