"""Services by type: declared when the application is made, opened in order when it starts, closed in reverse.

Nothing below `lazyapp` knows this file. State lives in one `Services` per application: the declarations never change after
construction, the opened values exist only inside `opened()`, and only `opened()` writes them.
"""

import asyncio
import inspect
import logging
import time
import typing
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from lazyapp.errors import ClosingError, ConfigurationError, StartupError

logger = logging.getLogger("lazyapp")

T = TypeVar("T")
# Whoever asks whether this process is ready waits a few seconds at most.
PING_WITHIN_S = 2.0

Ping = Callable[[Any], Awaitable[object] | object]


@dataclass(frozen=True, slots=True)
class Service:
    """One declaration: what is looked up, and what makes it."""

    kind: type[Any]
    factory: Callable[..., Any]
    ping: Ping | None
    per_request: bool

    @property
    def name(self) -> str:
        """The type's name, as errors and `/readyz` show it."""
        return self.kind.__name__


class Services:
    """The application's services.

    A factory is a class, a function, a coroutine function or a generator of either kind (what follows `yield` is clean-up); its
    parameters are services declared before it, found by annotation. A value that is an async context manager is entered. The
    generator of a request's service hears the request's error at its `yield`; an application's is resumed however the run ended.
    """

    def __init__(self) -> None:
        self._declared: dict[type[Any], Service] = {}
        self._reserved: set[type[Any]] = set()
        self._asked: set[type[Any]] = set()
        self._values: dict[type[Any], Any] = {}
        self._watched: dict[str, Callable[[], Awaitable[str | None]]] = {}
        self._opening_ms: dict[type[Any], float] = {}

    def add(self, kind: type[T], factory: Callable[..., Any], *, ping: Ping | None = None, per_request: bool = False) -> None:
        """Declare a service.

        Args:
            kind: the type that constructors and actions ask for; it may be a Protocol that the factory's value satisfies.
            factory: makes the value; see the class.
            ping: called with the value by `/readyz`; raises when the service cannot serve.
            per_request: one value a request instead of one for the application.

        Raises:
            ConfigurationError: the type was declared before, or the factory cannot be called.
        """
        if kind in self._declared or kind in self._reserved:
            raise ConfigurationError(
                f"{kind.__name__} is declared twice in dependencies(); keep one services.add({kind.__name__}, …)."
            )
        if not callable(factory):
            raise ConfigurationError(f"services.add({kind.__name__}, …) needs a class or function that makes one, not {factory!r}.")
        self._declared[kind] = Service(kind, factory, ping, per_request)

    def reserve(self, *kinds: type[Any]) -> None:
        """Name types whose values the framework gives at each start: its settings, its database engine and what it serves."""
        self._reserved.update(kinds)

    def give(self, kind: type[T], value: T) -> None:
        """Hand in the value of a reserved type; whoever opened it closes it."""
        self._values[kind] = value

    def watch(self, name: str, ask: Callable[[], Awaitable[str | None]]) -> None:
        """Let `check` tell of something that is no service, until the services are closed.

        Args:
            name: as `/readyz` shows it.
            ask: answers what is wrong, or None.
        """
        self._watched[name] = ask

    @property
    def declared(self) -> Mapping[type[Any], Service]:
        """Every declaration, in order."""
        return self._declared

    def knows(self, kind: object) -> bool:
        """Whether a parameter of this type is a service."""
        return isinstance(kind, type) and (kind in self._declared or kind in self._reserved)

    def is_per_request(self, kind: type[Any]) -> bool:
        """Whether each request has one of its own."""
        declared = self._declared.get(kind)
        return declared is not None and declared.per_request

    @property
    def opening_ms(self) -> Mapping[type[Any], float]:
        """How long each of the application's services took to open, for as long as they are."""
        return self._opening_ms

    def asked_by(self, kind: type[Any]) -> list[type[Any]]:
        """The services that a declared one's factory asks for."""
        return [asked for _, asked, _ in _parameters(self._declared[kind].factory) if self.knows(asked)]

    def note(self, kind: type[Any]) -> None:
        """Remember that an action, a tool or an MCP module asks for this type."""
        self._asked.add(kind)

    def needs(self, kind: type[Any]) -> bool:
        """Whether a declared factory asks for this type, or what was noted."""
        asking = (asked for service in self._declared.values() for _, asked, _ in _parameters(service.factory))
        return kind in self._asked or any(kind is asked for asked in asking)

    def get(self, kind: type[T]) -> T:
        """The opened singleton of a type.

        Raises:
            LookupError: it is not declared, not opened yet, or exists once a request.
        """
        try:
            return typing.cast(T, self._values[kind])
        except KeyError:
            raise LookupError(self._why_absent(kind)) from None

    def build(self, cls: Callable[..., T]) -> T:
        """Construct an object whose parameters are opened services, found by annotation; the way MCP modules are made.

        Raises:
            StartupError: a parameter is no service.
        """
        self._asked.update(kind for _, kind, _ in _parameters(cls) if self.knows(kind))
        return cls(**self._arguments(cls, self._values))

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        """Open the singletons in the order of their declaration; close them in reverse, also when one fails to open.

        Raises:
            StartupError: a factory failed; the error names the service.
            ClosingError: the block is over, and these services could not be closed; all the others were.
        """
        failures: list[str] = []
        async with AsyncExitStack() as stack:
            stack.callback(self._forget)
            for service in self._declared.values():
                if not service.per_request:
                    own = await stack.enter_async_context(_closing(service, failures))
                    start = time.perf_counter()
                    self._values[service.kind] = await self._open(service, self._values, own)
                    self._opening_ms[service.kind] = (time.perf_counter() - start) * 1000
            yield
        if failures:
            raise ClosingError("\n".join(failures))

    @asynccontextmanager
    async def request(self) -> AsyncIterator["RequestServices"]:
        """The services of one request: the singletons and, made when first asked for, its own."""
        async with AsyncExitStack() as stack:
            yield RequestServices(self, stack)

    async def check(self) -> dict[str, str | None]:
        """Ping every service that has a ping, and ask what is watched, all at once: its name, and None or what is wrong.

        Whoever says nothing within PING_WITHIN_S is wrong.
        """
        asks: dict[str, Callable[[], Awaitable[str | None]]] = {
            service.name: partial(_ping, service.ping, self._values[service.kind])
            for service in self._declared.values()
            if service.ping is not None and service.kind in self._values
        }
        asks |= self._watched
        reasons = await asyncio.gather(*(_within_time(name, ask) for name, ask in asks.items()))
        return dict(zip(asks, reasons, strict=True))

    @contextmanager
    def replaced(self, stand_ins: Mapping[type[Any], Service]) -> Iterator[None]:
        """Declarations in the place of others, for starts within the block; for tests."""
        before, self._declared = self._declared, {**self._declared, **stand_ins}
        try:
            yield
        finally:
            self._declared = before

    @contextmanager
    def undecided(self) -> Iterator[None]:
        """Stand-ins for every declared service, for describing an application that is not started."""
        before = self._values
        self._values = {kind: _Unopened(kind) for kind in (*self._declared, *self._reserved)} | before
        try:
            yield
        finally:
            self._values = before

    def _forget(self) -> None:
        self._values = {}
        self._watched = {}
        self._opening_ms = {}

    async def _open(self, service: Service, values: Mapping[type[Any], Any], stack: AsyncExitStack) -> Any:
        try:
            value = service.factory(**self._arguments(service.factory, values))
            if inspect.isasyncgen(value) or inspect.isgenerator(value):
                return await _opened_generator(value, stack, hears_errors=service.per_request)
            if inspect.isawaitable(value):
                value = await value
            if hasattr(type(value), "__aenter__"):
                return await stack.enter_async_context(value)
            return value
        except (StartupError, ConfigurationError):
            raise
        except Exception as error:
            raise StartupError(f"service {service.name}", f"{type(error).__name__}: {error}") from error

    def _arguments(self, factory: Callable[..., Any], values: Mapping[type[Any], Any]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name, kind, required in _parameters(factory):
            if kind in values:
                found[name] = values[kind]
            elif required:
                what = getattr(factory, "__qualname__", repr(factory))
                raise StartupError(f"{what}({name})", self._why_absent(kind))
        return found

    def _why_absent(self, kind: object) -> str:
        name = getattr(kind, "__name__", repr(kind))
        if isinstance(kind, type) and kind in self._reserved:
            return f"{name} is there once the services are open; ask for it in a controller, an MCP module or a later hook."
        service = self._declared.get(typing.cast(type[Any], kind)) if isinstance(kind, type) else None
        if service is None:
            return f"{name} is not a service; declare it with services.add({name}, …) in init/dependencies.py."
        if service.per_request:
            return f"{name} exists once a request; only actions and tools can ask for it."
        return f"{name} is not open yet; declare it before what needs it, and ask for it after the application has started."


class RequestServices:
    """The services that one request sees; its own are closed in reverse when the request is over."""

    def __init__(self, services: Services, stack: AsyncExitStack) -> None:
        self._services = services
        self._stack = stack
        self._values: dict[type[Any], Any] = dict(services._values)

    async def get(self, kind: type[T]) -> T:
        """The value of a type, made now if this request has none yet.

        Raises:
            LookupError: it is not declared.
        """
        if kind not in self._values:
            service = self._services.declared.get(kind)
            if service is None or not service.per_request:
                return self._services.get(kind)
            for _, needed, _ in _parameters(service.factory):
                if needed in self._services.declared:
                    await self.get(needed)
            self._values[kind] = await self._services._open(service, self._values, self._stack)
        return typing.cast(T, self._values[kind])


async def _ping(ping: Ping, value: object) -> None:
    answer = ping(value)
    if inspect.isawaitable(answer):
        await answer


async def _within_time(name: str, ask: Callable[[], Awaitable[str | None]]) -> str | None:
    try:
        async with asyncio.timeout(PING_WITHIN_S):
            wrong = await ask()
    except TimeoutError:
        wrong = f"no answer within {PING_WITHIN_S:g} s"
    except Exception as error:  # a ping may fail in any way, and each is an answer
        wrong = f"{type(error).__name__}: {error}"
    if wrong is not None:
        logger.warning("%s is not ready: %s", name, wrong)
    return wrong


@asynccontextmanager
async def _closing(service: Service, failures: list[str]) -> AsyncIterator[AsyncExitStack]:
    """What one service has to close. That this fails is noted, and keeps nobody else from closing."""
    own = AsyncExitStack()
    try:
        yield own
    finally:
        try:
            await own.aclose()
        except Exception as error:
            failures.append(f"service {service.name} could not be closed: {type(error).__name__}: {error}")
            logger.error("%s", failures[-1])


async def _opened_generator(value: Any, stack: AsyncExitStack, *, hears_errors: bool) -> Any:
    """What a generator yields, its clean-up left to the stack.

    Args:
        hears_errors: a request's value hears how the request ended, so that it can roll back: the error is thrown in at `yield`.
            An application's value is no part of what failed; it is resumed, so its clean-up runs without `try/finally`.
    """
    if inspect.isasyncgen(value):
        if hears_errors:
            return await stack.enter_async_context(asynccontextmanager(lambda: value)())
        stack.push_async_callback(anext, value, None)
        return await anext(value)
    if hears_errors:
        return stack.enter_context(contextmanager(lambda: value)())
    stack.callback(next, value, None)
    return next(value)


class _Unopened:
    """Stands for a service while an application is only described; a module may keep it, not use it."""

    def __init__(self, kind: type[Any]) -> None:
        self._kind = kind

    def __getattr__(self, name: str) -> Any:
        raise StartupError(
            f"service {self._kind.__name__}", f".{name} was used while MCP modules were only being listed; use it inside a tool."
        )


def _parameters(factory: Callable[..., Any]) -> list[tuple[str, Any, bool]]:
    """Each parameter that can be filled by keyword: its name, its type without `Annotated`, and whether it must be filled."""
    signature = inspect.signature(factory, eval_str=True)
    found: list[tuple[str, Any, bool]] = []
    for parameter in signature.parameters.values():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD, parameter.POSITIONAL_ONLY):
            continue
        kind = parameter.annotation
        if typing.get_origin(kind) is typing.Annotated:
            kind = typing.get_args(kind)[0]
        found.append((parameter.name, kind, parameter.default is parameter.empty))
    return found
