"""The web half of an application, put together: routes to FastAPI endpoints, and the layer around them.

How `App` composes it. When it is made (nothing is opened):

    pages = Pages(routes=routes, services=services, views=Views([*roots], reload=…), settings_of=lambda: app.settings,
                  helpers=config.helpers, force_detail_errors=config.force_detail_errors)
    pages.install(app)          # adds the routes, included routers and exception handlers to the FastAPI application
    pages.views                 # the same views, with lazyapp's helpers and the application's; use these from here on

At each start, when the settings and the secret are known (`web` is in `web.py`):

    security = Security(settings.hosts, origin=settings.public_url, docs=(app.docs_url, app.redoc_url))
    layer = web(fastapi_stack, pages=pages, security=security,
                sessions=Sessions(secret.current, secret.fallbacks, config.sessions, secure=is_https),
                public=PublicFiles(config.public, hashed=production, headers=security.headers("", "")))

`layer` is an ASGI application for pages; `/mcp` and OAuth stay outside it. `lifespan` passes through untouched.
"""

import difflib
import logging
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any
from urllib.parse import quote

from fastapi import FastAPI, Request
from fastapi.exception_handlers import http_exception_handler, request_validation_exception_handler
from fastapi.exceptions import FastAPIError, RequestValidationError
from fastapi.responses import RedirectResponse, Response
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.middleware.exceptions import ExceptionMiddleware
from starlette.requests import ClientDisconnect
from starlette.routing import BaseRoute

import lazyauth
from lazyapp.accept import wants_json, wish
from lazyapp.actions import FAILED, Endpoint, Endpoints, PageRoute, data_type, secret_fields
from lazyapp.controller import actions_of
from lazyapp.database_values import RAISED, cannot_be_held
from lazyapp.direct import DirectPages
from lazyapp.error_pages import DOCUMENTED, ErrorPages, Problem
from lazyapp.errors import ConfigurationError
from lazyapp.forms import FailedForm, Fields, InvalidForm, errors_by_field, in_sentences, typed_values
from lazyapp.page_helpers import page_helpers
from lazyapp.public import PublicFiles
from lazyapp.reading import read_as_actions
from lazyapp.routes import Route, Routes
from lazyapp.security import brings_token
from lazyapp.services import Services
from lazyapp.settings import Settings
from lazyapp.sign_in import LOGIN, login_path
from lazymcp.names import where
from lazyview import Views

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

logger = logging.getLogger("lazyapp")

_SHOWS_AGAIN: Mapping[str, str] = {"create": "new", "update": "edit"}


