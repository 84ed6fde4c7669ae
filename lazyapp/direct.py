"""Pages that need nothing of FastAPI's, found by their exact path and answered before its stack.

Measured, that stack and its search through the routes cost a third of a page of fifty rows. They are passed by where nobody can
tell: the action takes only services, its path has no parameter, and the application added nothing that would have to run around it.
"""

import sys
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from fastapi import FastAPI, Request
from starlette.middleware.exceptions import ExceptionMiddleware

from lazyapp.actions import PageRoute
from lazyapp.reading import Handler

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

DirectPage = tuple[PageRoute, Handler]

_RAISED = "lazyapp.raised"


class DirectPages:
    """The direct pages of one application.

    Args:
        app: whose exception handlers answer errors here too.
        routes: every page's route, in the order in which they were drawn.
        failed: the handler of unexpected errors; an application that has another one gets no direct pages.
    """

    def __init__(self, app: FastAPI, routes: list[PageRoute], failed: Callable[..., Any]) -> None:
        handlers = {kind: handler for kind, handler in app.exception_handlers.items() if kind not in (500, Exception)}
        is_bare = not app.user_middleware and not app.root_path and 500 not in app.exception_handlers
        # FastAPI's own spans are made in its stack; without OpenTelemetry's SDK nothing records them.
        is_bare = is_bare and app.exception_handlers.get(Exception) == failed and "opentelemetry.sdk" not in sys.modules
        taken = {getattr(route, "path", "") for route in app.router.routes if not isinstance(route, PageRoute)}
        self._routes = {
            route.path: (route, route.direct) for route in routes if is_bare and route.direct and route.path not in taken
        }
        self._app = app
        self._fail: Callable[[Scope, Receive, Send], Awaitable[None]] = ExceptionMiddleware(_raise, handlers)

    def find(self, path: str) -> DirectPage | None:
        """The direct page that GET at a path asks for, if there is one."""
        return self._routes.get(path)

    async def answer(self, page: DirectPage, scope: Scope, receive: Receive, send: Send) -> None:
        """Run its action, with what code may expect to find in a scope that FastAPI has seen."""
        route, act = page
        scope.update(app=self._app, router=self._app.router, route=route, endpoint=route.endpoint, path_params={})
        try:
            response = await act(Request(scope, receive, send))
        except Exception as error:
            scope[_RAISED] = error
            await self._fail(scope, receive, send)
        else:
            await response(scope, receive, send)


async def _raise(scope: Scope, receive: Receive, send: Send) -> None:
    # The handlers stand round what failed, not round every page: that would cost each of them.
    raise scope.pop(_RAISED)
