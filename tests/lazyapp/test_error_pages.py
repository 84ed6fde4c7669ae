"""What a visitor sees when something went wrong."""

from pathlib import Path
from typing import Any

import pytest

from lazyapp.controller import Controller
from lazyapp.error_pages import Problem
from lazyapp.routes import Routes
from tests.lazyapp.site import Site


class FailController(Controller):
    async def index(self) -> None:
        secret = "local-secret"
        raise RuntimeError(f"<b>broken</b> {len(secret)}")


def draw(routes: Routes) -> None:
    routes.root(FailController.index)


def test_the_applications_error_view_comes_first(tmp_path: Path) -> None:
    """Design, section 3."""
    files = {"views/error.html.j2": "{{ status }}|{{ title }}|{{ message }}", "public/404.html": "static"}
    page = Site(tmp_path, draw, files).client().get("/nowhere")
    assert (page.status_code, page.text.partition("</title>")[2]) == (404, "404|Not Found|There is no page at this address.")
    assert page.headers["vary"] == "accept"


def test_then_the_public_file_of_the_status(tmp_path: Path) -> None:
    """Design, section 3."""
    site = Site(tmp_path, draw, {"public/404.html": "static"})
    assert (site.client().get("/nowhere").text, site.client().get("/nowhere").status_code) == ("static", 404)


def test_then_a_small_page_of_ours(tmp_path: Path) -> None:
    """Design, section 3: then plain."""
    page = Site(tmp_path, draw).client().get("/nowhere")
    assert "<h1>404 Not Found</h1>" in page.text
    assert page.text.startswith("<!doctype html>")


@pytest.mark.parametrize("view", ["{{ nothing }}", "{% if %}", "{{ 1/0 }}"])
def test_an_error_inside_the_error_view_falls_through(tmp_path: Path, view: str, caplog: pytest.LogCaptureFixture) -> None:
    """Issue 2: there always is an answer."""
    page = Site(tmp_path, draw, {"views/error.html.j2": view}).client().get("/")
    assert page.status_code == 500
    assert "<h1>500 Internal Server Error</h1>" in page.text
    assert "the error view failed" in caplog.text


def test_a_public_file_that_cannot_be_read_falls_through(tmp_path: Path) -> None:
    """Issue 2: there always is an answer."""
    site = Site(tmp_path, draw)
    (tmp_path / "public" / "404.html").write_bytes(b"\xff\xfe")
    assert "<h1>404 Not Found</h1>" in site.client().get("/nowhere").text


def test_a_json_client_gets_a_problem_with_the_number(tmp_path: Path) -> None:
    """RFC 9457, 3."""
    answer = Site(tmp_path, draw, env="development").client(headers={"accept": "application/json"}).get("/")
    problem = answer.json()
    assert answer.headers["content-type"] == "application/problem+json"
    assert (problem["status"], problem["title"]) == (500, "Internal Server Error")
    assert answer.headers["x-request-id"] in problem["detail"]
    assert "broken" not in answer.text


def test_development_shows_the_traceback_escaped_and_the_own_frames_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Design, section 3: your frames first, secrets masked."""
    monkeypatch.setenv("SECRET_KEY", "environment-secret-of-32-bytes-or-more")
    site = Site(tmp_path, draw, env="development")
    site.settings = site.settings.model_copy(update={"root": Path(__file__).parents[2]})
    headers = {"authorization": "Bearer token-value", "cookie": "a=cookie-value", "x-api-key": "key-value", "x-other": "<shown>"}
    page = site.client().get("/?code=code-value&page=2", headers=headers)
    assert page.status_code == 500
    assert "&lt;b&gt;broken&lt;/b&gt; 12" in page.text
    assert "&lt;shown&gt;" in page.text
    for secret in ("token-value", "cookie-value", "key-value", "code-value", "environment-secret-of-32-bytes-or-more"):
        assert secret not in page.text
    assert page.text.index("tests/lazyapp/test_error_pages.py") < page.text.index("frames of libraries")
    assert page.headers["cache-control"] == "no-store"
    nonce = page.text.partition('nonce="')[2].partition('"')[0]
    assert f"'nonce-{nonce}'" in page.headers["content-security-policy"]


@pytest.mark.parametrize(("options", "shown"), [({}, False), ({"force_detail_errors": True}, True)])
def test_details_are_shown_elsewhere_only_when_forced(tmp_path: Path, options: dict[str, Any], shown: bool) -> None:
    """Design, section 3: force_detail_errors."""
    page = Site(tmp_path, draw, env="production", options=options).client().get("/")
    assert ("RuntimeError" in page.text) is shown


def test_a_status_that_nobody_knows_has_words_too() -> None:
    """Applications raise what they like."""
    problem = Problem(499)
    assert (problem.title, problem.sentence) == ("Error", "Error.")
    assert Problem(418).sentence == "I'm a Teapot."
