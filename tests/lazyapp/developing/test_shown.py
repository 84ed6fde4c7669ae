"""lazyapp/developing/shown.py: values in words."""

import pytest

from lazyapp.developing.shown import HELPERS, clock, counted, duration, moment, plain, pretty, segment


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x1b[31mb", "a\\x1b[31mb"),
        ("a\x00\x7f\x9b", "a\\x00\\x7f\\x9b"),
        ("\u202egnp.exe", "\\u202egnp.exe"),
        ("\u2066\u200f", "\\u2066\\u200f"),
        ("one\n\ttwo é 漢 😀", "one\n\ttwo é 漢 😀"),
        (7, "7"),
    ],
)
def test_what_steers_is_shown_and_not_obeyed(text, shown):
    """Unicode Standard Annex 9; https://trojansource.codes."""
    assert plain(text) == shown


def test_json_is_indented_and_steers_nobody():
    assert pretty({"a": "é\u202e"}) == '{\n  "a": "é\\u202e"\n}'
    assert pretty({"a": object}).startswith("{")


@pytest.mark.parametrize(("ms", "words"), [(0.04, "0.0 ms"), (9.96, "10.0 ms"), (35.4, "35 ms"), (1200, "1.20 s")])
def test_lengths_of_time_compare_at_a_glance(ms, words):
    assert duration(ms) == words


def test_times_are_of_this_machine():
    assert len(clock(1_800_000_000)) == 8
    assert moment(1_800_000_000)[:8] == "2027-01-"
    assert clock(1_800_000_000) in moment(1_800_000_000)


def test_one_is_not_many():
    assert (counted(1, "tool"), counted(0, "tool"), counted(2, "tool")) == ("1 tool", "0 tools", "2 tools")


def test_a_segment_holds_anything():
    """RFC 3986, section 3.3."""
    assert segment("a/b?c#d é\ud800") == "a%2Fb%3Fc%23d%20%C3%A9%3F"


def test_every_helper_of_the_templates_is_one_of_these():
    assert {name: helper.__name__ for name, helper in HELPERS.items()} == {name: name for name in HELPERS}
