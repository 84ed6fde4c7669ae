"""`lazyapp.testing.stand_ins`: other things for services."""

from collections.abc import AsyncIterator
from typing import Self

import pytest

import lazyapp
from lazyapp.testing.stand_ins import overridden


class Mail:
    pass


class Letters:
    def __init__(self, mail: Mail) -> None:
        self.mail = mail


class Entered:
    entered = False

    async def __aenter__(self) -> Self:
        self.entered = True
        return self

    async def __aexit__(self, *_: object) -> None: ...


async def ask() -> None:
    raise AssertionError("a stand-in answers no ping")


def services() -> lazyapp.Services:
    found = lazyapp.Services()
    found.add(Mail, Mail, ping=lambda _: ask())
    found.add(Letters, Letters)
    return found


async def test_an_object_is_used_as_it_is_by_whoever_asks_for_the_type() -> None:
    """docs/testing.md, "Other things for services". Who made it closes it."""
    these, fake = services(), Entered()
    with overridden(these, {Mail: fake}):
        async with these.opened():
            assert these.get(Mail) is fake
            assert these.get(Letters).mail is fake
            assert await these.check() == {}
    assert not fake.entered
    async with these.opened():
        assert type(these.get(Mail)) is Mail


async def test_a_class_or_function_makes_one_and_cleans_up() -> None:
    these, events = services(), []

    async def letters(mail: Mail) -> AsyncIterator[str]:
        yield f"for {type(mail).__name__}"
        events.append("closed")

    with overridden(these, {Letters: letters, Mail: Entered}):
        async with these.opened():
            assert these.get(Letters) == "for Entered"
            assert these.get(Mail).entered
    assert events == ["closed"]


def test_what_is_not_declared_has_no_stand_in() -> None:
    message = r"Entered is no declared service.*; the services are Mail, Letters"
    with pytest.raises(lazyapp.ConfigurationError, match=message), overridden(services(), {Entered: Entered()}):
        pass
