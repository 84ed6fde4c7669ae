"""The Range header."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lazyapp.ranges import NotSatisfiable, Span, requested


@pytest.mark.parametrize(
    ("value", "span"),
    [
        ("bytes=0-499", Span(0, 500)),
        ("bytes=500-999", Span(500, 1000)),
        ("bytes=-500", Span(9500, 10000)),
        ("bytes=9500-", Span(9500, 10000)),
        ("bytes=0-0", Span(0, 1)),
        ("bytes=-1", Span(9999, 10000)),
        ("bytes=0-99999", Span(0, 10000)),
        ("bytes=-99999", Span(0, 10000)),
        ("bytes=9999-9999", Span(9999, 10000)),
        ("BYTES=0-9", Span(0, 10)),
        ("bytes= 0-9", Span(0, 10)),
        ("bytes=,0-9,", Span(0, 10)),
        ("bytes=0-" + "9" * 5000, Span(0, 10000)),
        ("bytes=" + "0" * 5000 + "1-2", Span(1, 3)),
    ],
)
def test_one_range_is_a_part_of_the_file(value: str, span: Span) -> None:
    """RFC 9110, 14.1.2, with the examples that it gives for 10,000 bytes."""
    assert requested(value, 10000) == span


@pytest.mark.parametrize(
    "value",
    [
        "",
        "bytes",
        "bytes=",
        "bytes=-",
        "bytes=5-2",
        "bytes=a-b",
        "bytes=0-9-",
        "bytes=+0-9",
        "lines=0-9",
        "0-9",
        "bytes=0 - 9",
        "bytes=\u0660-\u0669",
    ],
)
def test_what_is_malformed_or_of_another_unit_is_as_if_it_were_not_there(value: str) -> None:
    """RFC 9110, 14.2: an origin server must ignore a range unit that it does not understand."""
    assert requested(value, 10000) is None


def test_several_ranges_are_the_whole_file() -> None:
    """RFC 9110, 14.2 and 17.15."""
    assert requested("bytes=0-9,20-29", 10000) is None
    assert requested("bytes=" + ",".join(["0-"] * 1000), 10000) is None


@pytest.mark.parametrize("value", ["bytes=10000-", "bytes=10000-10001", "bytes=-0", "bytes=" + "9" * 5000 + "-"])
def test_a_range_behind_the_end_cannot_be_satisfied(value: str) -> None:
    """RFC 9110, 14.1.2 and 15.5.17."""
    with pytest.raises(NotSatisfiable):
        requested(value, 10000)


@pytest.mark.parametrize("value", ["bytes=0-", "bytes=-5", "bytes=0-0"])
def test_an_empty_file_has_no_part(value: str) -> None:
    """RFC 9110, 14.1.2: the first position is behind the end."""
    with pytest.raises(NotSatisfiable):
        requested(value, 0)


@given(st.text(max_size=40) | st.from_regex(r"bytes=[0-9]{0,30}-[0-9]{0,30}(,[0-9]{0,3}-[0-9]{0,3}){0,3}"), st.integers(0, 10**6))
def test_whatever_is_asked_for_a_part_lies_within_the_file(value: str, size: int) -> None:
    """RFC 9110, section 14.2: what is no range is ignored."""
    try:
        span = requested(value, size)
    except NotSatisfiable:
        return
    assert span is None or 0 <= span.start < span.end <= size
