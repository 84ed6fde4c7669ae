"""Services as FastAPI's dependencies: what an action or a tool asks for by its bare type, in a form that FastAPI solves."""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Annotated, Any, Literal

from fastapi import Depends

from lazyapp.services import RequestServices, Services

Provider = Callable[..., Awaitable[Any]]


class Providers:
    """The dependencies that give the services of one application.

    Args:
        services: whose types may be named.
        scope: of FastAPI's, at whose end a request's own services are closed; `function` ends before the answer is sent.
    """

    def __init__(self, services: Services, scope: Literal["function", "request"]) -> None:
        self._services = services
        self._scope = scope
        self._providers: dict[type[Any], Provider] = {}

    def of(self, kind: type[Any]) -> Provider:
        """The dependency that gives a service; the same function each time, so that FastAPI asks it once a request."""
        if kind not in self._providers:
            self._services.note(kind)
            is_per_request = self._services.is_per_request(kind)
            self._providers[kind] = self._of_request(kind) if is_per_request else self._of_application(kind)
        return self._providers[kind]

    def _of_application(self, kind: type[Any]) -> Provider:
        services = self._services

        async def provide() -> Any:
            return services.get(kind)

        return provide

    def _of_request(self, kind: type[Any]) -> Provider:
        async def provide(own: Annotated[RequestServices, Depends(self._own, scope=self._scope)]) -> Any:
            return await own.get(kind)

        return provide

    async def _own(self) -> AsyncIterator[RequestServices]:
        async with self._services.request() as own:
            yield own
