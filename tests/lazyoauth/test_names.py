"""Names that strangers choose. https://github.com/engram-app/Engram/issues/1208."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lazyoauth.names import MAX_NAME_LENGTH, clean


@given(st.text())
def test_whatever_comes_is_one_short_line_of_visible_characters(name):
    """No control, no direction, no line break; cleaning twice changes nothing more."""
    seen = clean(name)
    assert len(seen) <= MAX_NAME_LENGTH
    assert not any(unicodedata.category(character).startswith("C") for character in seen)
    assert seen == " ".join(seen.split())
    assert clean(seen) == seen


@pytest.mark.parametrize(
    ("name", "seen"),
    [
        ("Claude", "Claude"),
        ("  Two \n lines\t", "Two lines"),
        ("safe\u202egnp.exe", "safegnp.exe"),
        ("a\u200bb\u0000c", "abc"),
        ("Zażółć 日本語", "Zażółć 日本語"),
        ("e" + "\u0301\u0316" * 20 + "nd", "é\u0316\u0316nd"),
        ("x" * 5000, "x" * MAX_NAME_LENGTH),
        (None, ""),
        (["Claude"], ""),
    ],
)
def test_a_name_stays_what_it_is_without_its_tricks(name, seen):
    """Letters of every script stay; what hides, turns or covers goes."""
    assert clean(name) == seen