class Pages:
    """What the controllers of one application share, and how their failures are answered.

    Args:
        routes: the table, drawn.
        services: declared; they are looked up when an action runs.
        views: the templates.
        settings_of: this run's settings.
        helpers: the application's own template helpers; they win over lazyapp's.
        force_detail_errors: show tracebacks outside development too.
    """

    def __init__(
        self,
        *,
        routes: Routes,
        services: Services,
        views: Views,
        settings_of: Callable[[], Settings],
        helpers: Mapping[str, Callable[..., Any]] | None = None,
        force_detail_errors: bool = False,
    ) -> None:
        self.routes = routes
        # Replaced at each start by `web()`, which knows whether names are hashed.
        self.public = PublicFiles(None, hashed=False)
        self.path_for = routes.path_for
        own = page_helpers(
            self.path_for,
            lambda name: self.public.asset_path(name),
            lambda name: self.public.integrity(name),
            lambda: self.settings.public_url,
            lambda: self.settings.zone,
        )
        self.views = views.with_helpers({**own, **(helpers or {})})
        self.errors = ErrorPages(
            self,
            lambda name: self.public.text(name),
            lambda: force_detail_errors or self.settings.env == "development",
        )
        self._settings_of = settings_of
        self._endpoints = Endpoints(self, services)
        self._app: FastAPI | None = None
        self._drawn: dict[Callable[..., Any], Route] = {}
        self._again: dict[Callable[..., Any], PageRoute] = {}

    @property
    def settings(self) -> Settings:
        """This run's settings."""
        return self._settings_of()

    def install(self, app: FastAPI) -> None:
        """Add the routes, the included routers and the handlers of errors to a FastAPI application.

        Raises:
            ConfigurationError: an action has a parameter that cannot be filled; the message names its file and line.
        """
        self._app = app
        read_as_actions(app.router)
        for route in self.routes:
            endpoint = self._endpoint(route, route.action)
            self._add(app, route, endpoint)
            self._drawn[endpoint] = route
            if again := self._shown_again_by(route):
                shown = PageRoute(route.path, self._endpoint(route, again), response_model=None, dependency_overrides_provider=app)
                self._again[endpoint] = shown
                self._drawn[shown.endpoint] = route
        for router, prefix in self.routes.routers:
            read_as_actions(router)
            app.include_router(router, prefix=prefix)
        app.add_exception_handler(HTTPException, self._refused)  # type: ignore[arg-type]  # each handler takes its own class
        app.add_exception_handler(RequestValidationError, self._invalid)  # type: ignore[arg-type]
        app.add_exception_handler(InvalidForm, self._invalid_form)  # type: ignore[arg-type]
        app.add_exception_handler(lazyauth.SignInRequired, self._sign_in_first)  # type: ignore[arg-type]
        app.add_exception_handler(ClientDisconnect, self._left)  # type: ignore[arg-type]  # None: no answer
        for kind in RAISED:
            app.add_exception_handler(kind, self._unheld)
        app.add_exception_handler(Exception, self._failed)

    def _add(self, app: FastAPI, route: Route, endpoint: Endpoint) -> None:
        """Pages are for people: in the OpenAPI document stand included routers, and the actions that promise data."""
        data = data_type(getattr(route.controller, route.action))
        # One operation a method, for an operation's id may come once only.
        for methods in [list(route.methods)] if data is None else [[method] for method in route.methods]:
            try:
                app.router.add_api_route(
                    route.path,
                    endpoint,
                    methods=methods,
                    name=route.name,
                    include_in_schema=data is not None,
                    response_model=data,
                    responses={"default": dict(DOCUMENTED)},
                    tags=[route.folder],
                    route_class_override=PageRoute,
                )
            except (FastAPIError, AssertionError) as error:
                raise self._unreadable(route, error) from error
        if (wrong := _misnamed(app.router.routes[-1])) is not None:
            given, meant = wrong
            method = getattr(route.controller, route.action)
            raise ConfigurationError(
                f"{where(method)}: {method.__qualname__} takes {given!r}, which is not in {route.path}; did you mean {meant!r}?"
            )

    def direct(self) -> DirectPages:
        """The pages that may pass FastAPI's stack by; asked for at each start, when the application has said all it has to say."""
        app = self._app
        if app is None:
            raise RuntimeError("pages.install(app) comes before web(…)")
        routes = [route for route in app.router.routes if isinstance(route, PageRoute) and "GET" in (route.methods or ())]
        return DirectPages(app, [route for route in routes if "{" not in route.path], self._failed)

    async def _inner(self, scope: Scope, receive: Receive, send: Send) -> None:
        """A request that is already within FastAPI's stack, handed to its router again."""
        if (app := self._app) is None:
            raise RuntimeError("pages.install(app) comes first")
        handlers = {kind: handler for kind, handler in app.exception_handlers.items() if kind not in (500, Exception)}
        await ExceptionMiddleware(app.router, handlers)(scope, receive, send)

    def _endpoint(self, route: Route, action: str) -> Endpoint:
        return self._endpoints.endpoint(route.controller, action, route.folder)

    def _shown_again_by(self, route: Route) -> str | None:
        """The action that shows a form again: `new` for create, `edit` for update, else `index`."""
        if "GET" in route.methods:
            return None
        # Only a page has a form: data in its place would be a success that was none.
        present = [each for each in actions_of(route.controller) if data_type(getattr(route.controller, each)) is None]
        return next((each for each in (_SHOWS_AGAIN.get(route.action, ""), "index") if each in present), None)

    def _unreadable(self, route: Route, error: Exception) -> ConfigurationError:
        method = getattr(route.controller, route.action)
        if isinstance(error, AssertionError):
            # One of FastAPI's short ones, such as that a path's parameter cannot have a default.
            return ConfigurationError(f"{where(method)}: {method.__qualname__} has a parameter that FastAPI refuses: {error}")
        return ConfigurationError(
            f"{where(method)}: {method.__qualname__} has a parameter that is neither FastAPI's nor a service; "
            "declare its type with services.add(…) in init/dependencies.py."
        )

    async def _refused(self, request: Request, error: HTTPException) -> Response:
        """404, 405 and whatever an action raised; an included router's own stay FastAPI's."""
        endpoint = request.scope.get("endpoint")
        if endpoint is not None and endpoint not in self._drawn:
            return await http_exception_handler(request, error)
        headers = {name.lower(): value for name, value in (error.headers or {}).items()}
        if error.status_code < 400:
            return Response(status_code=error.status_code, headers=headers)
        status, detail, path = error.status_code, str(error.detail or ""), request.scope["path"]
        if status == 404 and endpoint is None and self.routes.methods_at(path.removesuffix(".json")) and path.endswith(".json"):
            return _AskedForJson(self._inner, path.removesuffix(".json"))
        if status == 405 and request.method == "OPTIONS" and (methods := self.routes.methods_at(path)):
            # RFC 9110, 9.3.7.
            return Response(status_code=204, headers={"allow": ", ".join(sorted({*methods, "OPTIONS"}))})
        if status == 404 and endpoint is None and self.public.find(path) is not None:
            # A GET never comes here: the file was sent.
            status, detail = 405, ""
            headers["allow"] = "GET, HEAD"
        elif status == 405:
            # RFC 9110, 10.2.1: what the address answers, not what the first route that matched it does.
            headers["allow"] = ", ".join(self.routes.methods_at(path))
        problem = Problem(status, headers=headers)
        if detail and detail != problem.title:
            problem = Problem(status, detail, headers=headers)
        return self.errors.response(request.scope, problem)

    async def _invalid(self, request: Request, error: RequestValidationError) -> Response:
        """A request that FastAPI could not read into an action's parameters."""
        if request.scope.get("endpoint") not in self._drawn:
            return await request_validation_exception_handler(request, error)
        found = error.errors()
        if any(each["loc"][0] == "path" for each in found):
            # `/accounts/three` where a number is expected names no page.
            return self.errors.response(request.scope, Problem(404))
        return self._show_again(request, errors_by_field(found), error.body)

    async def _invalid_form(self, request: Request, error: InvalidForm) -> Response:
        """A form that an action found wrong."""
        return self._show_again(request, error.errors, await request.form())

    def _show_again(self, request: Request, errors: Mapping[str, str], body: Any) -> Response:
        scope = request.scope
        again = self._again.get(scope["endpoint"])
        if again is None or wants_json(scope):
            return self.errors.response(scope, Problem(422, in_sentences(errors), errors=errors))
        route = self._drawn[scope["endpoint"]]
        secrets = secret_fields(getattr(route.controller, route.action))
        return _ShownAgain(again, FailedForm(typed_values(body, secrets), Fields(errors)))

    async def _sign_in_first(self, request: Request, error: lazyauth.SignInRequired) -> Response:
        """Whoever is not signed in and asks for what needs a person: browsers are shown the way, programs are told."""
        scope = request.scope
        has_login = "GET" in self.routes.methods_at(LOGIN)
        if has_login and wish(scope) == "html" and not brings_token(scope):
            return RedirectResponse(login_path(scope, self.settings.public_url), 303, {"cache-control": "no-store"})
        # RFC 9110, section 15.5.2 wants a challenge. No registered scheme means a form and a cookie; browsers pass this one over.
        headers = {"www-authenticate": f'Cookie form-action="{LOGIN}"', "cache-control": "no-store"} if has_login else {}
        if scope.get("endpoint") not in self._drawn:
            return await http_exception_handler(request, HTTPException(401, str(error), headers))
        return self.errors.response(scope, Problem(401, headers=headers))

    async def _unheld(self, request: Request, error: Exception) -> Response:
        """A value that the database cannot hold; any other error of a database goes on as it was."""
        scope = request.scope
        if not cannot_be_held(error) or scope.get("endpoint") not in self._drawn:
            raise error
        # Its own words hold the value, which may be anything that a visitor keeps from others.
        logger.warning(
            "%s %s: a value that the database cannot hold (%s)", scope["method"], quote(scope["path"]), type(error).__name__
        )
        if scope["method"] == "GET" and scope["path_params"]:
            return self.errors.response(scope, Problem(404))  # what cannot be kept is not there
        return self.errors.response(scope, Problem(422, "A value is larger than can be kept, or has a character that cannot be."))

    async def _left(self, request: Request, error: Exception) -> None:
        """The visitor left while sending: nobody is there to be answered, and nothing is wrong with us."""

    async def _failed(self, request: Request, error: Exception) -> Response:
        return self.errors.failed(request.scope, error)


