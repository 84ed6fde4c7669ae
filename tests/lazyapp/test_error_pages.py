"""What a visitor sees when something went wrong."""

import asyncio
import contextlib
import socket
import sqlite3
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Annotated, Any

import asyncpg
import pytest
from fastapi import Form
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from lazyapp.controller import Controller
from lazyapp.error_pages import Problem, is_database_away
from lazyapp.routes import Routes
from tests.lazyapp.site import Site


class FailController(Controller):
    async def index(self) -> None:
        secret = "local-secret"
        raise RuntimeError(f"<b>broken</b> {len(secret)}")


class LockedController(Controller):
    folder: Path

    async def index(self) -> None:
        # Both ends of a lock: another process that writes for long, and a page that gives up soon.
        with contextlib.closing(sqlite3.connect(self.folder / "x.db", isolation_level=None)) as other:
            other.execute("BEGIN EXCLUSIVE")
            await run(
                create_async_engine(f"sqlite+aiosqlite:///{self.folder}/x.db", connect_args={"timeout": 0.1}), "CREATE TABLE t (a)"
            )


async def run(engine: AsyncEngine, statement: str) -> None:
    try:
        async with engine.begin() as connection:
            await connection.execute(text(statement))
    finally:
        await engine.dispose()


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
    told = problem["exception"][0]
    assert (told["type"], told["message"]) == ("RuntimeError", "<b>broken</b> 12")
    assert told["frames"] == []  # none lies in the folder of this site
    assert told["library_frames"][0].keys() == {"file", "line", "function"}


def test_elsewhere_it_gets_the_number_and_nothing_else(tmp_path: Path) -> None:
    """Design, section 3: a stranger learns the id."""
    for accept in ("application/json", "text/markdown", "text/html"):
        answer = Site(tmp_path, draw, env="production").client(headers={"accept": accept}).get("/")
        assert answer.status_code == 500
        assert "broken" not in answer.text
        assert "exception" not in answer.text


