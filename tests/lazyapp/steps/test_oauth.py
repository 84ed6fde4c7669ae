"""The step "oauth": what the application leaves open in its configuration comes from the settings."""

from pathlib import Path

import pytest

import lazyoauth
from lazyapp.config import AppContext
from lazyapp.errors import ConfigurationError
from lazyapp.settings import Settings
from lazyapp.startup import started
from tests.lazyapp.planned import oauth, plan, register


async def test_in_development_every_loopback_name_is_an_issuer_of_its_own(tmp_path: Path) -> None:
    settings = Settings(env="development", root=tmp_path, port=4321)
    async with started(plan(mcp=register, oauth=oauth), settings) as running:
        assert running.oauth is not None
        assert "/.well-known/oauth-authorization-server" in running.oauth.routes


async def test_tokens_are_for_the_path_where_mcp_is_served(tmp_path: Path) -> None:
    """RFC 8707, section 2: a token for another path would open nothing."""

    def elsewhere(ctx: AppContext) -> lazyoauth.Config:
        states = lazyoauth.MemoryRefreshTokenStates()
        return lazyoauth.Config(issuer=ctx.settings.public_url, refresh_token_states=states, resource_path="/tools")

    with pytest.raises(ConfigurationError, match=r"resource_path='/tools'.*'/mcp'"):
        async with started(plan(mcp=register, oauth=elsewhere), Settings(env="test", root=tmp_path)):
            pass


@pytest.mark.parametrize(("given", "raised", "used"), [(1, 1, 1), (1, 2, 2), (3, 2, 3)])
async def test_the_signing_key_is_as_new_as_its_newest_version_says(tmp_path: Path, given: int, raised: int, used: int) -> None:
    """docs/production.md: who raises SIGNING_KEY_VERSION must not have to look for a number in the code."""
    oauth = lazyoauth.Config(
        issuer="http://localhost:3000", refresh_token_states=lazyoauth.MemoryRefreshTokenStates(), signing_key_version=given
    )
    settings = Settings(env="test", root=tmp_path, signing_key_version=raised)
    async with started(plan(mcp=register, oauth=oauth), settings) as running:
        assert running.oauth is not None
        assert running.oauth.config.signing_key_version == used
