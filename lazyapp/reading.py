"""FastAPI's routes read what they are sent as actions do: JSON strictly, and with an end to the list of what is wrong with it.

Those of the application itself are made so. A router that is included brings routes of its own classes, so each of its routes is
given what reads for it; FastAPI asks a route for that once for every application that includes it.
"""

from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.routing import APIRoute, _effective_route_context_var

from lazyapp.json_body import JSONRequest
from lazyapp.many_errors import count_many

Handler = Callable[[Request], Coroutine[Any, Any, Response]]


class ReadingRoute(APIRoute):
    """FastAPI's own route but for that."""

    def get_route_handler(self) -> Handler:
        """What answers a request; FastAPI's documented place to put one's own."""
        return _reading(self, super().get_route_handler)


def read_as_actions(router: APIRouter) -> None:
    """Let the routes of a router read so, those of the routers that it includes, and those that it is given later."""
    if router.route_class is APIRoute:
        router.route_class = ReadingRoute
    for route in router.routes:
        if isinstance(inner := getattr(route, "original_router", None), APIRouter):
            read_as_actions(inner)
        elif isinstance(route, APIRoute) and not isinstance(route, ReadingRoute) and "get_route_handler" not in vars(route):
            vars(route)["get_route_handler"] = _later(route, route.get_route_handler)


def _later(route: APIRoute, build: Callable[[], Handler]) -> Callable[[], Handler]:
    return lambda: _reading(route, build)


def _reading(route: APIRoute, build: Callable[[], Handler]) -> Handler:
    included = _effective_route_context_var.get()
    # A route that is included has parameters of its own there, with the dependencies of whoever includes it.
    dependant = included.dependant if included is not None and included.original_route is route else route.dependant
    if dependant is not None:
        count_many(dependant)
    read: Callable[[Request], Awaitable[Response]] = build()

    async def handler(request: Request) -> Response:
        return await read(JSONRequest.of(request))

    return handler
