"""Links, buttons, style sheets and scripts."""

from pathlib import Path

import pytest

from lazyapp import Controller
from lazyapp.addresses import UnsafeLink
from lazyapp.link_helpers import asset_helpers, button_to, link_to
from tests.lazyapp.site import Site


class HomeController(Controller):
    async def index(self) -> None:
        """Renders its view."""


def test_a_link_is_escaped_and_takes_attributes() -> None:
    """Design, section 6."""
    assert link_to("<b>", "/a?b=1&c=2", class_="x") == '<a href="/a?b=1&amp;c=2" class="x">&lt;b&gt;</a>'


def test_the_link_to_the_page_itself_is_marked(tmp_path: Path) -> None:
    """WAI-ARIA 1.2, aria-current."""
    view = {"views/home/index.html.j2": "{{ link_to('Here', '/') }}{{ link_to('There', '/there') }}"}
    text = Site(tmp_path, lambda routes: routes.root(HomeController.index), view).client().get("/").text
    assert '<a href="/" aria-current="page">Here</a><a href="/there">There</a>' in text


def test_no_link_and_no_button_runs_a_script() -> None:
    with pytest.raises(UnsafeLink):
        link_to("x", "javascript:alert(1)")
    with pytest.raises(UnsafeLink):
        button_to("x", "javascript:alert(1)")


def test_a_button_is_a_form_of_its_own() -> None:
    """It works without JavaScript, and a GET stays safe (RFC 9110, section 9.2.1)."""
    assert button_to("Delete <x>", "/notes/3", "delete", class_="quiet") == (
        '<form method="post" action="/notes/3?_method=delete" class="button-form">'
        '<button class="quiet">Delete &lt;x&gt;</button></form>'
    )


def test_style_sheets_and_scripts_carry_their_digest() -> None:
    """Issue: SRI. W3C Subresource Integrity, 3.1."""
    helpers = asset_helpers(lambda name: f"/{name}", lambda name: f"sha384-{name}")
    assert helpers["stylesheet_link"]("a.css", media="print") == (
        '<link rel="stylesheet" href="/a.css" integrity="sha384-a.css" media="print">'
    )
    assert helpers["script_tag"]("a.js") == '<script src="/a.js" type="module" integrity="sha384-a.js"></script>'
    assert helpers["script_tag"]("a.js", type=None) == '<script src="/a.js" defer integrity="sha384-a.js"></script>'


def test_a_view_links_to_the_files_that_are_served(tmp_path: Path) -> None:
    """What the browser compares is what it is sent."""
    files = {"views/home/index.html.j2": "{{ stylesheet_link('a.css') }}", "public/a.css": "a{}"}
    text = Site(tmp_path, lambda routes: routes.root(HomeController.index), files).client().get("/").text
    # printf 'a{}' | openssl dgst -sha384 -binary | base64
    assert 'integrity="sha384-m4Zcd9m9Kerya2aMKZ9CuL1yv7QLjdpmEo79GaQCk1uO2U4trsxWuyqSJsOzpOru"' in text
