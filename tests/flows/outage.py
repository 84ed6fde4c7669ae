"""A PostgreSQL that can be taken away and given back."""

import asyncio
import signal
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from tests.postgres import DURABLE, find_binaries
from tests.postgres_watcher import START_TIMEOUT_S, Server


class FragilePostgres(Server):
    """One cluster of its own; what was committed is there again after `crash` and `recover`."""

    @property
    def url(self) -> str:
        """What DATABASE_URL is for it."""
        return f"postgresql+asyncpg://postgres@/postgres?host={self.folder}"

    def crash(self) -> None:
        """End every process of it at once, as when the machine goes."""
        assert self.process is not None
        self.process.send_signal(signal.SIGQUIT)
        self.process.wait()

    def recover(self) -> None:
        """Start it on the data that it had; returns when it takes connections again."""
        data = self.folder / "data"
        (data / "postmaster.pid").unlink(missing_ok=True)
        options = ("listen_addresses=", f"unix_socket_directories={self.folder}", *self.options)
        flags = [flag for option in options for flag in ("-c", option)]
        self.process = self._spawn("postgres", "-D", str(data), *flags)
        deadline = time.monotonic() + START_TIMEOUT_S
        state = data / "postmaster.pid"
        # The last word of the file once it is complete; until then it may be empty.
        while not (state.exists() and state.read_text().split()[-1:] == ["ready"]):
            assert self.process.poll() is None, self.log.read_text()
            assert time.monotonic() < deadline
            time.sleep(0.02)


@asynccontextmanager
async def fragile_postgres() -> AsyncIterator[FragilePostgres]:
    """Running for the time of the block."""
    server = FragilePostgres(find_binaries(), DURABLE)
    try:
        await asyncio.to_thread(server.start)
        yield server
    finally:
        await asyncio.to_thread(server.stop)
