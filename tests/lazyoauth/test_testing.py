"""The suite for a store of one's own: our three stores pass it, and it catches what people get wrong."""

import re
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.ext.asyncio import create_async_engine

from lazyoauth import MemoryRefreshTokenStates, RefreshTokenStateStore, SQLRefreshTokenStates
from lazyoauth.testing import RefreshTokenStateContract
from tests.lazyoauth import broken_stores as broken

DOCUMENT = Path(__file__).parents[2] / "docs" / "stores.md"
Opened = AbstractAsyncContextManager[RefreshTokenStateStore]


class TestMemory(RefreshTokenStateContract):
    """docs/stores.md."""

    def setup_method(self) -> None:
        self.states = MemoryRefreshTokenStates()

    def open_states(self) -> Opened:
        return nullcontext(self.states)


class OnDatabase(RefreshTokenStateContract):
    url: str

    @asynccontextmanager
    async def open_states(self) -> AsyncIterator[SQLRefreshTokenStates]:
        engine = create_async_engine(self.url)
        async with SQLRefreshTokenStates(engine) as states:
            yield states
        await engine.dispose()


class TestSQLite(OnDatabase):
    """docs/stores.md."""

    @pytest.fixture(autouse=True)
    def storage(self, sqlite_url: str) -> None:
        self.url = sqlite_url


class TestPostgreSQL(OnDatabase):
    """docs/stores.md."""

    @pytest.fixture(autouse=True)
    def storage(self, postgres_url: str) -> None:
        self.url = postgres_url


class TestDocumentedStore(RefreshTokenStateContract):
    """docs/stores.md, "A store of your own"."""

    @pytest.fixture(autouse=True)
    def storage(self, tmp_path: Path) -> None:
        (store, _) = re.findall(r"^```python\n(.*?)^```", DOCUMENT.read_text(), re.MULTILINE | re.DOTALL)
        names: dict[str, Any] = {"__name__": "documentation"}
        exec(compile(store, str(DOCUMENT), "exec"), names)
        self.open_documented = lambda: names["FileStates"](str(tmp_path / "logins.sqlite3"))

    def open_states(self) -> Opened:
        opened: Opened = self.open_documented()
        return opened


def faults(open_states: Callable[[], Opened], *names: str) -> dict[str, AssertionError]:
    """Those of these tests of the suite, or of all, that a store fails, with what they say."""
    contract = RefreshTokenStateContract()
    contract.open_states = open_states  # type: ignore[method-assign]
    found = {}
    for name in names or [name for name in dir(contract) if name.startswith("test_")]:
        try:
            getattr(contract, name)()
        except AssertionError as error:
            found[name] = error
    return found


SEEDED = [
    (broken.ReadsThenWrites, "test_of_many_that_present_one_jti_one_succeeds"),
    (broken.ReadsThenWrites, "test_a_retry_within_the_window_gets_the_same_successor"),
    (broken.Revives, "test_nothing_rotates_after_a_revocation"),
    (broken.Forks, "test_a_retry_within_the_window_gets_the_same_successor"),
    (broken.ForgivesCodes, "test_outside_the_window_it_is_a_replay"),
    (broken.ForgetsTheEnd, "test_a_rotation_makes_the_new_jti_current"),
    (broken.NeverEnds, "test_an_expired_family_gives_nothing"),
    (broken.ForgetsTooMuch, "test_purge_forgets_what_expired_and_nothing_else"),
    (broken.ForgetsRevoked, "test_purge_forgets_what_expired_and_nothing_else"),
    (broken.RollsBack, "test_a_replay_has_ended_the_family_when_it_is_answered"),
    (broken.TakesRestoredForTheft, "test_a_jti_newer_than_the_store_is_no_theft"),
]


@pytest.mark.parametrize(("store", "test"), SEEDED, ids=[f"{store.__name__}-{number}" for number, (store, _) in enumerate(SEEDED)])
def test_a_seeded_mistake_is_caught(store: type[MemoryRefreshTokenStates], test: str):
    """Contract of the store, each clause: a suite that cannot fail shows nothing."""
    storage = store()
    assert test in faults(lambda: nullcontext(storage), test)


def test_a_revocation_that_is_not_committed_is_caught():
    """Contract of the store, 3 and 4; RFC 7009, section 2: it takes effect at once, and everywhere."""
    storage = MemoryRefreshTokenStates()
    test = "test_a_revocation_is_known_to_all_and_final"
    found = faults(lambda: nullcontext(broken.RevokesForItself(storage)), test)
    assert "another process still finds the family active" in str(found[test])


def test_a_store_without_a_mistake_is_found_to_have_none():
    """The other side of the coin; docs/stores.md."""
    storage = MemoryRefreshTokenStates()
    assert faults(lambda: nullcontext(storage)) == {}


def test_a_suite_that_was_not_told_the_store_says_what_is_missing():
    """style.md: the message says what was expected."""
    with pytest.raises(NotImplementedError, match="def open_states"):
        RefreshTokenStateContract().open_states()
