"""Users in a database, on PostgreSQL and on SQLite."""

import asyncio
import hashlib
import logging
from base64 import b64encode

import pytest
from argon2 import PasswordHasher
from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine

from lazyauth import (
    AnnouncesUsers,
    Credential,
    InvalidCredentials,
    InvalidUser,
    MissingUser,
    SQLUsers,
    User,
    UserExists,
    UserRecord,
    UserStore,
    UsersUnavailable,
    WeakPassword,
    needs_rehash,
    passwords,
)

RIGHT = Credential("ada", "correct horse")


class Clock:
    def __init__(self):
        self.now = 1_800_000_000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
async def engine(database_url):
    engine = create_async_engine(database_url)
    yield engine
    await engine.dispose()


@pytest.fixture
async def users(engine, clock):
    async with SQLUsers(engine, clock) as users:
        yield users


@pytest.fixture
async def postgres_engine(postgres_url):
    engine = create_async_engine(postgres_url)
    yield engine
    await engine.dispose()


def golazy_hash(password, iterations=1000):
    """As GoLazy keeps it: salt and hash in standard base64 without padding."""
    salt = b"0123456789abcdef"
    digest = hashlib.pbkdf2_hmac("sha256", password.encode(), salt, iterations, 32)
    return f"pbkdf2-sha256${iterations}${b64encode(salt).decode().rstrip('=')}${b64encode(digest).decode().rstrip('=')}"


async def kept_hash(users, user_id="ada"):
    question = text("SELECT password_hash FROM lazyauth_users WHERE id = :id")
    async with users.engine.connect() as connection:
        return (await connection.execute(question, {"id": user_id})).scalar_one()


async def test_a_user_who_was_added_signs_in_and_is_found(users, clock):
    added = await users.add("ada", "correct horse", {"email": "ada@example.com", "mcps": ["*"]})
    assert added == User("ada", {"email": "ada@example.com", "mcps": ["*"]}, signed_out_at=clock.now)
    assert await users.authenticate(RIGHT) == added
    assert await users.find_user("ada") == added
    assert isinstance(users, UserStore)
    assert isinstance(users, AnnouncesUsers)


STRANGERS = [
    Credential("ada", "wrong horse"),
    Credential("ada", ""),
    Credential("eve", "correct horse"),
    Credential("ADA", "correct horse"),
    Credential("", "correct horse"),
    Credential("ada\0", "correct horse"),
    Credential("ada\ud800", "correct horse"),
    Credential("a" * 5_000, "correct horse"),
    Credential("off", "correct horse"),
    Credential("ada", "correct horse", kind="passkey"),
]


async def test_everything_else_is_refused_in_the_same_words(users):
    """OWASP Authentication Cheat Sheet, "Authentication Responses"; untrusted input never is the database's error."""
    await users.add("ada", "correct horse")
    await users.add("off", "correct horse")
    await users.disable("off")
    for credential in STRANGERS:
        with pytest.raises(InvalidCredentials) as caught:
            await users.authenticate(credential)
        assert str(caught.value) == "the name or the password is wrong"
        assert caught.value.__context__ is None


async def test_unknown_disabled_and_wrong_cost_the_same_work(users, monkeypatch):
    """OWASP Authentication Cheat Sheet, "Authentication Responses": counted by the hashes that are computed, not by a clock."""
    await users.add("ada", "correct horse")
    await users.add("off", "correct horse")
    await users.disable("off")
    hashed = []
    verify = passwords._hasher().verify
    watched = type("Watched", (), {"verify": lambda _, stored, data: hashed.append(stored.split("$")[1:4]) or verify(stored, data)})
    monkeypatch.setattr(passwords, "_hasher", lambda: watched())
    for name in ("ada", "off", "eve", "eve\0"):
        with pytest.raises(InvalidCredentials):
            await users.authenticate(Credential(name, "wrong horse"))
    assert hashed == [["argon2id", "v=19", "m=19456,t=2,p=1"]] * 4


async def test_adding_never_replaces_anybody(users):
    await users.add("ada", "correct horse")
    with pytest.raises(UserExists, match="'ada' already"):
        await users.add("ada", "battery staple")
    assert (await users.authenticate(RIGHT)).id == "ada"


