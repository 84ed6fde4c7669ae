"""The controller: an object that lives for one request and whose public methods are actions."""

import inspect
import os
import re
import types
from collections.abc import AsyncIterable, Callable, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar, NamedTuple, Protocol, TypeVar

from fastapi import Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

import lazyauth
from lazyapp.accept import header
from lazyapp.before import is_before
from lazyapp.current import current
from lazyapp.downloads import data_answer, file_answer
from lazyapp.errors import LazyappError
from lazyapp.forms import EMPTY, FailedForm
from lazyapp.sessions import Session
from lazyapp.settings import Settings
from lazyapp.streams import EventStream, Stream

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


_LOGIN = "requires_login"
OWN_LAYOUT = ""  # that of the controller; None is no layout
T = TypeVar("T", bound=Callable[..., Any])


class UnsafeRedirect(LazyappError):
    """`redirect_to` was given another site's address; say `foreign=True` where that is meant."""


class Renderer(Protocol):
    """What renders a view; `lazyview.Views` does."""

    def render(
        self,
        name: str,
        variables: Mapping[str, Any] | None = None,
        *,
        layout: str | None = None,
        variants: Sequence[str] = (),
    ) -> str:
        """The view as text."""
        ...

    def render_block(
        self, name: str, block: str, variables: Mapping[str, Any] | None = None, *, variants: Sequence[str] = ()
    ) -> str:
        """One block of it."""
        ...

    def exists(self, name: str) -> bool:
        """Whether there is such a view."""
        ...


class Site(Protocol):
    """What every controller of one application shares; `Pages` is it."""

    @property
    def views(self) -> Renderer:
        """The application's views."""
        ...

    @property
    def settings(self) -> Settings:
        """This run's settings."""
        ...

    def path_for(self, name: str, /, **params: Any) -> str:
        """The path of a named route."""
        ...


class Page(NamedTuple):
    """One request as its controller sees it: which action it reached, and what failed before, if a form did."""

    request: Request
    site: Site
    folder: str
    action: str
    failed: FailedForm | None = None


