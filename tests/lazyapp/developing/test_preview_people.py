"""lazyapp/developing/preview_people.py: in whose name the preview calls."""

from types import SimpleNamespace
from typing import Any

import pytest

import lazyauth
from lazyapp.developing.preview_people import Caller, UnknownCaller, describe, signed_in
from lazyapp.settings import Settings


async def made(data: Any, claims: Any = None) -> Any:
    """An application with one user, by what is used of it."""
    users = lazyauth.MemoryUsers()
    await users.add("ada", "correct horse battery", data)

    def copied(user: lazyauth.User) -> Any:
        return {"mcps": user.data.get("mcps"), **(claims or {})}

    config = SimpleNamespace(authenticator=users, claims=copied, scopes=("mcp", "notes"), issuer="http://localhost:3000")
    mcp = SimpleNamespace(summary=lambda: [SimpleNamespace(name="notes")])
    return SimpleNamespace(
        oauth=SimpleNamespace(config=config),
        mcp=mcp,
        settings=Settings(env="test", default_user="ada"),
        config=SimpleNamespace(auth=object()),
        services=SimpleNamespace(get=lambda kind: users),
    )


async def test_the_claims_are_those_of_a_token() -> None:
    """RFC 9068, section 2.2: what an application adds never stands in the place of a claim with a meaning."""
    app = await made({"mcps": ["notes"]}, {"sub": "root", "client_id": "x", "tenant": "blue"})
    with await signed_in(app, Caller("ada")):
        claims = lazyauth.current_claims()
        assert claims is not None
        assert (claims.subject, claims.client_id, claims.mcps, claims.scopes) == (
            "ada",
            "lazyapp-preview",
            ("notes",),
            frozenset({"mcp", "notes"}),
        )
        assert claims.get("tenant") == lazyauth.require_user().data["tenant"] == "blue"
    assert lazyauth.current_user() is None


async def test_grants_and_scopes_can_be_chosen() -> None:
    """To see what a narrower token opens."""
    app = await made({"mcps": ["*"]})
    with await signed_in(app, Caller.read({"user": "ada", "mcps": [], "scopes": ["mcp", 7]})):
        claims = lazyauth.current_claims()
        assert claims is not None
        assert (claims.mcps, claims.scopes) == ((), frozenset({"mcp"}))


@pytest.mark.parametrize("value", [None, [], "ada", {"user": None}, {"user": " "}, {"user": ["ada"]}])
async def test_who_is_not_named_is_nobody(value: object) -> None:
    """Untrusted input."""
    with pytest.raises(UnknownCaller):
        await signed_in(await made({}), Caller.read(value))


async def test_users_without_a_list_are_found_by_the_settings() -> None:
    """The bootstrap user; a store of the application's own may know more, whose names are typed in."""
    known = await describe(await made({"mcps": "notes mail"}))
    assert known == {
        "oauth": True,
        "users": [{"id": "ada", "mcps": ["notes", "mail"]}],
        "modules": ["notes"],
        "scopes": ["mcp", "notes"],
    }
