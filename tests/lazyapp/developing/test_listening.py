"""lazyapp/developing/listening.py: what is logged is remembered, errors with all that is known."""

import logging
from pathlib import Path

import pytest

import lazyapp
from lazyapp.developing.listening import Listening, listening
from lazyapp.developing.memory import TEXT, Memory
from lazyapp.secret_words import MASK
from tests.lazyapp.developing.panel_site import HOSTILE, HTML, opened

log = logging.getLogger("shop.till")


@pytest.fixture
def memory(tmp_path: Path):
    memory = Memory()
    with listening(memory, tmp_path):
        yield memory


def test_a_line_is_remembered_as_it_was_written(memory):
    log.warning("the till is %s: postgresql://ada:hunter2@db/x", "open")
    (line,) = memory.lines
    assert (line.level, line.logger, line.text) == ("warning", "shop.till", f"the till is open: postgresql://ada:{MASK}@db/x")


@pytest.mark.parametrize(("level", "name"), [(50, "error"), (40, "error"), (35, "warning"), (5, "debug"), (21, "info")])
def test_levels_are_four(memory, caplog, level, name):
    caplog.set_level(1)
    log.log(level, "x")
    assert [line.level for line in memory.lines] == [name]


def test_a_line_leads_to_the_error_that_it_tells_of(memory):
    log.error("stuck", exc_info=ValueError("x"))
    assert memory.lines[-1].failure_id == memory.errors[-1].id


def test_the_servers_lines_of_requests_are_left_out(memory):
    """They tell queries, with whatever stands in them; the list of requests tells the rest."""
    logging.getLogger("uvicorn.access").warning('%s - "%s %s HTTP/%s" %d', "127.0.0.1:1", "GET", "/?code=hunter2", "1.1", 200)
    assert not memory.lines


def test_when_the_run_is_over_nothing_is_remembered(tmp_path):
    memory = Memory()
    with listening(memory, tmp_path):
        pass
    log.warning("later")
    assert not memory.lines


def test_a_record_that_cannot_be_written_harms_nobody(memory):
    class Odd(Exception):
        def __str__(self):
            raise RuntimeError("no text")

    Listening(memory, Path("/")).emit(logging.LogRecord("shop", 30, "till.py", 1, "%d", ("no number",), None))
    log.error("odd", exc_info=Odd())
    assert [line.text for line in memory.lines] == ["odd"]
    assert "cannot be shown" in memory.errors[-1].report.errors[0].message


def test_an_error_without_a_request_has_an_id_of_its_own(memory):
    try:
        raise ValueError("x")
    except ValueError:
        log.exception("the till is stuck")
    (failure,) = memory.errors
    assert (failure.kind, failure.what, failure.request_id) == ("work", "the till is stuck", "")
    assert memory.failure(failure.id) is failure


def test_an_error_is_kept_in_bounds(memory):
    def there(left: int) -> None:
        back(left)

    def back(left: int) -> None:
        if left:
            return there(left - 1)
        raise ValueError("x" * 2 * TEXT)

    try:
        there(100)
    except ValueError:
        log.exception("%s", "y" * 2 * TEXT)
    (failure,) = memory.errors
    (told,) = failure.report.errors
    assert (len(failure.what), len(told.message), len(told.frames)) == (TEXT, TEXT, 60)
    assert len(memory.lines[-1].text) == TEXT


def test_a_warning_with_an_error_in_it_is_no_error(memory):
    log.warning("it went on", exc_info=ValueError("x"))
    assert not memory.errors
    assert memory.lines


async def test_each_kind_of_failure_is_known_by_what_failed(tmp_path):
    async with opened(tmp_path) as site:
        await site.http.get("/books", headers=HTML)
        await site.http.post("/books", headers=HTML)
        await site.call("tools/call", {"name": "notes.count", "arguments": {"tag": HOSTILE, "password": "hunter2"}})
        await site.call("resources/read", {"uri": "notes://all"})
        await site.call("prompts/get", {"name": "notes.sum_up", "arguments": {"week": "7"}})
        found = (await site.http.get("/_lazy/errors", headers=HTML)).text
    for what in ("GET /books", "sink failed after its answer", "tool notes.count", "resource notes://all", "prompt notes.sum_up"):
        assert f"<code>{what}</code>" in found
    assert "hunter2" not in found


async def test_what_the_start_has_to_say_is_remembered_too(tmp_path):
    def named(ctx, scope):
        log.warning("a tool has a long name")

    async with opened(tmp_path, mcp=named) as site:
        assert "a tool has a long name" in await site.page("/_lazy/log")


async def test_a_broken_view_is_a_page_that_failed_and_is_remembered_once(tmp_path):
    """The log has the place in the template and no traceback; the panel has both."""
    views = tmp_path / "views"
    (views / "books").mkdir(parents=True)
    (views / "books" / "index.html.j2").write_text("one\n{{ missing.name }}")
    async with opened(tmp_path, views=views, drawer=lambda routes: routes.resources("books", Books)) as site:
        answer = await site.http.get("/books", headers=HTML)
        address = f"/_lazy/errors/{answer.headers['x-request-id']}"
        assert f'<a href="{address}">' in answer.text
        page, listed = await site.page(address), await site.page("/_lazy/errors")
    assert "A page failed" in page
    assert "books/index.html.j2</code>, line 2" in page
    assert listed.count("<tr>") == 2  # the heading, and one


class Books(lazyapp.Controller):
    layout = None

    async def index(self) -> dict[str, object]:
        return {}
