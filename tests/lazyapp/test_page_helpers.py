"""The functions that every view may call."""

import datetime as dt

from lazyapp.current import Current, current
from lazyapp.page_helpers import csp_nonce, current_path, flash, page_helpers
from lazyapp.sessions import Flash, Sessions


def test_outside_a_request_helpers_are_empty() -> None:
    """The login page wears the application's layout."""
    assert current.get() is None
    assert (flash(), current_path(), csp_nonce()) == ([], "", "")


def test_inside_a_request_they_speak_of_it() -> None:
    """Design, section 6."""
    scope = {"path": "/here", "headers": [], "scheme": "http"}
    here = Current(scope, Sessions("s" * 32).of(scope))
    here.session.flash("hello")
    token = current.set(here)
    try:
        assert (flash(), flash(), current_path()) == ([Flash("hello")], [], "/here")
        assert csp_nonce() == here.nonce
    finally:
        current.reset(token)


def test_helpers_have_the_names_that_views_use() -> None:
    """Design, section 6."""
    helpers = page_helpers(
        lambda name: f"/{name}", lambda name: f"/{name}", lambda name: "sha384-x", lambda: "https://example.com", lambda: dt.UTC
    )
    assert sorted(helpers) == [
        *("asset_path", "button_to", "csp_nonce", "current_path", "current_user", "errors_for", "field", "flash", "form_for"),
        *("format_number", "format_time", "link_to", "path_for", "pluralize", "public_url", "script_tag", "stylesheet_link"),
        *("time_ago", "time_tag"),
    ]
    assert (helpers["public_url"](), helpers["public_url"]("/a")) == ("https://example.com/", "https://example.com/a")
