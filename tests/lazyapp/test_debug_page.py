"""The development page of an error."""

from pathlib import Path

from lazyapp.debug_page import debug_page
from lazyapp.debug_report import debug_report

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
    page = debug_page(
        debug_report(raised(), {"method": "GET", "path": "/<p>", "headers": [], "query_string": b""}, "id", ROOT), "n"
    )
    assert page.index("LookupError") < page.index("Caused by ValueError")
    assert "&lt;x&gt;" in page
    assert "in accounts/index.html.j2, line 3" in page
    assert "/&lt;p&gt;" in page
    assert "<x>" not in page


def test_the_page_brings_its_markdown_and_a_nonce_for_its_style_and_script() -> None:
    """Design, section 3: copies as Markdown. Without scripts the text can be marked and copied by hand."""
    page = debug_page(debug_report(raised(), {"method": "GET", "path": "/", "headers": []}, "id", ROOT), 'n"')
    assert page.count('nonce="n&#34;"') == 2
    assert 'aria-label="This error as Markdown">\n# LookupError at GET /' in page
    assert "<x>" not in page