def test_a_path_begins_no_line_of_the_log(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """CWE-117: `%0A` in a path is a line end to whoever decodes it."""

    def draw_any(routes: Routes) -> None:
        routes.get("/{name}", FailController.index)

    site = Site(tmp_path, draw_any)
    assert site.client().get("/a%0AGET%20200%20%1B[2J").status_code == 500
    assert [record.getMessage().partition("GET ")[2] for record in caplog.records] == ["/a%0AGET%20200%20%1B%5B2J failed"]


def test_development_answers_in_markdown_to_whoever_asks_for_it(tmp_path: Path) -> None:
    """Design, section 3: text/markdown, for an issue or an assistant."""
    site = Site(tmp_path, draw, env="development")
    site.settings = site.settings.model_copy(update={"root": Path(__file__).parents[2]})
    answer = site.client(headers={"accept": "text/markdown"}).get("/?code=code-value")
    assert (answer.status_code, answer.headers["content-type"]) == (500, "text/markdown; charset=utf-8")
    assert answer.text.startswith("# RuntimeError at GET /\n")
    assert "`tests/lazyapp/test_error_pages.py:" in answer.text
    assert "code-value" not in answer.text


class ShownController(Controller):
    async def index(self) -> None:
        """Its view is broken."""


def test_a_broken_view_is_told_in_markdown_too(tmp_path: Path) -> None:
    """Design, section 3: the page has no Markdown, and what is wrong with it has."""
    site = Site(
        tmp_path, lambda routes: routes.root(ShownController.index), {"views/shown/index.html.j2": "{{ no }}"}, env="development"
    )
    answer = site.client(headers={"accept": "text/markdown"}).get("/")
    assert answer.status_code == 500
    assert answer.text.startswith("# TemplateError at GET /\n")


def test_a_broken_view_is_told_with_its_lines_and_the_frames_of_libraries_are_counted(tmp_path: Path) -> None:
    """Design, section 3: your frames first. A coding agent opens the file by its name, and reads no frame that is not its own."""
    files = {"views/shown/index.html.j2": "<p>\n{{ nosuch.thing }}\n</p>"}
    site = Site(tmp_path, lambda routes: routes.root(ShownController.index), files, env="development")
    site.settings = site.settings.model_copy(update={"root": tmp_path})
    text = site.client(headers={"accept": "text/markdown"}).get("/").text
    assert "\n`views/shown/index.html.j2`, line 2\n" in text
    assert "> 2 | {{ nosuch.thing }}" in text
    (counted,) = [line for line in text.splitlines() if ".py:" in line]
    assert " frames of libraries, the innermost `" in counted
    page = site.client(headers={"accept": "text/html"}).get("/").text
    assert "<code>views/shown/index.html.j2</code>, line 2" in page
    (told,) = site.client(headers={"accept": "application/json"}).get("/").json()["exception"]
    assert (told["template"], told["line"], told["frames"]) == ("views/shown/index.html.j2", 2, [])


class TypedController(Controller):
    """Its form cannot be shown again."""

    async def index(self) -> dict[str, Any]:
        raise LookupError("the page is broken too")

    async def create(self, count: Annotated[int, Form()], password: Annotated[str, Form()]) -> None: ...


def test_what_was_typed_into_a_form_is_in_no_log_when_its_page_fails(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Issue 2: nothing secret in logs. FastAPI's error, which says what was typed, is under way when the page fails."""
    client = Site(tmp_path, lambda routes: routes.resources("typed", TypedController), env="development").client()
    answer = client.post("/typed", data={"count": "many-typed", "password": "swordfish"})
    assert answer.status_code == 500
    for told in (answer.text, caplog.text):
        assert "LookupError" in told
        assert "swordfish" not in told
        assert "many-typed" not in told


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


class NamesController(Controller):
    async def index(self) -> Any:
        return self.render("names", names=["<ada>"])


def test_an_error_in_a_template_shows_its_lines_first_and_libraries_folded(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Design, sections 3 and 6: the template's excerpt, then your frames; a short entry in the log."""
    files = {
        "views/names/names.html.j2": "\n{% include 'names/row.html.j2' %}",
        "views/names/row.html.j2": "{% for name in names %}\n{{ nam }}\n{% endfor %}",
    }
    monkeypatch.chdir(tmp_path)
    site = Site(tmp_path, lambda routes: routes.root(NamesController.index), files, env="development")
    page = site.client().get("/").text
    place, excerpt = page.index("<code>views/names/row.html.j2</code>, line 2"), page.index("<mark>&gt; 2 | {{ nam }}</mark>")
    own, libraries = page.index("views/names/names.html.j2:2"), page.index("frames of libraries")
    assert place < excerpt < own < libraries
    assert "<details><summary>" in page
    assert "<details open>" not in page
    assert page.count("<h1>") == 1
    (entry,) = caplog.records
    first, *rest = entry.getMessage().splitlines()
    assert first.endswith("GET / failed: names/row.html.j2, line 2: 'nam' is undefined; did you mean 'name'?")
    assert rest[0] == "  views/names/names.html.j2:2 in top-level template code"
    assert (entry.exc_info, len(rest) < 5) == (None, True)


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


@pytest.mark.parametrize(("env", "shown"), [("production", False), ("development", True)])
def test_a_database_that_is_locked_is_an_outage_and_no_error_of_ours(
    tmp_path: Path, env: str, shown: bool, caplog: pytest.LogCaptureFixture
) -> None:
    """RFC 9110, 15.6.4 and 10.2.3."""
    locked = type("HeldController", (LockedController,), {"folder": tmp_path})
    client = Site(tmp_path, lambda routes: routes.root(locked.index), env=env).client()
    page = client.get("/")
    assert (page.status_code, page.headers["retry-after"]) == (503, "5")
    assert ("OperationalError" in page.text) is shown
    assert page.headers["x-request-id"] in page.text + str(page.headers)
    assert "database is locked" in caplog.text
    problem = client.get("/", headers={"accept": "application/json"}).json()
    assert (problem["status"], problem["title"]) == (503, "Service Unavailable")


@contextlib.asynccontextmanager
async def silent() -> AsyncIterator[str]:
    """The address of a PostgreSQL that never says a word."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"127.0.0.1:{server.getsockname()[1]}"


@contextlib.asynccontextmanager
async def refusing() -> AsyncIterator[str]:
    """The address of one that is not there."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    yield f"127.0.0.1:{port}"


@pytest.mark.parametrize("place", [silent, refusing])
async def test_a_database_that_is_away_is_known_by_the_drivers_own_errors(place: Callable[[], Any]) -> None:
    """They reach a page as ConnectionError and TimeoutError, unwrapped."""
    async with place() as address:
        with pytest.raises(OSError) as caught:
            await run(create_async_engine(f"postgresql+asyncpg://u:p@{address}/x", connect_args={"timeout": 0.2}), "SELECT 1")
    assert is_database_away(caught.value)


async def test_a_pool_that_is_used_up_is_an_outage(tmp_path: Path) -> None:
    """SQLAlchemy's TimeoutError."""
    engine = create_async_engine(f"sqlite+aiosqlite:///{tmp_path}/x.db", pool_size=1, max_overflow=0, pool_timeout=0.1)
    async with engine.connect():
        with pytest.raises(Exception, match="QueuePool limit") as caught:
            await engine.connect()
    await engine.dispose()
    assert is_database_away(caught.value)


async def test_faults_of_ours_stay_errors(tmp_path: Path) -> None:
    """A missing table is an OperationalError too, and an application has timeouts of its own."""
    with pytest.raises(Exception, match="no such table") as missing:
        await run(create_async_engine(f"sqlite+aiosqlite:///{tmp_path}/x.db"), "SELECT * FROM notes")
    assert not is_database_away(missing.value)
    with pytest.raises(TimeoutError) as own:
        async with asyncio.timeout(0):
            await asyncio.sleep(1)
    assert not is_database_away(own.value)
    assert not is_database_away(ConnectionResetError())


@pytest.mark.parametrize(("state", "away"), [("57P01", True), ("53300", True), ("08006", True), ("28P01", False), ("42P01", False)])
def test_postgresql_says_what_is_wrong_by_its_sqlstate(state: str, away: bool) -> None:
    """https://www.postgresql.org/docs/current/errcodes-appendix.html"""
    assert is_database_away(asyncpg.PostgresError.new({"C": state, "M": "x"})) is away
