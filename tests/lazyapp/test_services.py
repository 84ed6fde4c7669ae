"""Services: declared once, opened in order, closed in reverse, found by type."""

import asyncio
from collections.abc import AsyncIterator, Iterator

import pytest

from lazyapp import services as module
from lazyapp.errors import ClosingError, ConfigurationError, StartupError
from lazyapp.services import Services


class Engine:
    pass


class Accounts:
    def __init__(self, engine: Engine) -> None:
        self.engine = engine


class Mailer:
    pass


async def test_a_factory_gets_the_services_declared_before_it() -> None:
    services = Services()
    services.add(Engine, Engine)
    services.add(Accounts, Accounts)
    async with services.opened():
        assert services.get(Accounts).engine is services.get(Engine)


async def test_it_is_told_what_a_service_asks_for_and_how_long_it_took_to_open() -> None:
    services = Services()
    services.add(Engine, Engine)
    services.add(Accounts, Accounts)
    assert (services.asked_by(Engine), services.asked_by(Accounts)) == ([], [Engine])
    assert not services.opening_ms
    async with services.opened():
        assert list(services.opening_ms) == [Engine, Accounts]
        assert min(services.opening_ms.values()) >= 0
    assert not services.opening_ms


async def test_services_are_closed_in_reverse_and_each_kind_of_factory_works() -> None:
    events: list[str] = []

    async def engine() -> AsyncIterator[Engine]:
        events.append("open engine")
        yield Engine()
        events.append("close engine")

    def mailer(engine: Engine) -> Iterator[Mailer]:
        assert isinstance(engine, Engine)
        events.append("open mailer")
        yield Mailer()
        events.append("close mailer")

    async def accounts(engine: Engine, mailer: Mailer) -> Accounts:
        events.append("open accounts")
        return Accounts(engine)

    services = Services()
    services.add(Engine, engine)
    services.add(Mailer, mailer)
    services.add(Accounts, accounts)
    async with services.opened():
        pass
    assert events == ["open engine", "open mailer", "open accounts", "close mailer", "close engine"]


async def test_an_async_context_manager_is_entered_and_left() -> None:
    events: list[str] = []

    class Store:
        async def __aenter__(self) -> "Store":
            events.append("enter")
            return self

        async def __aexit__(self, *_: object) -> None:
            events.append("leave")

    services = Services()
    services.add(Store, Store)
    async with services.opened():
        assert isinstance(services.get(Store), Store)
    assert events == ["enter", "leave"]


async def test_a_service_that_fails_to_open_names_itself_and_closes_what_was_open() -> None:
    closed: list[str] = []

    async def engine() -> AsyncIterator[Engine]:
        yield Engine()
        closed.append("engine")

    def broken(engine: Engine) -> Accounts:
        raise OSError("disk full")

    services = Services()
    services.add(Engine, engine)
    services.add(Accounts, broken)
    with pytest.raises(StartupError, match="service Accounts: OSError: disk full"):
        async with services.opened():
            pass
    assert closed == ["engine"]
    with pytest.raises(LookupError):
        services.get(Engine)


async def test_services_can_be_opened_twice_in_a_row() -> None:
    services = Services()
    services.add(Engine, Engine)
    async with services.opened():
        first = services.get(Engine)
    async with services.opened():
        assert services.get(Engine) is not first


async def test_what_is_missing_says_where_to_declare_it() -> None:
    services = Services()
    services.add(Accounts, Accounts)
    with pytest.raises(StartupError, match=r"Engine is not a service; declare it with services.add\(Engine"):
        async with services.opened():
            pass


async def test_a_service_that_needs_what_comes_after_the_services_is_told_where_to_ask() -> None:
    services = Services()
    services.reserve(Engine)
    services.add(Accounts, Accounts)
    with pytest.raises(StartupError, match="Engine is there once the services are open; ask for it in a controller"):
        async with services.opened():
            pass


def test_a_type_declared_twice_is_refused() -> None:
    services = Services()
    services.add(Engine, Engine)
    with pytest.raises(ConfigurationError, match="Engine is declared twice"):
        services.add(Engine, Engine)