async def test_nothing_is_written_when_something_is_refused(users):
    with pytest.raises(MissingUser):
        await users.add(" ", "correct horse")
    with pytest.raises(InvalidUser):
        await users.add("ada", "correct horse", {"when": object()})
    with pytest.raises(WeakPassword):
        await users.add("ada", "short")
    assert await users.list() == []


async def test_data_come_back_whole_whatever_characters_they_hold(users):
    data = {"name": "żółw 🐢", "zero": "a\0b", "half": "\ud800", "deep": {"list": [1, 2.5, None, True]}}
    await users.add("żółw", "correct horse", data)
    assert (await users.find_user("żółw")).data == data


async def test_another_password_ends_what_began_before(users, clock):
    await users.add("ada", "correct horse")
    clock.now += 10.25
    assert await users.set_password("ada", "battery staple")
    assert (await users.find_user("ada")).signed_out_at == clock.now
    with pytest.raises(InvalidCredentials):
        await users.authenticate(RIGHT)
    assert (await users.authenticate(Credential("ada", "battery staple"))).signed_out_at == clock.now


async def test_a_disabled_user_is_nobody_until_enabled(users, clock):
    await users.add("ada", "correct horse")
    clock.now += 1
    assert await users.disable("ada")
    assert await users.find_user("ada") is None
    with pytest.raises(InvalidCredentials):
        await users.authenticate(RIGHT)
    assert await users.enable("ada")
    assert (await users.authenticate(RIGHT)).signed_out_at == clock.now, "what was ended stays over"


async def test_a_clock_that_went_back_revives_no_login(users, clock):
    await users.add("ada", "correct horse")
    await users.sign_out("ada")
    before = (await users.find_user("ada")).signed_out_at
    clock.now -= 3600
    await users.sign_out("ada")
    assert (await users.find_user("ada")).signed_out_at > before


async def test_whoever_is_not_there_cannot_be_changed(users):
    changes = [users.disable("eve"), users.enable("eve"), users.remove("eve"), users.sign_out("eve\0"), users.set_data("eve", {})]
    assert [await change for change in changes] == [False] * 5
    assert not await users.set_password("eve", "correct horse")


async def test_the_list_tells_everybody_by_id_and_no_hash(users, clock):
    await users.add("bob", "correct horse", {"mcps": ["admin"]})
    await users.add("Zoe", "correct horse")
    await users.disable("Zoe")
    listed = await users.list()
    assert [record.id for record in listed] == ["Zoe", "bob"]
    assert listed[0] == UserRecord("Zoe", {}, disabled=True, signed_out_at=listed[0].signed_out_at)
    assert listed[1] == UserRecord("bob", {"mcps": ["admin"]}, disabled=False, signed_out_at=clock.now)
    assert "argon2" not in repr(listed)


async def test_new_data_are_found_and_end_nothing(users, clock):
    added = await users.add("ada", "correct horse", {"mcps": ["*"]})
    clock.now += 5
    assert await users.set_data("ada", {"mcps": ["admin"]})
    assert await users.find_user("ada") == User("ada", {"mcps": ["admin"]}, added.signed_out_at)


async def test_a_removed_user_is_gone_and_a_namesake_has_no_part_in_the_old_logins(users, clock):
    await users.add("ada", "correct horse")
    assert await users.remove("ada")
    assert await users.find_user("ada") is None
    # Not the whole second: there may be a login that began in it.
    clock.now += 7.25
    assert (await users.add("ada", "correct horse")).signed_out_at == clock.now


async def test_a_hash_of_golazy_serves_once_and_is_replaced(users):
    """The ancestor kept PBKDF2 with 120,000 iterations, which is less than OWASP advises today."""
    await users.add_hashed("ada", golazy_hash("correct horse"), {"email": "ada@example.com"})
    with pytest.raises(InvalidCredentials):
        await users.authenticate(Credential("ada", "wrong horse"))
    assert (await kept_hash(users)).startswith("pbkdf2-sha256$")
    assert (await users.authenticate(RIGHT)).data == {"email": "ada@example.com"}
    assert not needs_rehash(await kept_hash(users))
    assert (await users.authenticate(RIGHT)).id == "ada"


