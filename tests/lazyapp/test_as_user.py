"""lazyapp/as_user.py: who calls when a developer says "as ada"."""

from types import SimpleNamespace
from typing import Any

import pytest

import lazyauth
from lazyapp.as_user import UnknownUser, find_user, signed
from lazyapp.settings import Settings
from lazyoauth.tokens import RESERVED

ADA = lazyauth.User("ada", {"mcps": ["notes"], "phone": "1"})


async def application(*, auth: Any = "users", oauth: bool = True) -> Any:
    users = lazyauth.MemoryUsers()
    await users.add("ada", "correct horse battery", ADA.data)
    config = SimpleNamespace(
        claims=lambda user: {"mcps": user.data["mcps"], "sub": "root", "exp": 0, "team": "blue"},
        scopes=("mcp", "notes"),
        authenticator=users,
        issuer="http://localhost:3000",
    )
    return SimpleNamespace(
        services=SimpleNamespace(get=lambda kind: users),
        config=SimpleNamespace(auth=auth),
        settings=Settings(env="test", default_user=None),
        oauth=SimpleNamespace(config=config) if oauth else None,
    )


async def test_no_claim_of_the_servers_own_is_the_applications_to_say() -> None:
    """RFC 9068, section 2.2."""
    app = await application()
    app.oauth.config.claims = lambda user: dict.fromkeys(RESERVED, "theirs") | {"team": "blue"}
    user, claims = signed(app, ADA, "desk", scopes=None)
    assert dict(user.data) == {"team": "blue"}
    assert [name for name in RESERVED if claims.get(name) == "theirs"] == []


async def test_to_a_tool_the_user_is_what_a_token_would_tell() -> None:
    """lazyoauth's guard: the user's data are the claims that an application adds, and these replace none of the token's own."""
    user, claims = signed(await application(), ADA, "desk", scopes=None)
    assert dict(user.data) == {"mcps": ["notes"], "team": "blue"}
    assert (claims.subject, claims.client_id, claims.scopes, claims.mcps) == ("ada", "desk", {"mcp", "notes"}, ("notes",))
    assert (claims.get("iss"), claims.get("exp") - claims.get("iat")) == ("http://localhost:3000", 600)
    narrow = signed(await application(), ADA, "desk", scopes=("mcp",), mcps=()).claims
    assert (narrow.scopes, narrow.mcps) == ({"mcp"}, ())


async def test_without_a_guard_the_users_data_open_modules() -> None:
    user, claims = signed(await application(oauth=False), ADA, "desk", scopes=None)
    assert (user, claims.mcps, claims.scopes) == (ADA, ("notes",), frozenset())


async def test_who_is_not_there_is_told_who_is() -> None:
    """docs/commands.md, "As one of your users"."""
    assert (await find_user(await application(), "ada")).id == "ada"
    for name in ("bob", "", " ", "admin"):
        with pytest.raises(UnknownUser, match="`lazyapp user list`"):
            await find_user(await application(), name)
    assert (await find_user(await application(auth=None), "admin")).data["mcps"] == ["*"]
    app = await application(auth=None)
    app.oauth.config.authenticator = lazyauth.MemoryUsers()
    with pytest.raises(UnknownUser, match="`lazyapp user list`"):
        await find_user(app, "admin")  # a server with users of its own makes up nobody
    with pytest.raises(UnknownUser, match="'admin' is the only one"):
        await find_user(await application(auth=None), "bob")
