"""The table of routes: which request reaches which action, and which path a name stands for.

Drawn once, when the application is made; nothing here answers a request (see `pages.py`). A mistake is told with the file and line
of the call that made it.
"""

import difflib
import inspect
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

from fastapi import APIRouter
from fastapi.routing import iter_route_contexts

from lazyapp.controller import Controller, controller_name
from lazyapp.errors import ConfigurationError
from lazyapp.path_template import PathTemplate, UnknownPath, singular
from lazymcp.names import where

# Rails' seven: action, methods, what follows the resource's path, what its name starts with, whether the name is the plural.
_RESOURCE: tuple[tuple[str, tuple[str, ...], str, str, bool], ...] = (
    ("index", ("GET",), "", "", True),
    ("new", ("GET",), "/new", "new_", False),
    ("create", ("POST",), "", "", True),
    ("show", ("GET",), "/{id}", "", False),
    ("edit", ("GET",), "/{id}/edit", "edit_", False),
    ("update", ("PATCH", "PUT"), "/{id}", "", False),
    ("delete", ("DELETE",), "/{id}", "", False),
)


@dataclass(frozen=True, slots=True)
class Route:
    """One line of the table."""

    methods: tuple[str, ...]
    template: PathTemplate
    name: str
    controller: type[Controller]
    action: str
    folder: str
    place: str

    @property
    def path(self) -> str:
        """The path as it was drawn, `/accounts/{id}`."""
        return self.template.text

    @property
    def action_name(self) -> str:
        """The action as views are named: `accounts#show`."""
        return f"{self.folder}#{self.action}"


class RouteRow(NamedTuple):
    """A route as `lazyapp routes` prints it."""

    methods: tuple[str, ...]
    path: str
    name: str
    action: str
    place: str


