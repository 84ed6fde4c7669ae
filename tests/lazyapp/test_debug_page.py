"""The development page of an error."""

from pathlib import Path

from lazyapp.debug_page import debug_page, frames

ROOT = Path(__file__).parents[2]


def raised() -> Exception:
    try:
        try:
            int("<x>")
        except ValueError as error:
            error.add_note("in accounts/index.html.j2, line 3")
            raise LookupError("outer") from error
    except LookupError as error:
        return error
    raise AssertionError


def test_causes_and_notes_are_told() -> None:
    """An error in a view carries its place as a note."""
    page = debug_page(raised(), {"method": "GET", "path": "/<p>", "headers": [], "query_string": b""}, "n", ROOT)
    assert page.index("LookupError") < page.index("Caused by ValueError")
    assert "&lt;x&gt;" in page
    assert "in accounts/index.html.j2, line 3" in page
    assert "/&lt;p&gt;" in page
    assert "<x>" not in page


def test_frames_show_the_lines_around_the_one_in_question() -> None:
    """Design, section 3."""
    (frame,) = frames(raised(), ROOT)
    assert (frame.file, frame.function, frame.is_own) == ("tests/lazyapp/test_debug_page.py", "raised", True)
    assert len(frame.lines) == 7
    assert dict(frame.lines)[frame.line].strip() == 'raise LookupError("outer") from error'


def test_an_error_without_a_traceback_and_a_chain_that_bites_its_tail_end() -> None:
    """The page about an error must not fail."""
    first, second = ValueError("one"), ValueError("two")
    first.__cause__, second.__cause__ = second, first
    page = debug_page(first, {}, "", ROOT)
    assert page.count("ValueError</h1>") == 2