def test_a_factory_that_cannot_be_called_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="needs a class or function"):
        Services().add(Engine, 7)  # type: ignore[arg-type]


async def test_a_service_a_request_is_one_value_within_it_and_closed_after_it() -> None:
    events: list[str] = []

    async def mailer() -> AsyncIterator[Mailer]:
        events.append("open")
        yield Mailer()
        events.append("close")

    def accounts(engine: Engine, mailer: Mailer) -> Accounts:
        return Accounts(engine)

    services = Services()
    services.add(Engine, Engine)
    services.add(Mailer, mailer, per_request=True)
    services.add(Accounts, accounts, per_request=True)
    async with services.opened():
        with pytest.raises(LookupError, match="once a request"):
            services.get(Mailer)
        async with services.request() as first, services.request() as second:
            assert await first.get(Accounts) is await first.get(Accounts)
            assert await first.get(Mailer) is not await second.get(Mailer)
            assert await first.get(Engine) is await second.get(Engine)
        assert events == ["open", "open", "close", "close"]


async def test_a_request_that_fails_is_heard_by_its_services_so_that_they_roll_back() -> None:
    events: list[str] = []

    async def mailer() -> AsyncIterator[Mailer]:
        try:
            yield Mailer()
        except ValueError:
            events.append("rollback")
            raise
        events.append("commit")

    async def failing() -> None:
        async with services.request() as request:
            await request.get(Mailer)
            raise ValueError("no")

    services = Services()
    services.add(Mailer, mailer, per_request=True)
    async with services.opened():
        async with services.request() as request:
            await request.get(Mailer)
        with pytest.raises(ValueError, match="no"):
            await failing()
    assert events == ["commit", "rollback"]


async def test_pings_report_by_name() -> None:
    async def fine(_: Engine) -> None:
        return None

    def broken(_: Mailer) -> None:
        raise ConnectionError("no route")

    services = Services()
    services.add(Engine, Engine, ping=fine)
    services.add(Mailer, Mailer, ping=broken)
    services.add(Accounts, Accounts)
    async with services.opened():
        assert await services.check() == {"Engine": None, "Mailer": "ConnectionError: no route"}


async def test_stand_ins_may_be_kept_but_not_used() -> None:
    services = Services()
    services.add(Engine, Engine)
    with services.undecided():
        accounts = services.build(Accounts)
        with pytest.raises(StartupError, match=r"\.connect was used while MCP modules were only being listed"):
            _ = accounts.engine.connect  # type: ignore[attr-defined]
    with pytest.raises(LookupError):
        services.get(Engine)


async def test_one_that_cannot_be_closed_is_named_and_keeps_nobody_else_open() -> None:
    """docs/services.md, "Order". What comes after in line was opened before, and others rely on its end."""
    closed: list[str] = []

    async def open_engine() -> AsyncIterator[Engine]:
        yield Engine()
        closed.append("engine")

    def open_mailer(engine: Engine) -> Iterator[Mailer]:
        yield Mailer()
        closed.append("mailer")
        raise ConnectionError("the mail server is away")

    services = Services()
    services.add(Engine, open_engine)
    services.add(Mailer, open_mailer)
    with pytest.raises(ClosingError, match=r"^service Mailer could not be closed: ConnectionError: the mail server is away$"):
        async with services.opened():
            pass
    assert closed == ["mailer", "engine"]
    with pytest.raises(ZeroDivisionError):  # what went wrong before is not hidden by it
        async with services.opened():
            raise ZeroDivisionError


async def test_a_ping_that_hangs_is_an_answer_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kubernetes gives a probe a second by default, and takes no answer for a failure without a name."""
    monkeypatch.setattr(module, "PING_WITHIN_S", 0.01)

    async def hang(engine: Engine) -> None:
        await asyncio.Event().wait()

    services = Services()
    services.add(Engine, Engine, ping=hang)
    services.add(Mailer, Mailer, ping=lambda mailer: None)
    async with services.opened():
        assert await services.check() == {"Engine": "no answer within 0.01 s", "Mailer": None}
