"""What a client says it wants to read."""

import pytest

from lazyapp.accept import AS_GET, choose, header, is_head, is_json, wants_json, wish


def scope(accept: str = "", content_type: str = "") -> dict[str, object]:
    return {"headers": [(b"accept", accept.encode()), (b"content-type", content_type.encode())]}


@pytest.mark.parametrize(
    ("accept", "wanted"),
    [
        ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "html"),
        ("application/json", "json"),
        ("application/problem+json, text/html;q=0.5", "json"),
        ("application/json;q=0.2, text/html;q=0.9", "html"),
        ("application/json;q=0", ""),
        ("application/json;q=nonsense", ""),
        ("*/*", ""),
        ("", ""),
        ("TEXT/HTML ; level=1", "html"),
    ],
)
def test_the_type_with_the_most_weight_is_what_is_wanted(accept: str, wanted: str) -> None:
    """RFC 9110, 12.5.1."""
    assert wish(scope(accept)) == wanted


@pytest.mark.parametrize(
    ("accept", "chosen"),
    [
        ("", "a/one"),
        (" ", "a/one"),
        ("*/*", "a/one"),
        ("b/two", "b/two"),
        ("B/TWO;level=1", "b/two"),
        ("a/one;q=0.5, b/two;q=0.6", "b/two"),
        ("a/*;q=0.5, */*;q=0.4", "a/one"),
        ("a/one;q=0, */*", "b/two"),
        ("c/three", ""),
        ("*/*;q=0", ""),
        ("a/one;q=nan, b/two;q=inf", ""),
        ("a/one;q=-1, b/two;q=2", ""),
        (",;,=;q", ""),
    ],
)
def test_of_what_there_is_the_client_gets_what_it_takes_best(accept: str, chosen: str) -> None:
    """RFC 9110, 12.4.2 and 12.5.1."""
    assert choose(scope(accept), ["a/one", "b/two"]) == chosen


def test_a_head_is_known_also_when_it_is_answered_as_a_get() -> None:
    """RFC 9110, 9.3.2."""
    assert is_head({"method": "HEAD"})
    assert is_head({"method": "GET", AS_GET: True})
    assert not is_head({"method": "GET"})


@pytest.mark.parametrize(
    ("accept", "content_type", "expected"),
    [
        ("*/*", "application/json", True),
        ("text/html", "application/json", False),
        ("*/*", "application/x-www-form-urlencoded", False),
        ("application/json", "", True),
    ],
)
def test_errors_are_told_in_json_to_who_asks_for_it_or_sent_it(accept: str, content_type: str, expected: bool) -> None:
    """Design, section 3: JSON clients get problem details."""
    assert wants_json(scope(accept, content_type)) is expected


@pytest.mark.parametrize(
    ("content_type", "expected"),
    [
        ("application/json; charset=utf-8", True),
        ("application/vnd.api+json", True),
        ("text/json-like", False),
        ("image/svg+xml", False),
    ],
)
def test_dialects_of_json_count_as_json(content_type: str, expected: bool) -> None:
    """RFC 6839, 3.1."""
    assert is_json(content_type) is expected


def test_a_header_sent_in_several_lines_is_read_as_one() -> None:
    """RFC 9110, 5.3."""
    assert header({"headers": [(b"accept", b"a/b"), (b"x", b"1"), (b"accept", b"c/d")]}, b"accept") == "a/b, c/d"
    assert header({"headers": []}, b"accept") == ""
