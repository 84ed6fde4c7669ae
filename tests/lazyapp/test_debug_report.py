"""What is known about an error that ended a request."""

import json
from pathlib import Path

import pytest

from lazyapp.debug_report import debug_report, frames

ROOT = Path(__file__).parents[2]
SCOPE = {
    "method": "GET",
    "path": "/notes",
    "headers": [(b"cookie", b"crumbs"), (b"host", b"x")],
    "query_string": b"token=t0&page=2",
}


class MuteError(Exception):
    def __str__(self) -> str:
        raise ValueError("no words")


def raised(message: str = "outer", kind: type[Exception] = LookupError) -> Exception:
    try:
        try:
            int("<x>")
        except ValueError as error:
            error.add_note("in accounts/index.html.j2, line 3")
            raise kind(message) from error
    except kind as error:
        return error
    raise AssertionError


def test_the_chain_is_told_with_its_notes() -> None:
    """An error in a view carries its place as a note."""
    report = debug_report(raised(), SCOPE, "id-1", ROOT)
    assert report.title == "LookupError at GET /notes"
    first, second = report.errors
    assert (first.kind, first.message, second.kind) == ("LookupError", "outer", "ValueError")
    assert second.message.endswith("\nin accounts/index.html.j2, line 3")


def test_frames_show_the_lines_around_the_one_in_question() -> None:
    """Design, section 3."""
    (frame,) = frames(raised(), ROOT)
    assert (frame.file, frame.function, frame.is_own) == ("tests/lazyapp/test_debug_report.py", "raised", True)
    assert len(frame.lines) == 7
    assert dict(frame.lines)[frame.line].strip() == "raise kind(message) from error"


def test_a_generator_and_the_line_that_runs_it_are_one_place() -> None:
    """Your frames first, each once."""
    with pytest.raises(ValueError) as caught:
        sum(int(text) for text in ["x"])
    assert [frame.function for frame in frames(caught.value, ROOT)] == ["<genexpr>"]


def test_an_error_without_a_traceback_and_a_chain_that_bites_its_tail_end() -> None:
    """The report of an error must not fail."""
    first, second = ValueError("one"), ValueError("two")
    first.__cause__, second.__cause__ = second, first
    assert [told.message for told in debug_report(first, {}, "", ROOT).errors] == ["one", "two"]


def test_an_error_that_has_no_words_is_told_all_the_same() -> None:
    """The report of an error must not fail."""
    assert debug_report(raised(kind=MuteError), SCOPE, "", ROOT).errors[0].message == "(its text cannot be shown: ValueError)"


def test_secrets_are_masked() -> None:
    """Design, section 3. Drivers name the address that they could not reach."""
    report = debug_report(raised("cannot reach postgresql://ada:s3cret@db/x"), SCOPE, "", ROOT)
    assert report.errors[0].message == "cannot reach postgresql://ada:•••@db/x"
    assert report.query == (("token", "•••"), ("page", "2"))
    assert dict(report.headers) == {"cookie": "•••", "host": "x"}


def test_what_binds_one_login_is_a_secret_too_and_the_page_before_is_named_without_its_query() -> None:
    """RFC 6749, section 10.12; OpenID Connect Core, section 3.1.2.1."""
    scope = {
        "method": "GET",
        "path": "/login/sso",
        "query_string": b"State=abc&nonce=def&page=2",
        "headers": [(b"referer", b"https://x.example/a?code=hunter2")],
    }
    report = debug_report(ValueError(), scope, "1", Path("/"))
    assert report.query == (("State", "•••"), ("nonce", "•••"), ("page", "2"))
    assert report.headers == (("referer", "https://x.example/a"),)


def test_markdown_holds_what_helps_and_no_line_ends_its_block() -> None:
    """CommonMark, section 4.5: a fence is ended by one as long."""
    text = debug_report(raised("```\n# not a heading"), SCOPE, "id-1", ROOT).as_markdown()
    assert "\n````\n```\n# not a heading\n````\n" in text
    assert "## Caused by ValueError" in text
    assert "`tests/lazyapp/test_debug_report.py:" in text
    assert "raise kind(message) from error" in text
    assert text.endswith("Request id-1\n")
    assert "crumbs" not in text


def test_json_holds_places_and_no_source() -> None:
    """Design, section 3: JSON as well."""
    first = debug_report(raised(), SCOPE, "id-1", ROOT).as_json()[0]
    assert (first["type"], first["message"]) == ("LookupError", "outer")
    assert [frame["function"] for frame in first["frames"]] == ["raised"]
    assert first["library_frames"] == []


def test_frames_of_libraries_are_apart_in_json_and_counted_in_markdown() -> None:
    """Whoever reads them pays for each; the innermost says which call went wrong."""
    try:
        json.loads("{")
    except ValueError as error:
        report = debug_report(error, SCOPE, "id-1", ROOT)
    (told,) = report.as_json()
    own = "test_frames_of_libraries_are_apart_in_json_and_counted_in_markdown"
    assert [frame["function"] for frame in told["frames"]] == [own]
    assert [frame["function"] for frame in told["library_frames"]] == ["raw_decode", "decode", "loads"]
    text = report.as_markdown()
    assert "\n3 frames of libraries, the innermost `" in text
    assert text.count(".py:") == 2