class Controller:
    """Subclass it, and every public method is an action.

    An action takes FastAPI's parameters, and services by their bare type. It returns None or a dict of variables to render its own
    view (`accounts/index` for `AccountsController.index`), a model for JSON, or any `Response`. Sync actions run in a thread.

    Attributes:
        layout: the layout around its views, `admin` for `layouts/admin.html.j2`; None for none.
        variants: which variants of views are preferred, set by what knows: `self.variants = ("phone",)`.
    """

    layout: ClassVar[str | None] = "app"
    variants: tuple[str, ...] = ()

    _page: Page
    _work: tuple[Callable[[], Any], ...] = ()

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        for name in dir(cls):
            method = inspect.getattr_static(cls, name)
            if name.startswith("_") or not inspect.isfunction(method) or hasattr(Controller, name):
                continue
            if is_before(method):
                continue
            if name not in vars(cls):
                # An inherited action becomes the subclass's own, or `Sub.index` could not be told from `Base.index`.
                method = _copied(method)
                setattr(cls, name, method)
            # So that a route drawn from `AccountsController.index`, a plain function, knows its class.
            method.__dict__["controller"] = cls

    @property
    def request(self) -> Request:
        """The request, FastAPI's own object."""
        return self._page.request

    @property
    def session(self) -> Session:
        """The visitor's session."""
        session: Session = self._page.request.scope["session"]
        return session

    @property
    def current_user(self) -> lazyauth.User | None:
        """Who is signed in to the pages, or None."""
        here = current.get()
        return here.user if here else None

    @property
    def settings(self) -> Settings:
        """This run's settings."""
        return self._page.site.settings

    def flash(self, message: str, kind: str = "notice") -> None:
        """Show a message on the next page that this visitor sees, also after a redirect."""
        self.session.flash(message, kind)

    def path_for(self, name: str, /, **params: Any) -> str:
        """The path of a named route, `path_for("account", id=3)`."""
        return self._page.site.path_for(name, **params)

    def url_for(self, name: str, /, **params: Any) -> str:
        """The address of a named route for those who are elsewhere, in a mail for example: `PUBLIC_URL` and the path."""
        return f"{self.settings.public_url}{self.path_for(name, **params)}"

    def redirect_to(self, target: str, /, *, foreign: bool = False, **params: Any) -> Response:
        """Send the browser on with 303, so that it asks with GET whatever the form's method was. RFC 9110, section 15.4.4.

        Args:
            target: a route's name, or a path that starts with a slash.
            foreign: the target may be another site's address.
            params: the named route's parameters.

        Raises:
            UnsafeRedirect: the target leads to another host and `foreign` was not said.
        """
        if target.startswith("/") or "://" in target:
            # A browser reads `//host`, `/\host` and, dropping the tab, `/<tab>/host` as another host.
            is_local = re.match(r"/(?:[^/\\\x00-\x20]|$)", target) is not None
            if not (foreign or is_local or f"{target}/".startswith(f"{self.settings.public_url}/")):
                raise UnsafeRedirect(f"redirect_to({target!r}) leads to another host; say foreign=True if it should")
            return RedirectResponse(target, status_code=303)
        return RedirectResponse(self.path_for(target, **params), status_code=303)

    def redirect_back(self, otherwise: str, /, **params: Any) -> Response:
        """Send the browser back to the page of ours that it came from, with 303.

        Args:
            otherwise: where to when it came from nowhere or from elsewhere; see `redirect_to`.
            params: the parameters of that named route.
        """
        came_from = header(self._page.request.scope, b"referer")
        # The host that was asked for is one of ours, or the request would have been refused.
        if f"{came_from}/".startswith((f"{self.settings.public_url}/", f"{self._page.request.base_url}")):
            return RedirectResponse(came_from, status_code=303)
        return self.redirect_to(otherwise, **params)

    def send_stream(self, pieces: AsyncIterable[str | bytes], *, media_type: str = "text/plain") -> Response:
        """Send an answer piece by piece, as they come. A visitor who leaves cancels it, and its `finally` runs.

        Args:
            pieces: an async generator, as a rule; it runs after the action, without the services of the request.
            media_type: of the whole.
        """
        return Stream(pieces, media_type=media_type)

    def send_events(self, events: AsyncIterable[object]) -> Response:
        """Send server-sent events for as long as the visitor stays; see `last_event_id`.

        They end properly when the server does; the browser comes back by itself.

        Args:
            events: FastAPI's `ServerSentEvent`, a text, or anything that can be JSON.
        """
        return EventStream(events)

    @property
    def last_event_id(self) -> str | None:
        """The id of the last event that this browser saw before its connection broke; None at the first time."""
        given = header(self._page.request.scope, b"last-event-id")
        # HTML Living Standard, 9.2.4: the header is UTF-8.
        return given.encode("latin-1").decode("utf-8", "replace") or None

    def send_file(
        self,
        file: str | os.PathLike[str],
        *,
        root: str | os.PathLike[str] | None = None,
        filename: str | None = None,
        inline: bool = False,
    ) -> Response:
        """Send a file from disk, in ranges where they are asked for; 404 when there is none.

        Args:
            file: its path. When any of it comes from the visitor, give `root`.
            root: the folder that `file` is relative to. What lies outside, wherever links lead, or is hidden, is not there.
            filename: the name to save it under; None: its own.
            inline: show it in the browser instead of saving it. A page among them runs on your site: know who wrote it.
        """
        return file_answer(file, root=root, filename=filename, inline=inline)

    def send_data(self, data: bytes | str, filename: str, *, media_type: str | None = None, inline: bool = False) -> Response:
        """Send what was made in memory as a file; its type is told by the ending of its name unless it is given."""
        return data_answer(data, filename, media_type=media_type, inline=inline)

    def background(self, work: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
        """Do some work once the answer is sent, in order. The services of the request are closed by then.

        An error in it is logged with the request's id. A server that is told to end waits for it.
        """
        self._work = (*self._work, partial(work, *args, **kwargs))

    def render(
        self,
        view: str | None = None,
        /,
        *,
        status: int = 200,
        layout: str | None = OWN_LAYOUT,
        block: str | None = None,
        **variables: Any,
    ) -> Response:
        """Render a view; see `rendered` for variables that are named like an argument here.

        Args:
            view: `new` for this controller's, `shared/notice` for any; None: the action's own.
            status: the answer's status; a form that failed makes 200 a 422.
            layout: the layout around it instead of the controller's; None: the view alone.
            block: only this block of the view, and nothing around it: a fragment for Turbo or htmx.
            variables: what the view may use.
        """
        return self.rendered(variables, view=view, status=status, layout=layout, block=block)

    def rendered(
        self,
        variables: Mapping[str, Any],
        *,
        view: str | None = None,
        status: int = 200,
        layout: str | None = OWN_LAYOUT,
        block: str | None = None,
    ) -> Response:
        """Render a view with a mapping of variables; what an action that returns a dict does."""
        page = self._page
        name = view or page.action
        failed, views = page.failed, page.site.views
        given = {**(failed.variables if failed else EMPTY), **variables}
        if "/" not in name:
            name = f"{page.folder}/{name}"
        if block is not None:
            text = views.render_block(name, block, given, variants=self.variants)
        else:
            text = views.render(name, given, layout=self.layout if layout == OWN_LAYOUT else layout, variants=self.variants)
        return _View(text, 422 if failed and status == 200 else status)


class _View(HTMLResponse):
    """Most pages need two headers, whatever FastAPI would look up about them."""

    def init_headers(self, headers: Mapping[str, str] | None = None) -> None:
        """Called by FastAPI's response as it is made."""
        if headers or self.status_code < 200 or self.status_code in (204, 304):
            return super().init_headers(headers)
        self.raw_headers = [(b"content-length", b"%d" % len(self.body)), (b"content-type", b"text/html; charset=utf-8")]
        return None


def require_login(target: T) -> T:
    """Only for people who are signed in: an action, or a controller with all of its actions.

    Others are sent to `/login` and come back afterwards; a client that reads JSON is answered 401. It is asked before anything of
    the request is read.
    """
    setattr(target, _LOGIN, True)
    return target


def requires_login(controller: type[Controller], action: str) -> bool:
    """Whether `require_login` stands on an action, or on its controller."""
    return bool(getattr(controller, _LOGIN, False) or getattr(getattr(controller, action), _LOGIN, False))


def controller_name(controller: type[Controller]) -> str:
    """The folder of a controller's views: `AccountsController` is `accounts`, `OrderItemsController` is `order_items`."""
    return _HUMP.sub("_", controller.__name__.removesuffix("Controller") or controller.__name__).lower()


def actions_of(controller: type[Controller]) -> list[str]:
    """The names of a controller's actions."""
    return [name for name in dir(controller) if getattr(getattr(controller, name), "controller", None) is controller]


def _copied(function: types.FunctionType) -> types.FunctionType:
    copy = types.FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__, function.__closure__
    )
    copy.__kwdefaults__ = function.__kwdefaults__
    copy.__annotations__ = dict(function.__annotations__)
    copy.__dict__.update(function.__dict__)
    copy.__doc__, copy.__module__, copy.__qualname__ = function.__doc__, function.__module__, function.__qualname__
    return copy
