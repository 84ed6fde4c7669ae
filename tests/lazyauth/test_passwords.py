import asyncio
import re
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from argon2 import PasswordHasher

from lazyauth import Credential, MemoryUsers, Overloaded, WeakPassword, hash_password, needs_rehash, passwords, verify_password


async def test_a_hash_is_argon2id_with_the_parameters_we_chose():
    """OWASP Password Storage Cheat Sheet: m = 19 MiB, t = 2, p = 1."""
    assert re.match(r"\$argon2id\$v=19\$m=19456,t=2,p=1\$", await hash_password("correct horse"))


async def test_a_password_answers_its_hash_and_no_other_does():
    stored = await hash_password("correct horse")
    assert await verify_password(stored, "correct horse")
    assert not await verify_password(stored, "Correct horse")
    assert not await verify_password(stored, "")
    assert await hash_password("correct horse") != stored


async def test_nobody_has_no_password():
    for attempt in ("", "correct horse", "\0" * 32):
        assert not await verify_password(None, attempt)


async def test_an_unknown_user_costs_what_a_wrong_password_costs():
    """OWASP Authentication Cheat Sheet, "Authentication Responses": the same time whichever half is wrong."""
    # Not by a clock, which depends on the machine: by the work that Argon2 is asked to do.
    stored, nobody = (await hash_password("correct horse")).split("$"), passwords._NOBODY.split("$")
    assert stored[1:4] == nobody[1:4]
    assert [len(part) for part in stored] == [len(part) for part in nobody]


@pytest.mark.parametrize("stored", ["", "plain", "$argon2id$v=19$m=19456,t=2,p=1$", "pässwörd", "$2b$12$abc"])
async def test_what_is_stored_but_is_no_hash_matches_nothing(stored):
    assert not await verify_password(stored, stored)


@pytest.mark.parametrize("password", ["", "short", "1234567", "äöü"])
async def test_a_short_password_is_refused(password):
    """NIST SP 800-63B-3, section 5.1.1.1: eight characters at least, counted as characters."""
    with pytest.raises(WeakPassword, match="at least 8 characters"):
        await hash_password(password)


async def test_a_huge_password_is_refused_before_it_costs_anything():
    with pytest.raises(WeakPassword, match="at most 1024 bytes"):
        await hash_password("x" * 1025)
    with pytest.raises(WeakPassword, match="at most 1024 bytes"):
        await hash_password("é" * 513)
    assert not await verify_password(None, "x" * 100_000_000)
    longest = "x" * 1024
    assert await verify_password(await hash_password(longest), longest)


@pytest.mark.parametrize("password", ["zero\0byte\0s", "żółw🐢żółw", "lone \ud800 surrogate", "\0" * 8, "  spaces  "])
async def test_any_characters_are_kept_whole(password):
    stored = await hash_password(password)
    assert await verify_password(stored, password)
    assert not await verify_password(stored, password[:-1])
    assert not await verify_password(stored, password + "\0")


async def test_an_accent_may_be_typed_in_either_way():
    """RFC 8265, section 4.2.2, rule 4: normalisation form C."""
    assert await verify_password(await hash_password("cafe\u0301 noir"), "caf\u00e9 noir")


async def test_a_hash_with_other_parameters_asks_to_be_renewed():
    older = PasswordHasher(time_cost=1, memory_cost=8192, parallelism=1).hash("correct horse")
    assert needs_rehash(older)
    assert await verify_password(older, "correct horse")
    assert not needs_rehash(await hash_password("correct horse"))


class Gate:
    """Stands in for the slow part of a hash: holds the two threads until it is opened."""

    def __init__(self):
        self.opened = threading.Event()
        self.full = threading.Event()
        self.running = 0
        self.most = 0
        self.lock = threading.Lock()

    def __call__(self):
        with self.lock:
            self.running += 1
            self.most = max(self.most, self.running)
            if self.running == passwords.SLOTS:
                self.full.set()
        self.opened.wait(10)
        with self.lock:
            self.running -= 1
        return True


async def test_two_at_once_and_a_bounded_queue_behind_them():
    """design 5: 2 hash slots; a flood of logins is told to come back."""
    users = MemoryUsers()
    await users.add("ada", "correct horse")
    gate = Gate()
    places = passwords.SLOTS + passwords.MAX_WAITING
    waiting = [asyncio.ensure_future(passwords._in_slot(gate)) for _ in range(places)]
    assert await asyncio.to_thread(gate.full.wait, 10), "two hashes do not run at once"
    with pytest.raises(Overloaded, match="try again"):
        await verify_password(None, "correct horse")
    for name in ("ada", "eve"):  # an unknown user stands in the same queue as a known one
        with pytest.raises(Overloaded):
            await users.authenticate(Credential(name, "correct horse"))
    waiting.pop().cancel()
    await asyncio.sleep(0)
    late = asyncio.ensure_future(verify_password(None, "correct horse"))
    await asyncio.sleep(0)
    gate.opened.set()
    assert all(await asyncio.gather(*waiting))
    assert await late is False
    assert gate.most == passwords.SLOTS
    assert passwords._pending == 0


def test_several_event_loops_share_the_slots():
    """Two applications in one process, or a test for each loop."""

    def loop(number):
        return asyncio.run(verify_password(None, f"correct horse {number}"))

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(loop, range(8))) == [False] * 8


async def test_the_event_loop_goes_on_while_passwords_are_hashed():
    turns = 0

    async def watch():
        nonlocal turns
        while True:
            await asyncio.sleep(0.001)
            turns += 1

    watcher = asyncio.ensure_future(watch())
    await asyncio.gather(*(verify_password(None, "correct horse") for _ in range(8)))
    watcher.cancel()
    assert turns > 8, "the loop stood still: hashed on it, all eight would take one turn"
