"""The start, step by step: a failure is named by its step and closes what was open."""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

import lazyoauth
from lazyapp.config import Config
from lazyapp.errors import ConfigurationError, StartupError
from lazyapp.services import Services
from lazyapp.settings import Settings
from lazyapp.startup import GIVEN, started
from lazyapp.steps.beginning import Plan
from lazyview import Views
from tests.lazyapp.planned import HelloMCP, oauth, plan, register
from tests.lazyoauth.journey import make_users


async def test_stdio_leaves_oauth_out_and_refuses_nothing(tmp_path: Path) -> None:
    settings = Settings(env="production", root=tmp_path, secret_key=SecretStr("s" * 40), addr="0.0.0.0")
    async with started(plan(mcp=register, oauth=oauth), settings, web=False) as running:
        assert running.oauth is None
        assert running.mcp is not None


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


async def test_development_looks_at_the_templates_that_are_being_written_and_production_at_all(tmp_path: Path) -> None:
    """Design, section 6: templates compile once at start; in development they reload. Those of the framework are as they were."""
    (tmp_path / "own").mkdir()
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs" / "home.html.j2").write_text("{% if %}")

    def begin(env: str) -> AbstractAsyncContextManager[object]:
        config = Config(name="shop", views=tmp_path / "own")
        both = Plan(config, Services(), Views([tmp_path / "own", tmp_path / "theirs"]), "1.0")
        both.services.reserve(*GIVEN)
        values: dict[str, Any] = {"env": env, "root": tmp_path, "secret_key": SecretStr("s" * 40)}
        return started(both, Settings(**values))

    async with begin("development"):
        pass
    with pytest.raises(StartupError, match=r"templates: .*home\.html\.j2"):
        async with begin("production"):
            pass
    (tmp_path / "own" / "index.html.j2").write_text("{% for %}")
    with pytest.raises(StartupError, match=r"templates: .*index\.html\.j2"):
        async with begin("development"):
            pass


async def test_a_database_that_is_away_is_named_with_its_step(tmp_path: Path) -> None:
    nowhere = SecretStr("postgresql+asyncpg://nobody:hidden@127.0.0.1:1/nothing")
    with pytest.raises(StartupError, match=r"^migrations: ") as caught:
        async with started(plan(mcp=register), Settings(env="test", root=tmp_path, database_url=nowhere)):
            pass
    assert "hidden" not in str(caught.value)


async def test_several_processes_must_remember_used_assertions_together(tmp_path: Path) -> None:
    """RFC 7523, section 3, item 7: an assertion is used once, and not once in each process."""

    class Shared(lazyoauth.MemoryRefreshTokenStates):
        is_shared = is_durable = True

    class Remembering(lazyoauth.MemoryAssertions):
        is_shared = True

    def oauth_with(**more: Any) -> Any:
        return lambda ctx: lazyoauth.Config(issuer=ctx.settings.public_url, refresh_token_states=Shared(), **more)

    settings = Settings(
        env="production", root=tmp_path, secret_key=SecretStr("s" * 40), given_public_url="https://shop.example", workers=2
    )
    for unsafe in (oauth_with(), oauth_with(assertions=lazyoauth.MemoryAssertions())):
        with pytest.raises(ConfigurationError, match="could be used again in each of 2 processes"):
            async with started(plan(auth=make_users(), oauth=unsafe), settings):
                pass
    async with started(plan(auth=make_users(), oauth=oauth_with(assertions=Remembering())), settings) as running:
        assert running.oauth is not None
