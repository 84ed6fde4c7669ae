"""`client`: an application started for a test, and everybody who talks to it: a browser, an AI client, and its login."""

import importlib
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import httpx2

import lazyauth
from lazyapp.app import App
from lazyapp.steps.mcp import MCP_PATH
from lazyapp.testing.browser import Browser
from lazyapp.testing.errors import NotSignedIn
from lazyapp.testing.login import CALLBACK, Asked, Login, Tokens
from lazyapp.testing.mcp import Answers, MCPClient
from lazyapp.testing.mcp_wire import MODERN, Wire
from lazyapp.testing.opening import started
from lazyapp.testing.people import People
from lazyapp.testing.stand_ins import overridden
from lazyapp.testing.transport import InProcess, failures_kept

User = str | lazyauth.User


class Client(Browser):
    """A browser on an application, which is also the way to its MCP modules and to the login of AI clients.

    Made by `client`; while it is open the application runs.
    """

    def __init__(self, app: App, people: People, stack: AsyncExitStack, *, raise_errors: bool) -> None:
        self.app = app
        self._people = people
        self._stack = stack
        super().__init__(self._connection(), app.settings.public_url, raise_errors=raise_errors)
        self._login = Login(self._connection())
        self._tokens: dict[tuple[lazyauth.User, tuple[str, ...] | None], Tokens] = {}

    async def sign_in(self, user: User) -> None:
        """Sign somebody in to the pages of this browser, as the login form does, without a password.

        Args:
            user: the id of one of the application's users, or a `lazyauth.User` who exists for this test alone.

        Raises:
            NotSignedIn: the application has no users, or none of this id.
        """
        self._people.begin(self.http, self.url, await self._people.find(user))

    def sign_out(self) -> None:
        """Sign out of the pages of this browser."""
        self._people.end(self.http, self.url)

    async def as_user(self, user: User) -> "Browser":
        """Another browser, where this user is signed in; see `sign_in`."""
        other = self.browser()
        self._people.begin(other.http, other.url, await self._people.find(user))
        return other

    def browser(self) -> Browser:
        """Another person's browser: its own cookies."""
        return Browser(self._connection(), self.url, raise_errors=self._raise_errors)

    @property
    def session(self) -> Mapping[str, Any]:
        """What the session of this browser remembers, by name."""
        return dict(self._people.session(self.http, self.url))

    async def connect(
        self,
        client_name: str = "Test client",
        user: User | None = None,
        *,
        scopes: Sequence[str] | None = None,
        password: str | None = None,
        redirect_uri: str = CALLBACK,
        allow: bool = True,
    ) -> Tokens:
        """Log an AI client in: it registers, the person signs in and agrees, and the code becomes tokens.

        Args:
            client_name: what the client calls itself.
            user: who agrees; see `sign_in`.
            scopes: what the client asks for; None leaves that to the server.
            password: is typed into the login form; None: the person is signed in already.
            redirect_uri: where the client wants the answer; nothing is sent there.
            allow: whether the person says yes.

        Raises:
            LoginRefused: it ended without a token; `error` is the code.
            NotSignedIn: there is no such user.
        """
        if user is None:
            raise NotSignedIn("say who connects the client: connect(user=…)")
        asked = Asked(client_name, scopes, redirect_uri, allow)
        if password is not None:
            name = user.id if isinstance(user, lazyauth.User) else user
            return await self._login.connect(asked, self.browser(), (name, password))
        return await self._login.connect(asked, await self.as_user(user), None)

    async def token(self, user: User, scopes: Sequence[str] | None = None) -> str:
        """An access token for `/mcp` in this user's name: the header is `Authorization: Bearer` and this. Made once a test.

        Raises:
            LoginRefused, NotSignedIn: see `connect`.
        """
        key = (await self._people.find(user), None if scopes is None else tuple(scopes))
        if key not in self._tokens:
            self._tokens[key] = await self.connect(user=user, scopes=scopes)
        return self._tokens[key].access_token

    def mcp(
        self,
        user: User | None = None,
        *,
        revision: str = MODERN,
        token: str | None = None,
        scopes: Sequence[str] | None = None,
        answers: Answers | None = None,
    ) -> MCPClient:
        """An AI client at `/mcp`. It connects when it is first used.

        Args:
            user: whose name it acts in, with a token of a login of its own; None: it brings no token.
            revision: of the protocol: `2026-07-28`, `2025-11-25`, `2025-06-18` or `2025-03-26`.
            token: an access token to use instead.
            scopes: what that login asks for.
            answers: answers what tools ask the user: a dictionary for a form, True for a page, None for no.
        """

        async def authorize() -> Mapping[str, str]:
            given = token or (await self.token(user, scopes) if user is not None else "")
            return {"authorization": f"Bearer {given}"} if given else {}

        wire = Wire(self._connection(), revision, authorize, raise_errors=self._raise_errors)
        self._stack.push_async_callback(wire.close)
        return MCPClient(wire, answers)

    @asynccontextmanager
    async def mcp_session(self, user: User | None = None, **options: Any) -> AsyncIterator[Any]:
        """The official SDK's `mcp.Client` at `/mcp`, in this process; for who has the package `mcp` installed.

        Args:
            user: whose name it acts in; None: it brings no token.
            options: the SDK client's own.
        """
        sdk, transport = importlib.import_module("mcp"), importlib.import_module("mcp.client.streamable_http")
        http = self._connection()
        if user is not None:
            http.headers["authorization"] = f"Bearer {await self.token(user)}"
        async with sdk.Client(transport.streamable_http_client(f"{self.url}{MCP_PATH}", http_client=http), **options) as session:
            yield session

    def _connection(self) -> httpx2.AsyncClient:
        http = httpx2.AsyncClient(transport=InProcess(self.app), base_url=self.app.settings.public_url, timeout=None)
        self._stack.push_async_callback(http.aclose)
        return http


@asynccontextmanager
async def client(
    app: App,
    services: Mapping[type[Any], Any] | None = None,
    *,
    dependencies: Mapping[Callable[..., Any], Callable[..., Any]] | None = None,
    raise_errors: bool = True,
) -> AsyncIterator[Client]:
    """Start an application for a test, and end it afterwards.

    Args:
        app: the application. It reads its settings from the environment, as ever; the pytest plugin says LAZYAPP_ENV=test, which
            gives each start a database of its own unless DATABASE_URL names one.
        services: stand-ins for declared services, by type: an object, or a class or function that makes one.
        dependencies: stand-ins for FastAPI dependencies; as `app.dependency_overrides`, whose changes end here too.
        raise_errors: raise what fails in an action or a tool; False: answer what a visitor or a model sees.

    Raises:
        ConfigurationError, StartupError: the application did not start.
    """
    before = dict(app.dependency_overrides)
    app.dependency_overrides.update(dependencies or {})
    async with AsyncExitStack() as stack:
        stack.callback(_restore, app.dependency_overrides, before)
        stack.enter_context(overridden(app.services, services or {}))
        stack.enter_context(failures_kept())
        await stack.enter_async_context(started(app))
        running = app.running
        if running is None:
            raise RuntimeError("the application's lifespan did not reach it; does a middleware swallow it?")
        people = People(app, running)
        stack.enter_context(people.known())
        yield Client(app, people, stack, raise_errors=raise_errors)


def _restore(overrides: dict[Any, Any], before: Mapping[Any, Any]) -> None:
    overrides.clear()
    overrides.update(before)
