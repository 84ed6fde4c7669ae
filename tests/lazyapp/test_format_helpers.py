"""Times and numbers as people read them."""

import datetime as dt
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest

from lazyapp.format_helpers import Times, format_number, pluralize

NOW = dt.datetime(2026, 11, 30, 12, 0, tzinfo=dt.UTC)
HELPERS = Times(lambda: ZoneInfo("Europe/Berlin"), lambda: NOW).helpers


def test_numbers_have_their_thousands_apart() -> None:
    """Issue: number formatting."""
    assert [format_number(1234567), format_number(0), format_number(-1234.5)] == ["1,234,567", "0", "-1,234.5"]
    assert [format_number(1234.5, 2), format_number(Decimal("0.005"), 2), format_number(2.5, 0)] == ["1,234.50", "0.00", "2"]


def test_a_noun_follows_its_count() -> None:
    nouns = ["account", "box", "city", "day", "dish"]
    assert [pluralize(2, noun) for noun in nouns] == ["2 accounts", "2 boxes", "2 cities", "2 days", "2 dishes"]
    assert [pluralize(1, "person", "people"), pluralize(0, "person", "people")] == ["1 person", "0 people"]
    assert pluralize(1234, "row") == "1,234 rows"


def test_times_are_shown_in_the_zone_of_the_settings() -> None:
    """Issue: time formatting. A time without a zone is UTC; a day is a day everywhere."""
    format_time = HELPERS["format_time"]
    assert format_time(NOW) == format_time(NOW.replace(tzinfo=None)) == "30 November 2026, 13:00"
    assert format_time(dt.date(2026, 3, 1)) == "1 March 2026"
    assert format_time(NOW, "%a %-d %b %H:%M") == "Mon 30 Nov 13:00"
    assert format_time(NOW, "%A") == "Monday"


def test_a_time_is_there_for_programs_too() -> None:
    """HTML, section 4.5.14."""
    time_tag = HELPERS["time_tag"]
    assert time_tag(NOW) == '<time datetime="2026-11-30T13:00:00+01:00">30 November 2026, 13:00</time>'
    assert time_tag(NOW, "<now>", class_="x") == '<time datetime="2026-11-30T13:00:00+01:00" class="x">&lt;now&gt;</time>'
    assert time_tag(dt.date(2026, 3, 1)) == '<time datetime="2026-03-01">1 March 2026</time>'


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "just now"),
        (44, "just now"),
        (-44, "just now"),
        (60, "1 minute ago"),
        (90, "2 minutes ago"),
        (3_599, "1 hour ago"),
        (7_200, "2 hours ago"),
        (86_400, "1 day ago"),
        (-2 * 86_400, "in 2 days"),
        (14 * 86_400, "2 weeks ago"),
        (60 * 86_400, "2 months ago"),
        (3 * 31_556_952, "3 years ago"),
    ],
)
def test_how_long_ago_is_told_in_one_unit(seconds: int, text: str) -> None:
    """Issue: time formatting."""
    time_ago = HELPERS["time_ago"]
    assert time_ago(NOW - dt.timedelta(seconds=seconds)) == text
    assert time_ago((NOW - dt.timedelta(seconds=seconds)).replace(tzinfo=None)) == text
