"""lazyapp/mcp_client/people.py: for whom a command acts."""

from pathlib import Path

import pytest

import lazyapp
import lazyauth
import lazymcp
import lazyoauth
from lazyapp.errors import ConfigurationError
from lazyapp.mcp_client.people import acting_for


class NotesMCP(lazymcp.Base):
    @lazymcp.tool
    def count(self) -> int:
        """Count notes."""
        return 7


async def users(ctx: object) -> lazyauth.MemoryUsers:
    found = lazyauth.MemoryUsers()
    await found.add("ada", "long-enough-7", {"mcps": ["notes"], "team": "blue"})
    return found


def oauth(ctx: lazyapp.AppContext) -> lazyoauth.Config:
    return lazyoauth.Config(
        issuer=ctx.settings.public_url,
        refresh_token_states=lazyoauth.MemoryRefreshTokenStates(),
        scopes=("mcp", "notes:write"),
        claims=lambda user: {"mcps": user.data["mcps"], "team": user.data["team"]},
    )


def app_of(**config: object) -> lazyapp.App:
    config = {"mcp": lambda ctx, scope: scope.register(NotesMCP()), **config}
    return lazyapp.App(lazyapp.Config(name="notes", **config))  # type: ignore[arg-type]


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LAZYAPP_ROOT", str(tmp_path))
    monkeypatch.setenv("LAZYAPP_ENV", "development")


async def test_nobody_chosen_is_the_user_of_the_local_process() -> None:
    """docs/stdio.md: whoever may start the process; no token, so every module is open."""
    async with acting_for(app_of(), ""):
        assert lazyauth.require_user().id == "admin"
        assert lazyauth.current_claims() is None


async def test_a_chosen_user_has_the_claims_that_a_token_would_have() -> None:
    """docs/commands.md, "As one of your users": `lazyoauth.Config.claims` and all scopes, or those that are named."""
    app = app_of(auth=users, oauth=oauth)
    for scopes, granted in ((None, {"mcp", "notes:write"}), ("mcp", {"mcp"})):
        async with acting_for(app, "ada", scopes):
            claims = lazyauth.current_claims()
            assert claims is not None
            assert (claims.subject, claims.mcps, claims.scopes, claims.get("team")) == ("ada", ("notes",), granted, "blue")
    assert lazyauth.current_user() is None


async def test_without_oauth_the_modules_of_the_users_data_are_open() -> None:
    async with acting_for(app_of(auth=users), "ada"):
        claims = lazyauth.current_claims()
        assert claims is not None
        assert claims.mcps == ("notes",)


async def test_the_administrator_of_each_run_may_be_chosen() -> None:
    """docs/commands.md, "As one of your users": `lazyapp serve` makes up only a password for this user."""
    async with acting_for(app_of(), "admin"):
        assert lazyauth.require_user().data["mcps"] == ["*"]
    with pytest.raises(ConfigurationError, match="'admin' is the only one"):
        async with acting_for(app_of(), "ada"):
            pass


async def test_an_unknown_user_and_no_modules_are_told() -> None:
    with pytest.raises(ConfigurationError, match="There is no user 'bob'; `lazyapp user list`"):
        async with acting_for(app_of(auth=users), "bob"):
            pass
    for user in ("", "admin"):
        with pytest.raises(ConfigurationError, match="no MCP modules"):
            async with acting_for(app_of(mcp=None), user):
                pass
