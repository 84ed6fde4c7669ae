"""lazyapp/serving/server.py: the order of an end. SIGTERM itself, in real processes, is in tests/flows/test_drain.py."""

import asyncio
import signal
import socket
from collections.abc import AsyncIterator, Iterator

import httpx2
import pytest
import uvicorn

from lazyapp.app import App
from lazyapp.config import Config
from lazyapp.services import Services
from lazyapp.serving.link import Grace
from lazyapp.serving.server import Server
from lazyapp.settings import Settings


@pytest.fixture(autouse=True)
def own_signals() -> Iterator[None]:
    """A serving process keeps its handler; this one does not."""
    former = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, former)


def make(app: App, grace: Grace) -> tuple[Server, asyncio.Event]:
    up = asyncio.Event()
    return Server(uvicorn.Config(app, log_config=None, lifespan="on"), app, grace, lambda server: up.set()), up


async def test_while_it_answers_on_it_is_not_ready_and_asks_for_no_second_request() -> None:
    """RFC 9112, section 9.6: `close` says that there will be no other response on this connection."""
    app = App(Config(name="ending"), settings=Settings(env="test"))
    server, up = make(app, Grace(requests_s=1, process_s=5, delay_s=2))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        origin = f"http://127.0.0.1:{listener.getsockname()[1]}"
        running = asyncio.create_task(server.serve([listener]))
        await up.wait()
        async with httpx2.AsyncClient() as client:
            before = await client.get(f"{origin}/readyz")
            assert (before.status_code, before.headers.get("connection")) == (200, None)
            server.should_exit = True
            while not app.is_draining:
                await asyncio.sleep(0.01)
            during = await client.get(f"{origin}/readyz")
            assert (during.status_code, during.headers["connection"]) == (503, "close")
            assert during.headers["date"]
            await running
            with pytest.raises(httpx2.ConnectError):
                await client.get(f"{origin}/readyz")


async def test_a_service_that_cannot_be_closed_is_kept_as_the_failure_and_not_logged_as_a_traceback(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Design 3: what fails names itself."""

    class Mailer:
        pass

    async def opened() -> AsyncIterator[Mailer]:
        yield Mailer()
        raise ConnectionError("the mail server is away")

    def depend(services: Services) -> None:
        services.add(Mailer, opened)

    app = App(Config(name="ending", dependencies=depend), settings=Settings(env="test"))
    server, up = make(app, Grace(requests_s=1, process_s=5))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        running = asyncio.create_task(server.serve([listener]))
        await up.wait()
        server.should_exit = True
        await running
    assert "service Mailer could not be closed: ConnectionError: the mail server is away" in str(server.failure)
    assert "Traceback" not in caplog.text


async def test_a_second_signal_does_not_cut_off_the_closing_that_the_first_began() -> None:
    """A terminal signals every process, and the supervisor each of its own: whoever opens hears SIGTERM twice."""
    closed: list[bool] = []

    class Held:
        """Open for ever."""

    async def hold() -> AsyncIterator[Held]:
        try:
            server.handle_exit(signal.SIGTERM, None)
            await asyncio.Event().wait()
        finally:
            server.handle_exit(signal.SIGTERM, None)
            for _ in range(10):
                await asyncio.sleep(0)
            closed.append(True)
        yield Held()

    def declare(services: Services) -> None:
        services.add(Held, hold)

    app = App(Config(name="ending", dependencies=declare), settings=Settings(env="test"))
    server, _ = make(app, Grace(requests_s=1, process_s=5))
    server.config.load()
    server.lifespan = server.config.lifespan_class(server.config)
    with pytest.raises(SystemExit):
        await server.startup([])
    assert closed == [True]
