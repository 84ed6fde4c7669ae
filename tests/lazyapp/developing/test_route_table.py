"""lazyapp/developing/route_table.py: the table, and which of it answers a request."""

import pytest

from lazyapp.developing.route_table import rows, who_answers
from tests.lazyapp.developing.panel_site import HTML, URL, application, opened


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    return application(tmp_path_factory.mktemp("routes"))


def test_every_route_is_listed_in_its_order_with_its_place_and_login(app):
    listed = rows(app)
    assert [(row.methods, row.path, row.name, row.action, row.needs_login) for row in listed[:3]] == [
        (("GET",), "/books", "books", "books#index", False),
        (("POST",), "/books", "books", "books#create", False),
        (("GET",), "/books/{id:int}", "book", "books#show", True),
    ]
    assert all("panel_site.py:" in row.place for row in listed[:3])
    others = {row.path for row in listed if row.needs_login is None}
    assert {"/api/version", "/docs", "/openapi.json"} <= others


@pytest.mark.parametrize(
    ("method", "path", "sentence"),
    [
        ("GET", "/books", "books#index"),
        ("HEAD", "/books/", "books#index"),
        ("GET", "/books/3", "books#show"),
        ("GET", "/books/three", "Nothing: 404."),
        ("DELETE", "/books", "Nothing: 405, for this path takes GET, POST."),
        ("OPTIONS", "/books", "204, with Allow: GET, POST, OPTIONS."),
        ("GET", "/api/version", "tests.lazyapp.developing.panel_site.version"),
        ("GET", "/docs", "FastAPI's docs"),
        ("GET", "/livez", "The health of this process."),
        ("GET", "/_lazy/routes", "This panel, in development only."),
        ("GET", "/nobody", "Nothing: 404."),
        ("GET", "/", "Nothing: 404."),
    ],
)
def test_who_answers_is_told(app, method, path, sentence):
    assert who_answers(app, rows(app), method, path).sentence == sentence


async def test_what_is_told_is_what_happens(tmp_path):
    """The table is a reading of the router; this asks both."""
    async with opened(tmp_path, oauth=None) as site:
        listed = rows(site.app)
        for path in ("/books/3", "/books/three", "/api/version", "/docs", "/nobody", "/mcp", "/livez", "/books/"):
            answer = await site.http.get(path, headers=HTML)
            found = who_answers(site.app, listed, "GET", path)
            assert (answer.status_code == 404) == found.sentence.startswith("Nothing: 404"), path


async def test_what_only_a_running_application_has_is_told_as_well(tmp_path):
    (tmp_path / "public").mkdir()
    (tmp_path / "public" / "logo.svg").write_text("<svg/>")
    async with opened(tmp_path, public=tmp_path / "public") as site:
        assert who_answers(site.app, [], "GET", "/logo.svg").sentence == "The public file /logo.svg, before any route."
        assert who_answers(site.app, [], "POST", "/logo.svg").sentence == "Nothing: 404."
        assert who_answers(site.app, [], "POST", "/mcp").sentence == "MCP: the modules of this application."
        assert "OAuth" not in who_answers(site.app, [], "GET", "/oauth/authorize").sentence


async def test_the_page_takes_a_path_or_a_whole_address(tmp_path):
    async with opened(tmp_path) as site:
        for asked in (f"{URL}/books/3?x=1#top", "/books/3", "%2Fbooks/3", " /books/3 "):
            answer = await site.http.get("/_lazy/routes", params={"method": "get", "path": asked}, headers=HTML)
            assert "<strong>books#show</strong>" in answer.text


async def test_nothing_that_is_asked_breaks_the_page(tmp_path):
    async with opened(tmp_path) as site:
        for asked in ("<script>", "http://[", "\x00", "{", "a" * 5000, "%ff%fe", "//", "http://x:99999999/"):
            answer = await site.http.get("/_lazy/routes", params={"method": asked, "path": asked}, headers=HTML)
            assert answer.status_code == 200, asked
            assert "<script>" not in answer.text
