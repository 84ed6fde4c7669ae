"""Turns a controller's method into a FastAPI endpoint.

The only file that leans on how FastAPI reads a signature: it hands FastAPI a function whose `__signature__` is the method's,
without `self`, with the request added and each service's bare type made a dependency. An action that takes nothing from the request
has nothing for FastAPI to solve, and is called without it: that is half of what a page costs besides its view.
"""

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, NamedTuple

from fastapi import BackgroundTasks, Depends, Request, Response
from pydantic.errors import PydanticSchemaGenerationError
from starlette.concurrency import run_in_threadpool

import lazyauth
from lazyapp.background import Later, left_behind
from lazyapp.before import steps_before, unknown_names
from lazyapp.controller import Controller, Page, Site, actions_of, requires_login
from lazyapp.current import current
from lazyapp.errors import ConfigurationError
from lazyapp.forms import secret_names
from lazyapp.nested_forms import reads_nested
from lazyapp.reading import Handler, ReadingRoute
from lazyapp.results import Writer, answer, data_of, writer
from lazyapp.service_depends import Providers
from lazyapp.services import Services
from lazymcp.names import where

Endpoint = Callable[..., Awaitable[Response]]
Call = Callable[[Request, Mapping[str, Any]], Awaitable[Response]]
FAILED = "lazyapp.failed_form"
_REQUEST = "_request"
_TASKS = "_tasks"


@dataclass(slots=True)
class _Reading:
    """What an action's signature says.

    Args:
        parameters: as FastAPI is to see them, by name.
        request_name: what the action calls the request, if it takes it.
        response_name: the same of the response that FastAPI hands out to set headers on.
        tasks_name: the same of FastAPI's background tasks.
        singletons: the application's services that it takes, by parameter.
    """

    parameters: dict[str, inspect.Parameter] = field(default_factory=dict)
    request_name: str | None = None
    response_name: str | None = None
    tasks_name: str | None = None
    singletons: dict[str, type[Any]] = field(default_factory=dict)

    @property
    def is_plain(self) -> bool:
        """Whether there is nothing in it for FastAPI to solve."""
        return len(self.parameters) == len(self.singletons) + (self.request_name is not None)


class _Step(NamedTuple):
    """A method to call: what runs before an action, or the action."""

    method: Callable[..., Any]
    is_async: bool
    names: tuple[str, ...]

    async def run(self, instance: Controller, values: Mapping[str, Any]) -> Any:
        own = {name: values[name] for name in self.names}
        if self.is_async:
            return await self.method(instance, **own)
        return await run_in_threadpool(self.method, instance, **own)


class PageRoute(ReadingRoute):
    """The route of an action. FastAPI's own, but for actions that have nothing to be solved."""

    def get_route_handler(self) -> Handler:
        """What answers a request."""
        if self.direct:
            return self.direct
        handler = super().get_route_handler()
        return _for_people(handler) if getattr(self.endpoint, "requires_login", False) else handler

    @property
    def direct(self) -> Handler | None:
        """The action itself, when FastAPI has nothing to solve for it."""
        return None if self.dependencies else getattr(self.endpoint, "direct", None)


