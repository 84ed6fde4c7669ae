"""lazyapp/developing/about_happened.py: what a run did lately."""

from pathlib import Path

import pytest

from lazyapp.debug_report import debug_report
from lazyapp.developing.memory import Failure, Line, Memory, Request
from tests.lazyapp.developing.library import Agent, asked_about, library


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    memory = Memory()
    try:
        raise RuntimeError("the shelf fell down\nand more")
    except RuntimeError as error:
        report = debug_report(error, {"method": "GET", "path": "/broken"}, "req-1", Path(__file__).parents[3])
    memory.errors.append(Failure("req-1", 1_800_000_000.0, "page", "GET /broken", report, "req-1"))
    memory.errors.append(Failure("abcd1234", 1_800_000_001.0, "tool", "tool shelf.fall", report, "req-2", '{"hard": true}'))
    for number, (path, status) in enumerate([("/", 200), ("/broken", 500), ("/mcp", 200)]):
        call = ("tools/call", "shelf.fall") if path == "/mcp" else ("", "")
        memory.requests.append(Request(1_800_000_000.0 + number, "page", "GET", path, status, 1.25, f"req-{number}", *call))
    memory.lines.append(Line(1_800_000_000.0, "debug", "lazyapp", "looking"))
    memory.lines.append(Line(1_800_000_000.5, "warning", "app", "the shelf leans", "req-2"))
    return memory


async def test_errors_are_listed_newest_first_and_read_by_id(tmp_path: Path, memory: Memory) -> None:
    """https://github.com/laravel/framework/pull/56657: an error as Markdown, for whoever helps."""
    agent = Agent(library(tmp_path), memory)
    found = await agent.call("list_errors")
    assert [(each["id"], each["what"]) for each in found] == [("abcd1234", "tool shelf.fall"), ("req-1", "GET /broken")]
    assert found[0]["error"] == "RuntimeError: the shelf fell down"
    assert found[0]["place"].startswith("tests/lazyapp/developing/test_about_happened.py:")
    text = await agent.call("read_error", id="abcd1234")
    assert "tool shelf.fall" in text
    assert '{"hard": true}' in text
    assert "warning app: the shelf leans" in text
    assert (await agent.call("read_error", id="req-1")).startswith("# RuntimeError at GET /broken")
    assert await agent.refused("read_error", id="x") == "No error 'x' is remembered; there are abcd1234, req-1."


async def test_requests_are_found_by_word_and_status(tmp_path: Path, memory: Memory) -> None:
    """docs/about.md, "What happened"."""
    agent = Agent(library(tmp_path), memory)
    assert [each["path"] for each in await agent.call("list_requests")] == ["/mcp", "/broken", "/"]
    assert [each["status"] for each in await agent.call("list_requests", errors_only=True)] == [500]
    assert [each["call"] for each in await agent.call("list_requests", grep="SHELF")] == ["tools/call shelf.fall"]
    assert len(await agent.call("list_requests", limit=1)) == 1


async def test_log_lines_are_found_by_level_word_and_request(tmp_path: Path, memory: Memory) -> None:
    """docs/about.md, "What happened"."""
    agent = Agent(library(tmp_path), memory)
    assert [each["text"] for each in await agent.call("read_log")] == ["the shelf leans"]
    assert len(await agent.call("read_log", level="debug")) == 2
    assert len(await agent.call("read_log", request_id="req-2", grep="LEANS")) == 1
    assert await agent.call("read_log", request_id="req-9") == []


async def test_a_process_that_serves_nobody_says_where_these_are(tmp_path: Path) -> None:
    """docs/about.md, "Over stdio"."""
    async with asked_about(tmp_path) as agent:
        for tool in ("list_errors", "list_requests", "read_log"):
            assert "http://localhost:3000/_lazy/mcp" in await agent.refused(tool)