@dataclass(slots=True)
class _Table:
    routes: list[Route] = field(default_factory=list)
    named: dict[str, Route] = field(default_factory=dict)
    routers: list[tuple[APIRouter, str]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Frame:
    """Where in the tree of namespaces and resources a call stands."""

    path: str = ""
    name: str = ""
    folder: str = ""
    # What follows the words of an action: `disable` of one account is `disable_account`.
    noun: str = ""


class Routes:
    """The routes of an application, or the part of them below a namespace or a resource.

    `namespace()` and `resources()` return such a part; `with` gives it a name to draw on and an indentation to see it by.
    """

    def __init__(self, table: _Table | None = None, frame: _Frame | None = None) -> None:
        self._table = table or _Table()
        self._frame = frame or _Frame()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        return None

    def __iter__(self) -> Iterator[Route]:
        return iter(self._table.routes)

    @property
    def routers(self) -> Sequence[tuple[APIRouter, str]]:
        """Each included router with its prefix."""
        return self._table.routers

    def root(self, action: Callable[..., Any]) -> None:
        """The page at `/`, or at the path of the namespace; its name is `root`."""
        self._draw(("GET",), "/", action, "root")

    def get(self, path: str, action: Callable[..., Any], *, name: str | None = None) -> None:
        """Draw a GET, which answers HEAD too.

        Args:
            path: starts with a slash; `{id}` and `{id:int}` are FastAPI's path parameters.
            action: a controller's method, `HomeController.about`.
            name: what `path_for` calls it; None: the words of the path, `/about/us` is `about_us`.

        Raises:
            ConfigurationError: the action is no controller's method, or the path or name is unusable or taken.
        """
        self._draw(("GET",), path, action, name)

    def post(self, path: str, action: Callable[..., Any], *, name: str | None = None) -> None:
        """Draw a POST; see `get`."""
        self._draw(("POST",), path, action, name)

    def put(self, path: str, action: Callable[..., Any], *, name: str | None = None) -> None:
        """Draw a PUT; see `get`."""
        self._draw(("PUT",), path, action, name)

    def patch(self, path: str, action: Callable[..., Any], *, name: str | None = None) -> None:
        """Draw a PATCH; see `get`."""
        self._draw(("PATCH",), path, action, name)

    def delete(self, path: str, action: Callable[..., Any], *, name: str | None = None) -> None:
        """Draw a DELETE; see `get`."""
        self._draw(("DELETE",), path, action, name)

    def resources(
        self,
        name: str,
        controller: type[Controller],
        *,
        only: Sequence[str] | None = None,
        path: str | None = None,
        param: str = "id",
    ) -> "Resource":
        """Draw the actions of a resource that the controller has: index, new, create, show, edit, update, delete.

        Args:
            name: the plural, `accounts`; names `accounts`, `new_account`, `account` and `edit_account`.
            controller: the class; its views lie in the folder of its name.
            only: the actions to draw; None: all that the controller defines.
            path: the segment of the path when it is not the name.
            param: what tells one from another: `slug`, or with its kind `id:int`, `id:uuid`; what is no such value is another
                route's, or 404.

        Returns:
            The routes below one of them, `/accounts/{account_id}`; its `member` and `collection` take further actions.

        Raises:
            ConfigurationError: `only` names an unknown action, or one that the controller lacks, or there is none to draw.
        """
        one = singular(name)
        base = f"/{(path or name).strip('/')}"
        nouns = (name if one != name else f"{name}_index", one)
        present = self._present(controller, only, [row[0] for row in _RESOURCE])
        for action, methods, suffix, prefix, is_plural in _RESOURCE:
            if action in present:
                where_to = base + suffix.replace("{id}", f"{{{param}}}")
                self._add(methods, where_to, (controller, action), prefix + self._frame.name + nouns[0 if is_plural else 1])
        frame = self._frame
        below = _Frame(f"{frame.path}{base}/{{{one}_{param}}}", f"{frame.name}{one}_", frame.folder)
        member = _Frame(f"{frame.path}{base}/{{{param}}}", "", frame.folder, frame.name + nouns[1])
        return Resource(self._table, below, member, _Frame(frame.path + base, "", frame.folder, frame.name + nouns[0]))

    def resource(
        self, name: str, controller: type[Controller], *, only: Sequence[str] | None = None, path: str | None = None
    ) -> "Resource":
        """Draw the actions of something of which the visitor has one, `/profile`: new, create, show, edit, update, delete.

        The names are `profile`, `new_profile` and `edit_profile`; further actions are drawn on what is returned. See `resources`.
        """
        base = f"/{(path or name).strip('/')}"
        rows = [row for row in _RESOURCE if row[0] != "index"]
        present = self._present(controller, only, [row[0] for row in rows])
        for action, methods, suffix, prefix, _ in rows:
            if action in present:
                self._add(methods, base + suffix.replace("/{id}", ""), (controller, action), prefix + self._frame.name + name)
        frame = self._frame
        own = _Frame(frame.path + base, "", frame.folder, frame.name + name)
        return Resource(self._table, _Frame(frame.path + base, f"{frame.name}{name}_", frame.folder), own, own)

    def namespace(self, name: str) -> "Routes":
        """The routes below a prefix: of paths (`/admin`), of names (`admin_accounts`) and of view folders (`admin/accounts`)."""
        word = name.strip("/")
        if not re.fullmatch(r"[A-Za-z0-9_-]+", word):
            raise self._wrong(f"namespace({name!r}) must be one word of letters, digits, - and _")
        frame = self._frame
        return Routes(
            self._table, _Frame(f"{frame.path}/{word}", f"{frame.name}{word.replace('-', '_')}_", f"{frame.folder}{word}/")
        )

    def include(self, router: APIRouter, prefix: str = "") -> None:
        """Include a FastAPI router, which keeps FastAPI's own behaviour."""
        if prefix and (not prefix.startswith("/") or prefix.endswith("/")):
            raise self._wrong(f"include(…, prefix={prefix!r}) must start with a slash and not end with one")
        self._table.routers.append((router, self._frame.path + prefix))

    def path_for(self, name: str, /, **params: Any) -> str:
        """The path of a named route, parameters percent-encoded; what the path does not take becomes the query.

        Raises:
            UnknownPath: there is no such name, or a parameter is missing or cannot stand in a path.
        """
        route = self._table.named.get(name)
        if route is None:
            near = difflib.get_close_matches(name, self._table.named, n=3, cutoff=0.5)
            hint = f"did you mean {' or '.join(near)}?" if near else f"known are {', '.join(sorted(self._table.named)) or 'none'}"
            raise UnknownPath(f"no route is called {name!r}; {hint}")
        try:
            return route.template.fill(params)
        except LookupError as error:
            raise UnknownPath(f"path_for({name!r}) needs {error.args[0]} for {route.path}") from None
        except ValueError as error:
            raise UnknownPath(f"path_for({name!r}): {error}") from None

    def methods_at(self, path: str) -> tuple[str, ...]:
        """The methods that pages answer at a path, HEAD and all; empty when there is no page."""
        found = {method for route in self._table.routes if route.template.matches(path) for method in route.methods}
        return tuple(sorted(found | {"HEAD"} if "GET" in found else found))

    def rows(self) -> list[RouteRow]:
        """Every route, in the order in which they are tried."""
        rows = [
            RouteRow(route.methods, route.path, route.name, route.action_name, where(getattr(route.controller, route.action)))
            for route in self
        ]
        for router, prefix in self._table.routers:
            for context in iter_route_contexts(router.routes):
                endpoint = context.endpoint
                action = f"{endpoint.__module__}.{endpoint.__qualname__}" if inspect.isfunction(endpoint) else repr(endpoint)
                methods = tuple(sorted(context.methods or ()))
                place = where(endpoint) if inspect.isfunction(endpoint) else ""
                rows.append(RouteRow(methods, f"{prefix}{context.path}", context.name or "", action, place))
        return rows

    def _draw(self, methods: tuple[str, ...], path: str, action: Callable[..., Any], name: str | None) -> None:
        controller = getattr(action, "controller", None)
        if not (inspect.isclass(controller) and issubclass(controller, Controller)):
            called = getattr(action, "__name__", "")
            hint = (
                f"Controller has a method {called} itself"
                if hasattr(Controller, called)
                else "write one such as HomeController.index"
            )
            raise self._wrong(f"{action!r} is no action, a public method of a controller; {hint}")
        if not path.startswith("/"):
            raise self._wrong(f"the path {path!r} must start with a slash")
        if path != "/" and path.endswith("/"):
            raise self._wrong(f"write the path {path!r} without its last slash; it answers with and without")
        words = name if name is not None else "_".join(re.findall(r"\w+", re.sub(r"\{[^}]*\}", "", path))) or "root"
        noun = f"_{self._frame.noun}" if self._frame.noun and name is None else ""
        self._add(methods, path if path != "/" else "", (controller, action.__name__), self._frame.name + words + noun)

    def _present(self, controller: type[Controller], only: Sequence[str] | None, known: Sequence[str]) -> list[str]:
        """The actions of a resource that are to be drawn."""
        chosen = known if only is None else list(only)
        for action in chosen:
            if action not in known:
                raise self._wrong(f"only={list(only or ())!r} names {action!r}; a resource has {', '.join(known)}")
            if only is not None and not callable(getattr(controller, action, None)):
                raise self._wrong(f"only={list(only)!r} names {action!r}, which {controller.__name__} ({where(controller)}) lacks")
        present = [action for action in chosen if callable(getattr(controller, action, None))]
        if not present:
            raise self._wrong(f"{controller.__name__} ({where(controller)}) defines none of {', '.join(chosen)}")
        return present

    def _add(self, methods: tuple[str, ...], path: str, action: tuple[type[Controller], str], name: str) -> None:
        try:
            template = PathTemplate(f"{self._frame.path}{path}" or "/")
        except ValueError as error:
            raise self._wrong(str(error)) from None
        controller, method = action
        folder = self._frame.folder + controller_name(controller)
        route = Route(methods, template, name, controller, method, folder, _place())
        for other in self._table.routes:
            if template.shape == other.template.shape and set(methods) & set(other.methods):
                raise self._wrong(f"{methods[0]} {route.path} is drawn already, at {other.place}")
        taken = self._table.named.setdefault(name, route)
        if taken.template.shape != template.shape:
            raise self._wrong(f"the name {name!r} of {route.path} is taken by {taken.path} ({taken.place}); give name='…'")
        # What is wider comes later, or `/accounts/search` would be an account called search. Starlette tries them in this order.
        later = (place for place, other in enumerate(self._table.routes) if other.template.is_wider_than(template))
        self._table.routes.insert(next(later, len(self._table.routes)), route)

    def _wrong(self, sentence: str) -> ConfigurationError:
        return ConfigurationError(f"{_place()}: {sentence}.")


class Resource(Routes):
    """The routes of a resource: those below one of them, and further actions of one or of all.

    `accounts.member.post("/disable", AccountsController.disable)` is `/accounts/{id}/disable`, called `disable_account`;
    `accounts.collection.get("/search", AccountsController.search)` is `/accounts/search`, called `search_accounts`.
    """

    def __init__(self, table: _Table, below: _Frame, member: _Frame, collection: _Frame) -> None:
        super().__init__(table, below)
        self.member = Routes(table, member)
        self.collection = Routes(table, collection)


def _place() -> str:
    """The file and line of the nearest call from outside this module."""
    frame = inspect.currentframe()
    while frame is not None and frame.f_code.co_filename == __file__:
        frame = frame.f_back
    if frame is None:
        return "routes"
    file, here = Path(frame.f_code.co_filename), Path.cwd()
    return f"{file.relative_to(here) if file.is_relative_to(here) else file}:{frame.f_lineno}"