async def test_a_short_password_of_another_system_still_signs_in_with_its_old_hash(users):
    await users.add_hashed("ada", golazy_hash("short"))
    assert (await users.authenticate(Credential("ada", "short"))).id == "ada"
    assert (await kept_hash(users)).startswith("pbkdf2-sha256$")


async def test_a_hash_with_older_parameters_is_renewed_at_login_and_ends_nothing(users):
    """OWASP Password Storage Cheat Sheet, "Upgrading the Work Factor"."""
    await users.add_hashed("ada", PasswordHasher(time_cost=1, memory_cost=8192, parallelism=1).hash("correct horse"))
    before = (await users.find_user("ada")).signed_out_at
    together = await asyncio.gather(*(users.authenticate(RIGHT) for _ in range(4)))
    assert {user.signed_out_at for user in together} == {before}
    assert not needs_rehash(await kept_hash(users))


async def test_what_could_never_match_is_not_imported(users):
    for stored in ("", "plain", "pbkdf2-sha256$x$y$z", "pbkdf2-sha256$1000$AAAA", "$2b$12$abc"):
        with pytest.raises(InvalidUser, match="neither Argon2's"):
            await users.add_hashed("ada", stored)


async def test_a_user_disabled_while_the_password_is_checked_does_not_get_in(users, monkeypatch):
    await users.add("ada", "correct horse")
    checked = passwords.verify_password

    async def slow(*arguments):
        answer = await checked(*arguments)
        await users.set_password("ada", "battery staple")
        return answer

    monkeypatch.setattr("lazyauth.sql.verify_password", slow)
    with pytest.raises(InvalidCredentials):
        await users.authenticate(RIGHT)


async def test_changes_that_end_logins_are_told_at_once_in_the_same_process(users):
    told = []
    await users.add("ada", "correct horse")
    users.on_changed(told.append)
    await users.set_data("ada", {"mcps": []})
    assert told == []
    for change in (users.set_password("ada", "battery staple"), users.disable("ada"), users.remove("ada")):
        await change
        assert told.pop() == "ada"
        told.clear()
    await users.disable("eve")
    # Of "ada" PostgreSQL may tell once more.
    assert "eve" not in told


async def test_on_postgresql_every_process_hears_of_a_change(postgres_engine, postgres_url):
    elsewhere = create_async_engine(postgres_url)
    heard = asyncio.Event()
    async with SQLUsers(postgres_engine) as here, SQLUsers(elsewhere) as there:
        there.on_changed(lambda user_id: heard.set() if user_id == "ada" else None)
        await here.add("ada", "correct horse")
        async with asyncio.timeout(20):
            while not heard.is_set():  # until the other one listens
                await here.disable("ada")
                await asyncio.sleep(0.05)
    await elsewhere.dispose()


async def test_several_processes_create_the_table_at_once(postgres_url):
    engines = [create_async_engine(postgres_url) for _ in range(4)]

    async def begin(engine):
        async with SQLUsers(engine):
            pass
        await engine.dispose()

    await asyncio.gather(*map(begin, engines))


async def test_a_database_that_is_away_is_told_without_a_secret(caplog, tmp_path):
    """Design, section 5: no password and no hash in any log at any level, tracebacks included."""
    engine = create_async_engine(f"sqlite+aiosqlite:///{tmp_path}/users.sqlite3")
    users = SQLUsers(engine)  # not entered: there is no table
    calls = [users.authenticate(RIGHT), users.find_user("ada"), users.add("ada", "correct horse"), users.list()]
    for call in (*calls, users.disable("ada"), users.set_password("ada", "battery staple")):
        with pytest.raises(UsersUnavailable) as caught:
            await call
        logging.getLogger("test").error("failed", exc_info=caught.value)
    await engine.dispose()
    assert "no such table" in caplog.text
    assert "argon2" not in caplog.text
    assert "correct horse" not in caplog.text