class _AskedForJson(Response):
    """Answers `/accounts.json`, which has no page of its own, with what `/accounts` says to a client that takes only JSON."""

    def __init__(self, app: Callable[[Scope, Receive, Send], Awaitable[None]], path: str) -> None:
        super().__init__()
        self._app = app
        self._path = path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = [(name, value) for name, value in scope["headers"] if name != b"accept"]
        inner = {**scope, "path": self._path, "headers": [*headers, (b"accept", b"application/json")]}
        await self._app(inner, receive, send)


class _ShownAgain(Response):
    """Answers with another action's page: the request is handed on as a GET of it, with the failed form beside it."""

    def __init__(self, route: PageRoute, form: FailedForm) -> None:
        super().__init__(status_code=422)
        self._route = route
        self._form = form

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        inner = {
            **scope,
            "method": "GET",
            "query_string": b"",
            "endpoint": self._route.endpoint,
            "route": self._route,
            FAILED: self._form,
        }
        await self._route.handle(inner, receive, send)


def _misnamed(added: BaseRoute) -> tuple[str, str] | None:
    """A parameter that was probably meant for one of the path, and that one; without it every request would lack something.

    To FastAPI it is one of the query.
    """
    if not isinstance(added, APIRoute):
        return None
    solved = [added.dependant]
    for each in solved:  # grows: what a dependency takes counts too
        solved.extend(each.dependencies)
    taken = {parameter.name for each in solved for parameter in each.path_params}
    left = [name for name in added.param_convertors if name not in taken]
    wanted = [parameter.name for each in solved for parameter in each.query_params if parameter.field_info.is_required()]
    pairs = ((name, close) for name in wanted for close in difflib.get_close_matches(name, left, n=1, cutoff=0.8))
    return next(pairs, None)
