"""The pages of an application that brings none. Design, section 5."""

import pytest
from jinja2 import UndefinedError

from lazyoauth.standalone import standalone
from tests.lazyoauth.journey import Journey


async def test_standing_alone_the_pages_have_a_stylesheet(journey: Journey):
    """Light and dark, without a script or an inline style."""
    answer = await journey.http.get("/oauth/style.css")
    assert answer.headers["content-type"].startswith("text/css")
    assert "prefers-color-scheme: dark" in answer.text


def test_a_page_is_escaped_once_and_lacks_nothing():
    """What is put in stays text; what is forgotten is an error rather than a gap."""
    render = standalone()
    given = {"app_name": "A & B", "title": "T", "message": "<b>", "advice": "x", "code": "y"}
    page = render("oauth/error", given)
    assert "A &amp; B" in page
    assert "&lt;b&gt;" in page
    with pytest.raises(UndefinedError):
        render("oauth/error", {"app_name": "A", "title": "T"})