class Endpoints:
    """Makes endpoints for one application.

    Args:
        site: what its controllers share.
        services: whose types parameters may name.
    """

    def __init__(self, site: Site, services: Services) -> None:
        self._site = site
        self._services = services
        # "function": a transaction is committed before the answer is sent, so that a failing commit can still be told.
        self._providers = Providers(services, "function")

    def endpoint(self, controller: type[Controller], action: str, folder: str) -> Endpoint:
        """The function that FastAPI calls for an action.

        Raises:
            ConfigurationError: a parameter cannot be filled; the message names the method's file and line.
        """
        method = getattr(controller, action)
        before = _before(controller, action)
        reading = self._read(method, *before)
        call = self._caller(controller, action, folder)
        if before:
            call = self._caller_of_steps(controller, action, folder, [_step(each) for each in (*before, method)])
        name = reading.request_name or _REQUEST

        async def endpoint(**values: Any) -> Response:
            request: Request = values[name] if reading.request_name else values.pop(_REQUEST)
            tasks: BackgroundTasks = values[reading.tasks_name] if reading.tasks_name else values.pop(_TASKS)
            response = await call(request, values)
            if tasks.tasks and response.background is not None:
                # FastAPI adds its tasks, a dependency's for example, to a response that has none of its own only.
                response.background = Later([response.background], tasks)
            return _merged(response, values[reading.response_name]) if reading.response_name else response

        endpoint.__name__ = f"{folder.replace('/', '_')}_{action}"
        endpoint.__qualname__ = f"{controller.__qualname__}.{action}"
        endpoint.__module__ = controller.__module__
        endpoint.__doc__ = method.__doc__
        endpoint.__dict__["requires_login"] = needs_login = requires_login(controller, action)
        if reading.is_plain:
            direct = self._direct(reading, call)
            endpoint.__dict__["direct"] = _for_people(direct) if needs_login else direct
        if reading.request_name is None:
            reading.parameters[_REQUEST] = inspect.Parameter(_REQUEST, inspect.Parameter.KEYWORD_ONLY, annotation=Request)
        if reading.tasks_name is None:
            reading.parameters[_TASKS] = inspect.Parameter(_TASKS, inspect.Parameter.KEYWORD_ONLY, annotation=BackgroundTasks)
        endpoint.__signature__ = inspect.Signature(list(reading.parameters.values()))  # type: ignore[attr-defined]  # read by inspect.signature
        return endpoint

    def _caller(self, controller: type[Controller], action: str, folder: str) -> Call:
        """Makes a controller for a request, calls the action and turns what it returns into a response."""
        method = getattr(controller, action)
        build = self._constructor(controller)
        is_async = inspect.iscoroutinefunction(method)
        write = _writer(method)
        site = self._site

        async def call(request: Request, values: Mapping[str, Any]) -> Response:
            instance = build()
            instance._page = Page(request, site, folder, action, request.scope.get(FAILED))
            if is_async:
                response = answer(instance, await method(instance, **values), write)
            else:
                response = answer(instance, await run_in_threadpool(method, instance, **values), write)
            return left_behind(response, instance._work) if instance._work else response

        return call

    def _caller_of_steps(self, controller: type[Controller], action: str, folder: str, steps: Sequence[_Step]) -> Call:
        """The same for an action that something runs before; a response from that is the answer."""
        build = self._constructor(controller)
        write = _writer(getattr(controller, action))
        site, last = self._site, steps[-1]

        async def call(request: Request, values: Mapping[str, Any]) -> Response:
            instance = build()
            instance._page = Page(request, site, folder, action, request.scope.get(FAILED))
            result = None
            for step in steps:
                result = await step.run(instance, values)
                if step is not last and result is not None:
                    if not isinstance(result, Response):
                        raise TypeError(f"{step.method.__qualname__} returned {type(result).__name__}; return None or a Response")
                    break
            response = answer(instance, result, write)
            return left_behind(response, instance._work) if instance._work else response

        return call

    def _direct(self, reading: _Reading, call: Callable[[Request, Mapping[str, Any]], Awaitable[Response]]) -> Handler:
        get, wanted, request_name = self._services.get, reading.singletons, reading.request_name

        async def direct(request: Request) -> Response:
            values = {name: get(kind) for name, kind in wanted.items()}
            if request_name is not None:
                values[request_name] = request
            return await call(request, values)

        return direct

    def _read(self, *methods: Callable[..., Any]) -> _Reading:
        """What the methods of one request take together; a name that two of them have means one thing."""
        reading = _Reading()
        given: dict[str, tuple[Any, Callable[..., Any]]] = {}
        for method in methods:
            for parameter in list(_signature(method).parameters.values())[1:]:
                first, owner = given.setdefault(parameter.name, (parameter, method))
                if owner is method:
                    self._read_parameter(reading, parameter, method)
                elif (first.annotation, first.default) != (parameter.annotation, parameter.default):
                    raise ConfigurationError(
                        f"{where(method)}: {method.__qualname__} takes {parameter}, and {owner.__qualname__} takes {first} "
                        "in the same request; write the two alike."
                    )
        return reading

    def _read_parameter(self, reading: _Reading, parameter: inspect.Parameter, method: Callable[..., Any]) -> None:
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD, parameter.POSITIONAL_ONLY):
            raise ConfigurationError(
                f"{where(method)}: {method.__qualname__} takes {parameter}, which no request can fill; name each parameter."
            )
        parameter = parameter.replace(annotation=reads_nested(parameter.annotation))
        kind = parameter.annotation
        if self._services.knows(kind):
            if not self._services.is_per_request(kind):
                reading.singletons[parameter.name] = kind
            parameter = parameter.replace(
                annotation=Annotated[kind, Depends(self._providers.of(kind))], default=inspect.Parameter.empty
            )
        elif inspect.isclass(kind) and issubclass(kind, Request):
            reading.request_name = parameter.name
        elif inspect.isclass(kind) and issubclass(kind, Response):
            reading.response_name = parameter.name
        elif kind is BackgroundTasks:
            reading.tasks_name = parameter.name
        # By keyword only, because then one without a default may follow one that has it.
        reading.parameters[parameter.name] = parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)

    def _constructor(self, controller: type[Controller]) -> Callable[[], Controller]:
        """Makes a controller for a request; its constructor may ask for the application's services."""
        if controller.__init__ is object.__init__:
            return controller
        wanted: dict[str, type[Any]] = {}
        for parameter in list(_signature(controller.__init__).parameters.values())[1:]:
            if not self._services.knows(parameter.annotation) or self._services.is_per_request(parameter.annotation):
                raise ConfigurationError(
                    f"{where(controller)}: {controller.__name__}.__init__ asks for {parameter}, and can have the application's "
                    "services only; let the action take it."
                )
            wanted[parameter.name] = parameter.annotation
        get = self._services.get
        return lambda: controller(**{name: get(kind) for name, kind in wanted.items()})


