"""The App: one FastAPI that answers pages, AI clients and their login, opened in its lifespan and closed in reverse."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from fastapi import APIRouter
from fastapi.testclient import TestClient
from pydantic import SecretStr

import lazyapp
import lazyauth
import lazymcp
import lazyoauth
from lazyapp.errors import ConfigurationError, StartupError
from lazyapp.settings import Settings
from lazymcp import tool

CALL = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/list",
    "params": {
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        }
    },
}
HEADERS = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/list", "Accept": "application/json, text/event-stream"}


class Clock:
    """A service that remembers its life."""

    events: list[str]

    def __init__(self, events: list[str]) -> None:
        self.events = events


class ClockMCP(lazymcp.Base):
    """A module whose constructor asks for a service."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock

    @tool
    def now(self) -> str:
        """Tell the time."""
        return "noon" if self.clock.events else "never"


def settings(tmp_path: Path, **values: Any) -> Settings:
    return Settings(**({"env": "test", "root": tmp_path, "given_public_url": "http://testserver"} | values))


def config(events: list[str] | None = None, **values: Any) -> lazyapp.Config:
    kept = events if events is not None else []

    async def open_clock() -> AsyncIterator[Clock]:
        kept.append("open")
        yield Clock(kept)
        kept.append("close")

    def dependencies(services: lazyapp.Services) -> None:
        services.add(Clock, open_clock)

    return lazyapp.Config(**({"name": "example.com", "dependencies": dependencies, "mcp": register} | values))


def register(ctx: lazyapp.AppContext, scope: lazymcp.Scope) -> None:
    scope.register(ClockMCP(ctx.get(Clock)))


def oauth(ctx: lazyapp.AppContext) -> lazyoauth.Config:
    return lazyoauth.Config(issuer=ctx.settings.public_url, refresh_token_states=lazyoauth.MemoryRefreshTokenStates())


def tools(client: TestClient) -> Any:
    return client.post("/mcp", json=CALL, headers=HEADERS)


def test_making_an_app_opens_nothing_and_its_lifespan_may_run_twice(tmp_path: Path) -> None:
    events: list[str] = []
    app = lazyapp.App(config(events), settings=settings(tmp_path))
    assert events == []
    for _ in range(2):
        with TestClient(app) as client:
            assert tools(client).json()["result"]["tools"][0]["name"] == "clock.now"
    assert events == ["open", "close", "open", "close"]


def test_two_apps_live_in_one_process(tmp_path: Path) -> None:
    first, second = (lazyapp.App(config(name=name), settings=settings(tmp_path)) for name in ("one", "two"))
    with TestClient(first) as one, TestClient(second) as two:
        assert one.get("/openapi.json").json()["info"]["title"] == "one"
        assert two.get("/openapi.json").json()["info"]["title"] == "two"
        assert tools(one).status_code == tools(two).status_code == 200


@pytest.mark.parametrize("path", ["/mcp", "/mcp/"])
def test_mcp_answers_with_and_without_the_slash_and_never_redirects(tmp_path: Path, path: str) -> None:
    """A redirect loses body and credentials: https://github.com/modelcontextprotocol/python-sdk/issues/1168."""
    with TestClient(lazyapp.App(config(), settings=settings(tmp_path)), follow_redirects=False) as client:
        assert client.post(path, json=CALL, headers=HEADERS).status_code == 200
        assert client.get(path).status_code == 405


def test_without_modules_there_is_no_mcp_and_the_rest_works(tmp_path: Path) -> None:
    app = lazyapp.App(config(mcp=lambda ctx, scope: None, oauth=oauth), settings=settings(tmp_path))
    with TestClient(app) as client:
        assert client.post("/mcp", json=CALL, headers=HEADERS).status_code == 404
        assert client.get("/.well-known/oauth-protected-resource/mcp").status_code == 404
        assert client.get("/.well-known/oauth-authorization-server").json()["issuer"] == "http://testserver"
        assert client.get("/openapi.json").status_code == 200
    assert app.mcp is None


def test_with_oauth_mcp_asks_for_a_token_and_names_its_metadata(tmp_path: Path) -> None:
    """RFC 9728, section 5.1."""
    with TestClient(lazyapp.App(config(oauth=oauth), settings=settings(tmp_path))) as client:
        refused = tools(client)
        assert refused.status_code == 401
        assert (
            'resource_metadata="http://testserver/.well-known/oauth-protected-resource/mcp"' in refused.headers["www-authenticate"]
        )
        assert client.get("/.well-known/oauth-protected-resource/mcp").json()["resource"] == "http://testserver/mcp"


def test_it_is_a_fastapi(tmp_path: Path) -> None:
    router = APIRouter()

    @router.get("/ping")
    async def ping() -> dict[str, str]:
        return {"pong": "yes"}

    app = lazyapp.App(config(), settings=settings(tmp_path))
    app.include_router(router, prefix="/api")
    with TestClient(app) as client:
        assert client.get("/api/ping").json() == {"pong": "yes"}
        assert "/api/ping" in client.get("/openapi.json").json()["paths"]


def test_middlewares_wrap_pages_and_mcp_alike_each_once(tmp_path: Path) -> None:
    seen: list[str] = []

    def counting(name: str) -> Any:
        def wrap(inner: Any) -> Any:
            async def app(scope: Any, receive: Any, send: Any) -> None:
                if scope["type"] == "http":
                    seen.append(f"{name} {scope['path']}")
                await inner(scope, receive, send)

            return app

        return wrap

    app = lazyapp.App(config(middlewares=[counting("outer"), counting("inner")]), settings=settings(tmp_path))
    with TestClient(app) as client:
        tools(client)
        client.get("/openapi.json")
    assert seen == ["outer /mcp", "inner /mcp", "outer /openapi.json", "inner /openapi.json"]


