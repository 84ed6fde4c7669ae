"""lazyapp/developing/about_values.py: values of a database as JSON has them."""

from datetime import UTC, datetime
from decimal import Decimal

import pytest

from lazyapp.developing.about_values import LONGEST, cut, shown
from lazyapp.secret_words import MASK


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        *((None, None), (True, True), (3, 3), (1.5, 1.5), (float("nan"), "nan"), (float("inf"), "inf")),
        *((Decimal("1.50"), "1.50"), (b"abc", "(3 bytes)"), ([1, b"a"], [1, "(1 bytes)"])),
        (datetime(2026, 12, 1, tzinfo=UTC), "2026-12-01 00:00:00+00:00"),
        ('{"name": "ada", "token": "t"}', f'{{"name": "ada", "token": "{MASK}"}}'),
        *(('{"name":  "ada"}', '{"name":  "ada"}'), ("{no json}", "{no json}")),
        ({"id": 1, "password": "x"}, {"id": 1, "password": MASK}),
    ],
)
def test_a_value_becomes_json_without_secrets(value: object, expected: object) -> None:
    """RFC 8259, section 3: what JSON has; docs/about.md, "Secrets"."""
    assert shown(value) == expected


def test_a_long_text_is_cut_and_says_how_long_it_was() -> None:
    """docs/about.md, "The database": answers are short."""
    assert cut("x" * LONGEST) == "x" * LONGEST
    assert cut("x" * (LONGEST + 1)) == "x" * LONGEST + f"… ({LONGEST + 1} characters)"


def test_json_that_is_nested_without_end_is_cut_as_text() -> None:
    """CVE-2023-5072: deep nesting is a way to end a parser."""
    assert str(shown("[" * 100_000 + "]" * 100_000)).endswith("characters)")
