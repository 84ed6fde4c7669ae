"""`attack`: one attack, run with all guards in place and again without each of them."""

import functools
import inspect
from collections.abc import Awaitable, Callable, Collection
from typing import Any

import pytest

TakeOut = Callable[[pytest.MonkeyPatch], None]
Attack = Callable[..., Awaitable[Collection[str]]]


def attack(**guards: TakeOut) -> Callable[[Attack], Callable[..., Awaitable[None]]]:
    """Make a test of an attack.

    The attack returns what got through, in words: one for each of its variants, none when all were stopped.

    Args:
        guards: by name, what takes a guard out.
    """

    def test_of(act: Attack) -> Callable[..., Awaitable[None]]:
        @functools.wraps(act)
        async def test(guard: str, monkeypatch: pytest.MonkeyPatch, **fixtures: Any) -> None:
            if guard == "guarded":
                through = [*await act(**fixtures)]
                assert not through, through
            else:
                guards[guard](monkeypatch)
                assert await act(**fixtures), f"nothing got through without {guard}: either the guard or the attack is for show"

        own = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY) for name in ("guard", "monkeypatch")]
        given = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in inspect.signature(act).parameters.values()]
        test.__signature__ = inspect.Signature([*own, *given])  # type: ignore[attr-defined]
        return pytest.mark.parametrize("guard", ["guarded", *guards])(test)

    return test_of


def replaced(owner: Any, name: str, value: Any) -> TakeOut:
    """Takes a guard out by putting something else in its place."""
    return lambda patch: patch.setattr(owner, name, value)


def nothing(*_: Any, **__: Any) -> None:
    """In place of a check that raises when it does not like what it sees."""


async def nothing_awaited(*_: Any, **__: Any) -> float:
    """The same for a check that is awaited."""
    return 0.0


def yes(*_: Any, **__: Any) -> bool:
    """In place of a comparison."""
    return True


class Anything(str):
    """A text that is equal to every other: what a comparison that was left out would see."""

    __slots__ = ()
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        return True

    def __ne__(self, other: object) -> bool:
        return False