def test_readiness_follows_the_start(tmp_path: Path) -> None:
    app = lazyapp.App(config(), settings=settings(tmp_path))
    assert TestClient(app).get("/readyz").status_code == 503
    with TestClient(app) as client:
        assert client.get("/readyz").json() == {"status": "ready", "failing": []}
        assert client.get("/livez").status_code == 200


async def test_a_failing_hook_names_its_step_and_what_was_open_is_closed(tmp_path: Path) -> None:
    events: list[str] = []

    def broken(ctx: lazyapp.AppContext, scope: lazymcp.Scope) -> None:
        raise RuntimeError("no such module")

    app = lazyapp.App(config(events, mcp=broken), settings=settings(tmp_path))
    with pytest.raises(StartupError, match="mcp: no such module"):
        async with app.router.lifespan_context(app):
            pass
    assert events == ["open", "close"]
    assert app.mcp is None


@pytest.mark.parametrize("field", ["dependencies", "drawer"])
def test_a_hook_of_the_construction_cannot_be_async(tmp_path: Path, field: str) -> None:
    async def later(target: object) -> None: ...

    with pytest.raises(ConfigurationError, match="is async, but runs when the App is made"):
        lazyapp.App(config(**{field: later}), settings=settings(tmp_path))


async def test_hooks_may_be_coroutine_functions(tmp_path: Path) -> None:
    async def later(ctx: lazyapp.AppContext, scope: lazymcp.Scope) -> None:
        register(ctx, scope)

    app = lazyapp.App(config(mcp=later), settings=settings(tmp_path))
    async with app.router.lifespan_context(app):
        assert app.mcp is not None


@pytest.mark.parametrize(
    ("values", "hooks", "sentence"),
    [
        ({"secret_key": None}, {}, "SECRET_KEY is not set"),
        ({"given_public_url": ""}, {"oauth": oauth}, "PUBLIC_URL is not set"),
        ({}, {"oauth": oauth}, "Nobody can log in"),
        ({"default_pass": SecretStr("long enough")}, {"oauth": oauth}, "Refresh tokens would be forgotten at every restart"),
        ({"default_pass": SecretStr("short")}, {"oauth": oauth}, "LAZYAUTH_DEFAULT_PASS"),
        ({"addr": "0.0.0.0"}, {}, "/mcp would answer anybody on the network"),
        ({"oauth_limits": "logins=never"}, {"oauth": oauth}, "LAZYOAUTH_LIMITS"),
        ({"oauth_test_documents": "https://claude.ai/=http://127.0.0.1:1/"}, {"oauth": oauth}, "LAZYOAUTH_TEST_DOCUMENTS lets"),
        ({"oauth_test_documents": "claude.ai"}, {"oauth": oauth}, "LAZYOAUTH_TEST_DOCUMENTS"),
    ],
)
async def test_an_unsafe_production_start_is_refused(
    tmp_path: Path, values: dict[str, Any], hooks: dict[str, Any], sentence: str
) -> None:
    given = {"env": "production", "secret_key": SecretStr("s" * 40), "given_public_url": "https://example.com"} | values
    app = lazyapp.App(config(**hooks), settings=settings(tmp_path, **given))
    with pytest.raises(ConfigurationError, match=sentence):
        async with app.router.lifespan_context(app):
            pass


def test_the_documentation_works_in_production(tmp_path: Path) -> None:
    """FastAPI developers turn it off with `docs_url`, and else expect it to work: its page may load its scripts."""
    given = settings(tmp_path, env="production", secret_key=SecretStr("s" * 40), given_public_url="https://testserver")
    with TestClient(lazyapp.App(config(mcp=None), settings=given)) as client:
        for path in ("/docs", "/redoc"):
            assert "https://cdn.jsdelivr.net" in client.get(path).headers["content-security-policy"]


async def test_a_database_is_not_invented_in_production(tmp_path: Path) -> None:
    def dependencies(services: lazyapp.Services) -> None:
        services.add(lazyoauth.RefreshTokenStateStore, lazyoauth.SQLRefreshTokenStates)

    given = settings(tmp_path, env="production", secret_key=SecretStr("s" * 40), given_public_url="https://shop.example")
    app = lazyapp.App(config(dependencies=dependencies, mcp=None), settings=given)
    with pytest.raises(ConfigurationError, match="DATABASE_URL is not set"):
        async with app.router.lifespan_context(app):
            pass


async def test_stdio_opens_services_and_modules_and_no_oauth(tmp_path: Path) -> None:
    events: list[str] = []
    app = lazyapp.App(config(events, oauth=oauth), settings=settings(tmp_path))
    async with app.stdio() as scope:
        assert [module.name for module in scope.summary()] == ["clock"]
        assert app.oauth is None
        assert lazyauth.require_user().id == "admin"
    assert lazyauth.current_user() is None
    assert events == ["open", "close"]


async def test_stdio_without_modules_says_so(tmp_path: Path) -> None:
    app = lazyapp.App(config(mcp=None), settings=settings(tmp_path))
    with pytest.raises(ConfigurationError, match="no MCP modules"):
        async with app.stdio():
            pass


async def test_modules_are_described_without_opening_a_service(tmp_path: Path) -> None:
    events: list[str] = []
    app = lazyapp.App(config(events), settings=settings(tmp_path))
    assert [(row.kind, row.name) for row in await app.describe_mcp()] == [("tool", "clock.now")]
    assert events == []


def test_a_folder_that_does_not_exist_is_named() -> None:
    with pytest.raises(ConfigurationError, match="names the folder /nowhere"):
        lazyapp.Config(name="x", views=Path("/nowhere"))
