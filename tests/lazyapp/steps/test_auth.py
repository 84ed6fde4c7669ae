"""The step "auth": who may log in, and where that comes from."""

from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

import lazyauth
import lazymcp
from lazyapp.config import AppContext, Config
from lazyapp.errors import ConfigurationError
from lazyapp.settings import Settings
from lazyapp.startup import started
from lazyapp.steps.auth import first_user, has_first_user
from tests.lazyapp.planned import plan


async def test_the_bootstrap_user_of_the_environment_may_use_every_module(tmp_path: Path) -> None:
    """The promise "Register modules": LAZYAUTH_DEFAULT_PASS seeds the bootstrap user."""
    settings = Settings(env="test", root=tmp_path, default_pass=SecretStr("long enough"))
    async with started(plan(), settings) as running:
        user = await running.authenticator.authenticate(lazyauth.Credential("admin", "long enough"))
    assert user.data["mcps"] == ["*"]


async def test_the_first_user_may_be_asked_for_aloud(tmp_path: Path) -> None:
    """docs/new.md: where there is no OAuth, that is what gives the pages their login."""
    settings = Settings(env="test", root=tmp_path, default_user="ada", default_pass=SecretStr("long enough"))
    assert has_first_user(Config(name="said", auth=first_user))
    assert has_first_user(Config(name="unsaid"))
    assert not has_first_user(Config(name="own", auth=lazyauth.MemoryUsers()))
    async with started(plan(auth=first_user), settings) as running:
        user = await running.authenticator.authenticate(lazyauth.Credential("ada", "long enough"))
    assert user.data["mcps"] == ["*"]


async def test_a_first_password_that_is_too_short_names_its_variable(tmp_path: Path) -> None:
    """Design 3: unsafe starts are refused with one sentence that says the fix; here by the hook as well."""
    settings = Settings(env="test", root=tmp_path, default_pass=SecretStr("short"))
    for auth in (None, first_user):
        with pytest.raises(ConfigurationError, match="LAZYAUTH_DEFAULT_PASS is refused"):
            async with started(plan(auth=auth), settings):
                pass


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
