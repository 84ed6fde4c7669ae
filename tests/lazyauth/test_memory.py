import asyncio

import pytest

from lazyauth import Config, Credential, InvalidCredentials, MemoryUsers, MissingUser, User, WeakPassword, bootstrap_users


@pytest.fixture
async def users():
    users = MemoryUsers()
    await users.add("ada", "correct horse", {"email": "ada@example.com"})
    return users


async def test_the_right_password_gives_the_user(users):
    user = await users.authenticate(Credential("ada", "correct horse"))
    assert user == User("ada", {"email": "ada@example.com"})


@pytest.mark.parametrize(
    "credential",
    [
        Credential("ada", "wrong horse"),
        Credential("ada", ""),
        Credential("", ""),
        Credential("", "correct horse"),
        Credential("eve", "correct horse"),
        Credential("ADA", "correct horse"),
        Credential("ada\0", "correct horse"),
        Credential("ada", "correct horse\0"),
        Credential("ada", "x" * 5_000_000),
        Credential("ada", "correct horse", kind="passkey"),
    ],
    ids=range(10),
)
async def test_everything_else_is_refused_in_the_same_words(users, credential):
    """OWASP Authentication Cheat Sheet, "Authentication Responses": one message, whichever half was wrong."""
    with pytest.raises(InvalidCredentials) as caught:
        await users.authenticate(credential)
    assert str(caught.value) == "the name or the password is wrong"


async def test_a_password_is_nowhere_to_be_seen(users):
    """design 5: no password in any log at any level."""
    seen = f"{users!r} {vars(users)!r}"
    assert "correct horse" not in seen
    assert "argon2" not in seen


async def test_adding_again_replaces_password_and_data(users):
    await users.add("ada", "battery staple", {"email": "ada@example.org"})
    with pytest.raises(InvalidCredentials):
        await users.authenticate(Credential("ada", "correct horse"))
    assert (await users.authenticate(Credential("ada", "battery staple"))).data["email"] == "ada@example.org"
    assert len(users) == 1


async def test_a_removed_user_is_gone(users):
    assert await users.find_user("ada") == User("ada", {"email": "ada@example.com"})
    users.remove("ada")
    users.remove("ada")
    assert await users.find_user("ada") is None
    assert len(users) == 0
    with pytest.raises(InvalidCredentials):
        await users.authenticate(Credential("ada", "correct horse"))


async def test_a_user_removed_while_the_password_is_checked_does_not_get_in(users):
    login = asyncio.ensure_future(users.authenticate(Credential("ada", "correct horse")))
    await asyncio.sleep(0)  # the hash is being computed now
    users.remove("ada")
    with pytest.raises(InvalidCredentials):
        await login


async def test_nothing_is_added_when_the_password_or_the_id_is_refused():
    users = MemoryUsers()
    with pytest.raises(WeakPassword):
        await users.add("ada", "short")
    with pytest.raises(MissingUser):
        await users.add(" ", "correct horse")
    assert len(users) == 0
    assert users, "no users yet is not no authenticator"


async def test_without_a_default_password_there_are_no_users():
    """The promise "Register modules": the default backend has zero users unless LAZYAUTH_DEFAULT_PASS seeds one."""
    assert len(await bootstrap_users("ada", None)) == 0


@pytest.mark.parametrize(("name", "user_id"), [(None, "admin"), ("", "admin"), ("  ", "admin"), (" ada ", "ada")])
async def test_the_default_password_makes_one_administrator(name, user_id):
    """design 5: user LAZYAUTH_DEFAULT_USER or admin, who may use every module."""
    users = await bootstrap_users(name, "correct horse")
    user = await Config(authenticator=users).authenticator.authenticate(Credential(user_id, "correct horse"))
    assert user == User(user_id, {"username": user_id, "admin": True, "mcps": ["*"]})
    assert len(users) == 1


@pytest.mark.parametrize("password", ["", "1234567"])
async def test_an_empty_or_short_default_password_is_refused_by_its_name(password):
    """issue 2, lazyauth: an empty or short value is refused with a clear error."""
    with pytest.raises(WeakPassword, match="LAZYAUTH_DEFAULT_PASS is refused: a password has at least 8 characters"):
        await bootstrap_users(None, password)