def _for_people(handler: Handler) -> Handler:
    """The handler, for those who are signed in. Before FastAPI reads anything: a stranger learns nothing from what is wrong."""

    async def guarded(request: Request) -> Response:
        if (here := current.get()) is not None:
            here.session.read()
        lazyauth.require_user()
        return await handler(request)

    return guarded


def secret_fields(method: Callable[..., Any]) -> frozenset[str]:
    """The fields of an action's forms that are typed as secrets, of nested models too, and so are never shown again."""
    return secret_names((parameter.name, parameter.annotation) for parameter in _signature(method).parameters.values())


def data_type(method: Callable[..., Any]) -> Any:
    """The JSON that an action promises to return, None for a page."""
    return data_of(_signature(method).return_annotation)


def _writer(method: Callable[..., Any]) -> Writer:
    try:
        return writer(data_type(method))
    except PydanticSchemaGenerationError as error:
        raise ConfigurationError(
            f"{where(method)}: {method.__qualname__} returns what cannot become JSON: {error.message}"
        ) from None


def _before(controller: type[Controller], action: str) -> list[Callable[..., Any]]:
    for method, unknown in unknown_names(controller, actions_of(controller)):
        raise ConfigurationError(
            f"{where(method)}: {method.__qualname__} names {unknown!r}, which is no action of {controller.__name__}."
        )
    return steps_before(controller, action)


def _step(method: Callable[..., Any]) -> _Step:
    return _Step(method, inspect.iscoroutinefunction(method), tuple(_signature(method).parameters)[1:])


def _merged(response: Response, injected: Response) -> Response:
    """Adds what an action set on the response it was given, as FastAPI does for endpoints that return data."""
    response.headers.raw.extend(injected.headers.raw)
    # FastAPI's blank response has no status until the action gives it one.
    response.status_code = injected.status_code or response.status_code
    return response


def _signature(method: Callable[..., Any]) -> inspect.Signature:
    try:
        return inspect.signature(method, eval_str=True)
    except NameError as error:
        raise ConfigurationError(
            f"{where(method)}: {method.__qualname__} has an annotation that cannot be read: {error}; import it at the module's top."
        ) from None
