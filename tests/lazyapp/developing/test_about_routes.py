"""lazyapp/developing/about_routes.py: which route answers a request."""

from pathlib import Path

from lazyapp.developing.about_routes import rows
from tests.lazyapp.developing.library import asked_about, library

ANSWERS = [
    ("GET", "/", "page", "home#index"),
    ("HEAD", "/", "page", "home#index"),
    ("GET", "/readers/ada", "page", "readers#show"),
    ("get", "/readers/ada/", "page", "readers#show"),
    ("GET", "/readers/ada?tab=books", "page", "readers#show"),
    ("GET", "/api/books/3", "router", "tests.lazyapp.developing.library.book"),
    ("GET", "/shelf.css", "public file", "/shelf.css, before any route"),
    ("POST", "/mcp", "mcp", "list_mcp"),
    ("GET", "/readyz", "health", "health of this process"),
    ("GET", "/livez", "health", "health of this process"),
    ("GET", "/metrics", "health", "health of this process"),
    ("GET", "/docs", "router", "FastAPI's docs"),
    ("GET", "/openapi.json", "router", "FastAPI's OpenAPI document"),
    ("GET", "/_lazy", "panel", "in development only"),
    ("GET", "/_lazy/mcp", "panel", "This server"),
    ("POST", "/oauth/token", "oauth", "authorization server"),
    ("GET", "/.well-known/oauth-protected-resource/mcp", "oauth", "authorization server"),
    ("DELETE", "/readers/ada", "nothing", "405, for this path takes GET"),
    ("GET", "/shelves", "nothing", "404"),
    ("GET", "/api/books", "nothing", "404"),
    ("GET", "/../init/app.py", "nothing", "404"),
    ("GET", "/api/books/3/pages", "nothing", "404"),
]


async def test_every_kind_of_request_is_told_apart(tmp_path: Path) -> None:
    """docs/about.md, "Routes"; the order of design section 3: exact paths, files, pages, routers."""
    async with asked_about(tmp_path) as agent:
        for method, path, by, words in ANSWERS:
            found = await agent.call("find_route", path=path, method=method)
            told = found["hint"] or found["route"]["action"]
            assert (found["answered_by"], words in told) == (by, True), (method, path, found)


async def test_what_is_said_is_what_happens(tmp_path: Path) -> None:
    """docs/about.md, "Routes"."""
    async with asked_about(tmp_path) as agent:
        for method, path, by, _ in ANSWERS:
            if method == "GET" and by in ("page", "router", "public file", "health", "nothing"):
                status = (await agent.call("get_page", path=path))["status"]
                assert (status == 404) is (by == "nothing"), path


def test_routes_are_found_by_a_word(tmp_path: Path) -> None:
    """docs/about.md, "Routes"."""
    app = library(tmp_path)
    assert {row.action for row in rows(app, "readers")} == {"readers#index", "readers#show"}
    assert [row.action for row in rows(app, "SHOW")] == ["readers#show"]
    assert rows(app, "x y") == []
    assert all("library.py:" in row.place for row in rows(app, "readers"))
