"""Users in a file: read again when it changes, never written by a server."""

import asyncio
import json
import os

import pytest

from lazyauth import (
    AnnouncesUsers,
    Credential,
    FileUsers,
    InvalidCredentials,
    User,
    UserExists,
    UsersFileError,
    UserStore,
    passwords,
)
from lazyauth.user_lines import Entry, read, write

RIGHT = Credential("ada", "correct horse")


class Clock:
    def __init__(self):
        self.now = 1_800_000_000.25

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "users.jsonl"


@pytest.fixture
async def users(path, clock):
    users = FileUsers(path, clock)
    await users.add("ada", "correct horse", {"mcps": ["*"]})
    return users


def line_of(path, user_id="ada"):
    return next(line for line in map(json.loads, path.read_text().splitlines()) if line["id"] == user_id)


async def test_a_user_who_was_added_signs_in_here_and_in_another_process(users, path, clock):
    expected = User("ada", {"mcps": ["*"]}, signed_out_at=clock.now)
    for store in (users, FileUsers(path)):
        assert await store.authenticate(RIGHT) == expected
        assert await store.find_user("ada") == expected
        assert isinstance(store, UserStore)
        assert isinstance(store, AnnouncesUsers)


async def test_the_file_holds_a_hash_and_is_for_its_owner_alone(users, path):
    text = path.read_text()
    assert "correct horse" not in text
    assert line_of(path)["password_hash"].startswith("$argon2id$")
    assert path.stat().st_mode & 0o777 == 0o600
    assert "argon2" not in repr(vars(users))


async def test_unknown_disabled_and_wrong_are_refused_alike_after_the_same_work(users, monkeypatch):
    """OWASP Authentication Cheat Sheet, "Authentication Responses": counted by the hashes that are computed, not by a clock."""
    await users.add("off", "correct horse")
    await users.disable("off")
    hashed = []
    verify = passwords._hasher().verify
    watched = type("Watched", (), {"verify": lambda _, stored, data: hashed.append(stored.split("$")[1:4]) or verify(stored, data)})
    monkeypatch.setattr(passwords, "_hasher", lambda: watched())
    for name, secret in (("ada", "wrong"), ("off", "correct horse"), ("eve", "correct horse"), ("ADA\0", "correct horse")):
        with pytest.raises(InvalidCredentials, match="the name or the password is wrong"):
            await users.authenticate(Credential(name, secret))
    with pytest.raises(InvalidCredentials):
        await users.authenticate(Credential("ada", "correct horse", kind="passkey"))
    assert hashed == [["argon2id", "v=19", "m=19456,t=2,p=1"]] * 4


async def test_what_another_process_changes_is_seen_and_announced(users, path, clock):
    server, told = FileUsers(path), []
    server.on_changed(told.append)
    await users.add("bob", "correct horse")
    await users.set_data("ada", {"mcps": ["reports"]})
    assert (await server.find_user("ada")).data == {"mcps": ["reports"]}
    assert told == []
    clock.now += 1
    await users.set_password("ada", "battery staple")
    assert (await server.find_user("ada")).signed_out_at == clock.now
    await users.disable("bob")
    assert await server.find_user("bob") is None
    await users.remove("ada")
    assert await server.find_user("ada") is None
    assert told == ["ada", "bob", "ada"]


async def test_a_line_that_cannot_be_read_refuses_a_start_and_leaves_a_running_server_as_it_was(users, path, caplog):
    """issue 4: a bad line is named by path and line."""
    good = path.read_text()
    path.write_text(good + "# a remark\n\n" + '{"id": "bob", "password_hash": "secret"}\n')
    for _ in range(3):
        assert (await users.find_user("ada")).id == "ada"
    assert caplog.text.count(f"{path}:4: the password hash is neither Argon2's") == 1
    with pytest.raises(UsersFileError, match=r"users\.jsonl:4: "):
        FileUsers(path)
    with pytest.raises(UsersFileError, match=r"users\.jsonl:4: "):
        await users.add("eve", "correct horse")
    assert "secret" not in caplog.text
    path.write_text(good.replace("ada", "eve"))
    assert (await users.find_user("eve")).id == "eve"
    assert await users.find_user("ada") is None


async def test_a_file_that_vanishes_leaves_a_running_server_as_it_was(users, path, caplog):
    path.unlink()
    assert (await users.authenticate(RIGHT)).id == "ada"
    assert f"{path} is gone" in caplog.text


async def test_a_file_that_was_never_there_is_told_of_when_somebody_comes(path, caplog):
    """And not before: the command that makes the file opens it first."""
    users = FileUsers(path)
    assert await users.list() == []
    assert caplog.messages == []
    for _ in range(2):
        with pytest.raises(InvalidCredentials):
            await users.authenticate(RIGHT)
    assert caplog.messages == [f"{path} is not there, so nobody can sign in; `lazyapp user add` makes it"]


async def test_a_file_that_others_may_read_is_warned_of(users, path, caplog):
    path.chmod(0o644)
    FileUsers(path)
    assert "`chmod 600` it" in caplog.text
    assert "users.jsonl" in caplog.text


async def test_changes_by_many_tasks_at_once_lose_nobody(users, path):
    await asyncio.gather(*(users.add(f"user-{number}", "correct horse") for number in range(6)))
    assert [record.id for record in await FileUsers(path).list()] == ["ada", *(f"user-{number}" for number in range(6))]
    with pytest.raises(UserExists):
        await users.add("user-3", "correct horse")


async def test_whoever_is_not_there_cannot_be_changed(users, path):
    before = path.read_text()
    for change in (users.disable("eve"), users.enable("eve"), users.remove("eve"), users.set_data("eve", {})):
        assert not await change
    assert not await users.set_password("eve", "correct horse")
    assert path.read_text() == before


async def test_enabling_does_not_revive_what_disabling_ended(users, clock):
    clock.now += 5
    await users.disable("ada")
    clock.now -= 3
    await users.enable("ada")
    assert (await users.authenticate(RIGHT)).signed_out_at == clock.now + 3


async def test_a_password_changed_while_the_old_one_is_checked_wins(users):
    login = asyncio.ensure_future(users.authenticate(RIGHT))
    await asyncio.sleep(0)
    os.utime(users.path)
    users.path.write_text(users.path.read_text().replace('"disabled": false', '"disabled": true'))
    with pytest.raises(InvalidCredentials):
        await login


async def test_what_another_process_changes_meanwhile_is_not_written_away(path):
    """One process gives a password while another disables the same user: the second is told, and neither change is lost."""
    refused = []

    def meddle() -> float:
        if path.exists() and not refused:
            with pytest.raises(UsersFileError) as told:
                write(path, "ada", Entry("ada", read(path)["ada"].password_hash, disabled=True))
            refused.append(str(told.value))
        return 1_800_000_000.0

    users = FileUsers(path, meddle)
    await users.add("ada", RIGHT.secret)
    assert await users.set_password("ada", "another password")
    assert "is writing" in refused[0]
    assert await FileUsers(path).disable("ada")
    assert await users.find_user("ada") is None
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]
