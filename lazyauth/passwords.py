"""Password hashes: Argon2id, made and checked in threads, with a bound on how many at once.

State: two hashing threads and the count of what waits for them, one pair a process, whatever the number of event loops.
Only `_in_slot` touches them. A hash takes some 25 ms of one core, and 19 MiB: made on the event loop, twenty logins would stop
everything else for half a second, and without a bound a flood of logins would take all cores and memory.
"""

import asyncio
import unicodedata
from base64 import b64encode
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Protocol, TypeVar

from lazyauth import pbkdf2
from lazyauth.errors import InvalidUser, Overloaded, WeakPassword

MIN_CHARACTERS = 8  # NIST SP 800-63B-3, section 5.1.1.1
MAX_BYTES = 1024
SLOTS = 2
MAX_WAITING = 64  # some 0.8 s of waiting; a person would give up later than that, a flood must be told earlier

# OWASP Password Storage Cheat Sheet: m = 19 MiB, t = 2, p = 1. The library's own defaults cost seven times as much.
_MEMORY_KIB, _PASSES, _LANES = 19456, 2, 1
_SALT_BYTES, _HASH_BYTES = 16, 32


def _unsalted(size: int) -> str:
    return b64encode(bytes(size)).decode().rstrip("=")


# Checked in place of the hash that an unknown user does not have, so that a wrong name takes as long as a wrong password.
_NOBODY = f"$argon2id$v=19$m={_MEMORY_KIB},t={_PASSES},p={_LANES}${_unsalted(_SALT_BYTES)}${_unsalted(_HASH_BYTES)}"

_slots = ThreadPoolExecutor(max_workers=SLOTS, thread_name_prefix="lazyauth-password")
_pending = 0

_T = TypeVar("_T")


class _Hasher(Protocol):
    """What is needed of `argon2.PasswordHasher`."""

    def hash(self, password: bytes) -> str: ...
    def verify(self, hash: str, password: bytes) -> bool: ...  # noqa: A002 (the library's name)
    def check_needs_rehash(self, hash: str) -> bool: ...  # noqa: A002


async def hash_password(password: str) -> str:
    """The Argon2id hash of a new password, in PHC string form.

    Raises:
        WeakPassword: fewer than 8 characters, or more than 1024 bytes.
        Overloaded: too many others are waiting.
    """
    data = _canonical(password)
    if data is None:
        raise WeakPassword(f"a password has at most {MAX_BYTES} bytes")
    if len(data.decode("utf-8", "surrogatepass")) < MIN_CHARACTERS:
        raise WeakPassword(f"a password has at least {MIN_CHARACTERS} characters")
    return await _in_slot(lambda: _hasher().hash(data))


async def verify_password(password_hash: str | None, password: str) -> bool:
    """Whether this is the password.

    Args:
        password_hash: what `hash_password` gave, or None for a user who does not exist: the answer is False, after the same time.
        password: as it was typed. Too long is False at once: that depends on the asker alone and tells nothing.

    Raises:
        Overloaded: too many others are waiting; nothing was checked.
    """
    data = _canonical(password)
    if data is None:
        return False
    return await _in_slot(lambda: _verify(_NOBODY if password_hash is None else password_hash, data))


def needs_rehash(password_hash: str) -> bool:
    """Whether a hash was made with other parameters than today's; renew it while the password is at hand."""
    return pbkdf2.is_pbkdf2(password_hash) or _hasher().check_needs_rehash(password_hash)


def check_importable(password_hash: str) -> None:
    """Refuse what could never match: a hash is Argon2's in PHC string form, or `pbkdf2-sha256$…` of a GoLazy application.

    Raises:
        InvalidUser: it is neither.
    """
    try:
        if pbkdf2.is_pbkdf2(password_hash):
            pbkdf2.check(password_hash)
        else:
            _hasher().check_needs_rehash(password_hash)
    except ValueError:  # argon2's InvalidHash is one
        raise InvalidUser("the password hash is neither Argon2's ($argon2id$…) nor pbkdf2-sha256$…") from None


def _canonical(password: str) -> bytes | None:
    """The bytes to be hashed, or None if they are too many.

    RFC 8265, section 4.2.2: an accent may be typed as one character or as two and is the same password (NFC). Nothing else is
    changed or refused: zero bytes and lone surrogates are hashed like all others.
    """
    if len(password) > MAX_BYTES:  # before normalising, whose cost grows with the length
        return None
    data = unicodedata.normalize("NFC", password).encode("utf-8", "surrogatepass")
    return data if len(data) <= MAX_BYTES else None


@cache
def _hasher() -> _Hasher:
    # Who serves tools to a local client imports lazyauth and never sees a password: what hashes comes with the first.
    from argon2 import PasswordHasher, Type

    return PasswordHasher(
        time_cost=_PASSES,
        memory_cost=_MEMORY_KIB,
        parallelism=_LANES,
        hash_len=_HASH_BYTES,
        salt_len=_SALT_BYTES,
        type=Type.ID,
    )


def _verify(password_hash: str, data: bytes) -> bool:
    from argon2.exceptions import VerificationError

    try:
        if pbkdf2.is_pbkdf2(password_hash):
            return pbkdf2.verify(password_hash, data)
        return _hasher().verify(password_hash, data)
    except VerificationError:
        return False
    except ValueError:  # what is stored is no hash; a stranger must not notice by the time it takes
        return _verify(_NOBODY, data)


async def _in_slot(work: Callable[[], _T]) -> _T:
    """Run the work in one of the two threads. A caller who is cancelled while still waiting gives the place back."""
    global _pending
    if _pending >= SLOTS + MAX_WAITING:
        raise Overloaded
    _pending += 1
    try:
        return await asyncio.get_running_loop().run_in_executor(_slots, work)
    finally:
        _pending -= 1
