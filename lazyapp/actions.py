"""Turns a controller's method into a FastAPI endpoint.

The only file that leans on how FastAPI reads a signature: it hands FastAPI a function whose `__signature__` is the method's,
without `self`, with the request added and each service's bare type made a dependency.
"""

import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import is_dataclass
from typing import Annotated, Any

from fastapi import Depends, Request, Response
from pydantic import BaseModel, SecretBytes, SecretStr
from pydantic_core import to_json
from starlette.concurrency import run_in_threadpool

from lazyapp.accept import wish
from lazyapp.controller import Controller, Page, Site
from lazyapp.errors import ConfigurationError
from lazyapp.forms import FailedForm
from lazyapp.services import RequestServices, Services
from lazymcp.names import where

Endpoint = Callable[..., Awaitable[Response]]
FAILED = "lazyapp.failed_form"
_REQUEST = "_request"


class Endpoints:
    """Makes endpoints for one application.

    Args:
        site: what its controllers share.
        services: whose types parameters may name.
    """

    def __init__(self, site: Site, services: Services) -> None:
        self._site = site
        self._services = services
        self._providers: dict[type[Any], Callable[..., Awaitable[Any]]] = {}

    def endpoint(self, controller: type[Controller], action: str, folder: str) -> Endpoint:
        """The function that FastAPI calls for an action.

        Raises:
            ConfigurationError: a parameter cannot be filled; the message names the method's file and line.
        """
        method = getattr(controller, action)
        parameters, request_name, response_name = self._parameters(method)
        own_request = request_name or _REQUEST
        build = self._constructor(controller)
        is_async = inspect.iscoroutinefunction(method)
        site = self._site

        async def endpoint(**values: Any) -> Response:
            request: Request = values[own_request] if request_name else values.pop(_REQUEST)
            instance = build()
            instance._page = Page(request, site, folder, action, request.scope.get(FAILED))
            if is_async:
                result = await method(instance, **values)
            else:
                result = await run_in_threadpool(method, instance, **values)
            response = answer(instance, result)
            return _merged(response, values[response_name]) if response_name else response

        endpoint.__name__ = f"{folder.replace('/', '_')}_{action}"
        endpoint.__qualname__ = f"{controller.__qualname__}.{action}"
        endpoint.__module__ = controller.__module__
        endpoint.__doc__ = method.__doc__
        if request_name is None:
            parameters.append(inspect.Parameter(_REQUEST, inspect.Parameter.KEYWORD_ONLY, annotation=Request))
        endpoint.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # read by inspect.signature
        return endpoint

    def _parameters(self, method: Callable[..., Any]) -> tuple[list[inspect.Parameter], str | None, str | None]:
        """FastAPI's view of the parameters, and what the method calls its request and its response."""
        found: list[inspect.Parameter] = []
        request_name = response_name = None
        for parameter in list(_signature(method).parameters.values())[1:]:
            if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD, parameter.POSITIONAL_ONLY):
                raise ConfigurationError(
                    f"{where(method)}: {method.__qualname__} takes {parameter}, which no request can fill; name each parameter."
                )
            kind = parameter.annotation
            if self._services.knows(kind):
                parameter = parameter.replace(
                    annotation=Annotated[kind, Depends(self._provider(kind))], default=inspect.Parameter.empty
                )
            elif inspect.isclass(kind) and issubclass(kind, Request):
                request_name = parameter.name
            elif inspect.isclass(kind) and issubclass(kind, Response):
                response_name = parameter.name
            # By keyword only, because then one without a default may follow one that has it.
            found.append(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY))
        return found, request_name, response_name

    def _provider(self, kind: type[Any]) -> Callable[..., Awaitable[Any]]:
        """The dependency that gives a service; the same function each time, so FastAPI asks it once a request."""
        if kind not in self._providers:
            declared = self._services.declared.get(kind)
            self._providers[kind] = self._of_request(kind) if declared and declared.per_request else self._of_application(kind)
        return self._providers[kind]

    def _of_application(self, kind: type[Any]) -> Callable[..., Awaitable[Any]]:
        services = self._services

        async def provide() -> Any:
            return services.get(kind)

        return provide

    def _of_request(self, kind: type[Any]) -> Callable[..., Awaitable[Any]]:
        # "function": closed, and a transaction committed, before the answer is sent, so that a failing commit can still be told.
        async def provide(own: Annotated[RequestServices, Depends(self._request_services, scope="function")]) -> Any:
            return await own.get(kind)

        return provide

    async def _request_services(self) -> AsyncIterator[RequestServices]:
        async with self._services.request() as own:
            yield own

    def _constructor(self, controller: type[Controller]) -> Callable[[], Controller]:
        """Makes a controller for a request; its constructor may ask for the application's services."""
        if controller.__init__ is object.__init__:
            return controller
        wanted: dict[str, type[Any]] = {}
        for parameter in list(_signature(controller.__init__).parameters.values())[1:]:
            declared = self._services.declared.get(parameter.annotation) if self._services.knows(parameter.annotation) else None
            if not self._services.knows(parameter.annotation) or (declared and declared.per_request):
                raise ConfigurationError(
                    f"{where(controller)}: {controller.__name__}.__init__ asks for {parameter}, and can have the application's "
                    "services only; let the action take it."
                )
            wanted[parameter.name] = parameter.annotation
        get = self._services.get
        return lambda: controller(**{name: get(kind) for name, kind in wanted.items()})


def answer(controller: Controller, result: Any) -> Response:
    """The response that an action's result stands for.

    Raises:
        TypeError: the result is nothing that can be answered; the message names the action.
    """
    if isinstance(result, Response):
        return result
    if result is None or isinstance(result, Mapping):
        return controller.rendered(result or {})
    page = controller._page
    if (
        isinstance(result, BaseModel)
        and wish(page.request.scope) == "html"
        and page.site.views.exists(f"{page.folder}/{page.action}")
    ):
        response = controller.rendered(dict(result))
    elif isinstance(result, BaseModel | list | tuple) or is_dataclass(result):
        response = Response(to_json(result), media_type="application/json")
    else:
        raise TypeError(
            f"{type(controller).__name__}.{page.action} returned {type(result).__name__}; return None or a dict for its view, "
            "a model or a list for JSON, or a Response"
        )
    response.headers.append("vary", "accept")
    return response


def secret_fields(method: Callable[..., Any]) -> frozenset[str]:
    """The fields of an action's forms that are typed as secrets, and so are never shown again."""
    found: set[str] = set()
    for parameter in _signature(method).parameters.values():
        kind = getattr(parameter.annotation, "__origin__", parameter.annotation)
        if kind in (SecretStr, SecretBytes):
            found.add(parameter.name)
        elif inspect.isclass(kind) and issubclass(kind, BaseModel):
            found |= {
                field.alias or name for name, field in kind.model_fields.items() if field.annotation in (SecretStr, SecretBytes)
            }
    return frozenset(found)


def failed_form(scope: Mapping[str, Any]) -> FailedForm | None:
    """The form that this request shows again, if it does."""
    return scope.get(FAILED)


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
