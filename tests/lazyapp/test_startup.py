"""The start, step by step: what lower packages are handed, and that a failure closes what was open."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

import lazyauth
import lazymcp
import lazyoauth
from lazyapp.config import AppContext, Config
from lazyapp.errors import ConfigurationError, StartupError
from lazyapp.services import Services
from lazyapp.settings import Settings
from lazyapp.startup import GIVEN, Plan, started
from lazymcp import tool
from lazymcp.sql import PostgresBus
from lazymcp.task_sql import SQLTasks
from lazymcp.task_store import MemoryTasks
from lazyview import Views


class HelloMCP(lazymcp.Base):
    """Greets."""

    @tool
    def hello(self) -> str:
        """Say hello."""
        return "hello"


class NewsMCP(lazymcp.Base):
    """Tells what changed."""

    def __init__(self, scope: lazymcp.Scope) -> None:
        self.scope = scope

    @tool
    async def sell(self) -> str:
        """Sell one."""
        await self.scope.notify_resource_updated("stock://tea")
        return "sold"


def plan(services: Services | None = None, **hooks: Any) -> Plan:
    declared = services or Services()
    declared.reserve(*GIVEN)
    return Plan(Config(name="shop", **hooks), declared, Views([]), "1.0")


def register(ctx: AppContext, scope: lazymcp.Scope) -> None:
    scope.register(HelloMCP())


def oauth(ctx: AppContext) -> lazyoauth.Config:
    return lazyoauth.Config(issuer=ctx.settings.public_url, refresh_token_states=lazyoauth.MemoryRefreshTokenStates())


async def test_the_bootstrap_user_of_the_environment_may_use_every_module(tmp_path: Path) -> None:
    """The seed, "Register modules": LAZYAUTH_DEFAULT_PASS seeds the bootstrap user."""
    settings = Settings(env="test", root=tmp_path, default_pass=SecretStr("long enough"))
    async with started(plan(), settings) as running:
        user = await running.authenticator.authenticate(lazyauth.Credential("admin", "long enough"))
    assert user.data["mcps"] == ["*"]


async def test_modules_and_hooks_find_the_scope_that_is_served_by_its_type(tmp_path: Path) -> None:
    """docs/subscriptions.md: whoever changes something tells it by the scope that clients listen to."""
    built: list[NewsMCP] = []

    def mcp(ctx: AppContext, scope: lazymcp.Scope) -> None:
        assert ctx.get(lazymcp.Scope) is scope
        built.append(ctx.services.build(NewsMCP))
        scope.register(*built)

    started_plan = plan(mcp=mcp)
    async with started(started_plan, Settings(env="test", root=tmp_path)) as running:
        assert built[0].scope is running.mcp
        assert started_plan.services.get(lazymcp.Scope) is running.mcp


async def test_without_a_password_nobody_can_log_in(tmp_path: Path) -> None:
    async with started(plan(), Settings(env="test", root=tmp_path)) as running:
        with pytest.raises(lazyauth.InvalidCredentials):
            await running.authenticator.authenticate(lazyauth.Credential("admin", ""))


@pytest.mark.parametrize("wrapped", [True, False])
async def test_an_application_brings_its_own_users(tmp_path: Path, wrapped: bool) -> None:
    users = lazyauth.MemoryUsers()

    async def auth(ctx: AppContext) -> Any:
        return lazyauth.Config(authenticator=users) if wrapped else users

    async with started(plan(auth=auth), Settings(env="test", root=tmp_path)) as running:
        assert running.authenticator is users


async def test_settings_and_users_are_services_too(tmp_path: Path) -> None:
    settings = Settings(env="test", root=tmp_path)
    seen: list[Any] = []

    def mcp(ctx: AppContext, scope: lazymcp.Scope) -> None:
        seen.extend([ctx.get(Settings), ctx.get(lazyauth.Authenticator)])  # type: ignore[type-abstract]

    async with started(plan(mcp=mcp), settings) as running:
        assert seen == [settings, running.authenticator]


async def test_stdio_leaves_oauth_out_and_refuses_nothing(tmp_path: Path) -> None:
    settings = Settings(env="production", root=tmp_path, secret_key=SecretStr("s" * 40), addr="0.0.0.0")
    async with started(plan(mcp=register, oauth=oauth), settings, web=False) as running:
        assert running.oauth is None
        assert running.mcp is not None


async def test_in_development_every_loopback_name_is_an_issuer_of_its_own(tmp_path: Path) -> None:
    settings = Settings(env="development", root=tmp_path, port=4321)
    async with started(plan(mcp=register, oauth=oauth), settings) as running:
        assert running.oauth is not None
        assert "/.well-known/oauth-authorization-server" in running.oauth.routes


@pytest.mark.parametrize(
    ("hooks", "error", "sentence"),
    [
        ({"auth": lambda ctx: 1 / 0}, StartupError, "auth: division by zero"),
        ({"oauth": lambda ctx: 1 / 0}, StartupError, "oauth: division by zero"),
        (
            {"oauth": lambda ctx: lazyoauth.Config(issuer="https://a.example/", refresh_token_states=None)},
            ConfigurationError,
            "issuer",
        ),  # type: ignore[arg-type]
        ({"mcp": lambda ctx, scope: scope.register(HelloMCP(), HelloMCP())}, StartupError, "mcp: "),
    ],
)
async def test_a_failing_hook_is_named_and_services_are_closed(
    tmp_path: Path, hooks: dict[str, Any], error: type[Exception], sentence: str
) -> None:
    events: list[str] = []

    async def opened() -> AsyncIterator[list[str]]:
        events.append("open")
        yield events
        events.append("close")

    services = Services()
    services.add(list, opened)
    with pytest.raises(error, match=sentence):
        async with started(plan(services, **hooks), Settings(env="test", root=tmp_path)):
            pass
    assert events == ["open", "close"]


async def test_a_broken_template_stops_the_start_and_is_named(tmp_path: Path) -> None:
    (tmp_path / "home.html.j2").write_text("{% if %}")
    broken = Plan(Config(name="shop", views=tmp_path), Services(), Views([tmp_path]), "1.0")
    broken.services.reserve(*GIVEN)
    with pytest.raises(StartupError, match=r"templates: .*home\.html\.j2"):
        async with started(broken, Settings(env="test", root=tmp_path)):
            pass


async def test_on_postgresql_the_processes_of_an_application_hear_each_other(tmp_path: Path, postgres_url: str) -> None:
    """Design 3, "Scales by adding processes": NOTIFY for news."""
    settings = Settings(env="test", root=tmp_path, database_url=SecretStr(postgres_url))
    heard: asyncio.Queue[Any] = asyncio.Queue()
    async with started(plan(mcp=register), settings) as one, started(plan(mcp=register), settings) as two:
        assert one.mcp is not None
        assert two.mcp is not None
        bus = two.mcp.options.bus
        assert isinstance(bus, PostgresBus)
        bus.listen("news", heard.put_nowait)
        await one.mcp.notify_tools_changed()
        assert await asyncio.wait_for(heard.get(), 10) == {"kind": "tools"}
    assert not bus.is_open


async def test_a_local_process_is_on_the_bus_too(tmp_path: Path, postgres_url: str) -> None:
    settings = Settings(env="test", root=tmp_path, database_url=SecretStr(postgres_url))
    async with started(plan(mcp=register), settings, web=False) as running:
        assert running.mcp is not None
        assert isinstance(running.mcp.options.bus, PostgresBus)
        assert running.mcp.options.bus.is_open


async def test_without_mcp_modules_no_bus_is_opened(tmp_path: Path) -> None:
    """The database of this address is not there: who opened a bus would notice."""
    nowhere = SecretStr("postgresql+asyncpg://nobody@127.0.0.1:1/nothing")
    async with started(plan(), Settings(env="test", root=tmp_path, database_url=nowhere)) as running:
        assert running.mcp is None


async def test_a_database_that_is_away_is_named_with_its_step(tmp_path: Path) -> None:
    nowhere = SecretStr("postgresql+asyncpg://nobody:hidden@127.0.0.1:1/nothing")
    with pytest.raises(StartupError, match=r"^mcp: ") as caught:
        async with started(plan(mcp=register), Settings(env="test", root=tmp_path, database_url=nowhere)):
            pass
    assert "hidden" not in str(caught.value)


async def test_on_sqlite_an_application_is_one_process_for_news_and_its_tasks_are_kept(tmp_path: Path) -> None:
    async with started(plan(mcp=register), Settings(env="test", root=tmp_path)) as running:
        assert running.mcp is not None
        assert running.mcp.options.bus is None
        assert isinstance(running.mcp.options.tasks, SQLTasks)


async def test_an_application_may_bring_a_bus_and_a_store_of_tasks(tmp_path: Path, postgres_url: str) -> None:
    bus, tasks = lazymcp.MemoryBus(), MemoryTasks()
    given = lazymcp.Options(bus=bus, tasks=tasks)
    settings = Settings(env="test", root=tmp_path, database_url=SecretStr(postgres_url))
    async with started(plan(mcp=register, mcp_options=given), settings) as running:
        assert running.mcp is not None
        assert running.mcp.options.bus is bus
        assert running.mcp.options.tasks is tasks
