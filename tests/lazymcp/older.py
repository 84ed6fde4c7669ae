"""Servers of several processes, as older clients meet them: endpoints on one bus, with one secret."""

import asyncio
from typing import Any

from lazymcp import Base, Context, Options, Scope, tool
from lazymcp.bus import BACK, Bus, BusUnavailable, MemoryBus
from tests.lazymcp.asgi_peer import OLDER, Peer


class Worker(Base):
    """Tools that take their time, and resources that change."""

    name = ""

    def __init__(self) -> None:
        self.started = asyncio.Event()
        self.go_on = asyncio.Event()
        self.cancelled = asyncio.Event()

    @tool
    async def ask(self, ctx: Context) -> str:
        """Ask the client for its roots, by the bare request."""
        return str(await ctx.link.request("roots/list", {}))

    @tool
    async def wait(self, ctx: Context, talk: bool = False) -> str:
        """Wait to be let on."""
        if talk:
            await ctx.log("begun")
        self.started.set()
        try:
            await self.go_on.wait()
        except asyncio.CancelledError:
            self.cancelled.set()
            raise
        if talk:
            await ctx.log("let on")
        return "done"

    @tool
    async def poll(self, ctx: Context, times: int = 1) -> str:
        """Send the client away, and wait for what the test does."""
        for _ in range(times):
            self.go_on.clear()
            await ctx.close_stream(retry_ms=50)
            self.started.set()
            await self.go_on.wait()
        return "done"

    @tool
    async def talk(self, ctx: Context) -> str:
        """Say something at each level."""
        for level in ("debug", "info", "warning", "error"):
            await ctx.log(level, level)
        return "said"


class Alone(MemoryBus):
    """A bus whose database can be away: the listeners of the publisher's own process hear all the same, as with `PostgresBus`."""

    is_away = False

    async def publish(self, topic: str, message: Any, /) -> None:
        self.tell(topic, message)
        if self.is_away:
            raise BusUnavailable("no database")


class Server:
    """Processes of one server.

    Attributes:
        bus: what joins them.
        scopes, workers, peers: of each process; the peers share a session once `meet` has been called.
    """

    def __init__(self, count: int = 2, era: str = OLDER[0], bus: Bus | None = None, more: tuple[Base, ...] = (), **options: Any):
        self.bus = bus or MemoryBus()
        self.era = era
        self.options = {"secret": "secret", "bus": self.bus, **options}
        self.more = more
        self.scopes: list[Scope] = []
        self.workers: list[Worker] = []
        self.peers: list[Peer] = []
        for _ in range(count):
            self.start()

    def start(self) -> Peer:
        """One process more; its client is in the session of the others."""
        scope, worker = Scope(Options(**self.options)), Worker()
        scope.register(worker, *self.more)
        peer = Peer(scope.asgi(), self.era)
        self.scopes.append(scope)
        self.workers.append(worker)
        self.peers.append(peer)
        peer.headers = self.peers[0].headers
        return peer

    async def meet(self, process: int = 0, **more: Any) -> list[Peer]:
        """Shake hands with one process, and go on with all."""
        await self.peers[process].initialize(**more)
        for peer in self.peers:
            peer.headers = self.peers[process].headers
        return self.peers

    def topics(self) -> set[str]:
        """What is listened to besides what every process does."""
        assert isinstance(self.bus, MemoryBus)
        return {topic.partition(":")[0] for topic in self.bus._topics} - {"older", BACK}
