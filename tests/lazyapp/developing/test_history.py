"""lazyapp/developing/history.py: what happened last, and what of it one asks for."""

import pytest

from lazyapp.developing.history import SHOWN, log, one_request, requests
from lazyapp.developing.memory import Line, Memory, Request
from tests.lazyapp.developing.panel_site import HOSTILE, HTML, opened


@pytest.fixture
def memory():
    memory = Memory()
    rows = [
        ("page", "/", 200, ""),
        ("page", "/books", 404, ""),
        ("mcp", "/mcp", 200, "notes.count"),
        ("oauth", "/oauth/token", 500, ""),
    ]
    for number, (kind, path, status, name) in enumerate(rows):
        memory.requests.append(
            Request(float(number), kind, "GET", path, status, 1.0, f"r{number}", "tools/call" if name else "", name)
        )
    for number, level in enumerate(("debug", "info", "warning", "error")):
        memory.lines.append(Line(float(number), level, "shop", f"line {number}", f"r{number}"))
    return memory


@pytest.mark.parametrize(
    ("query", "ids"),
    [
        ({}, ["r3", "r2", "r1", "r0"]),
        ({"kind": "mcp"}, ["r2"]),
        ({"status": "4"}, ["r1"]),
        ({"word": "COUNT"}, ["r2"]),
        ({"word": " r3 "}, ["r3"]),
        ({"kind": "page", "status": "2", "word": "/"}, ["r0"]),
        ({"kind": "nobody"}, []),
        ({"status": "<"}, []),
    ],
)
def test_requests_are_told_newest_first_and_as_they_are_asked_for(memory, query, ids):
    assert [each.request_id for each in requests(memory, query)["requests"]] == ids


@pytest.mark.parametrize(
    ("query", "texts"),
    [
        ({}, ["line 3", "line 2", "line 1", "line 0"]),
        ({"level": "warning"}, ["line 3", "line 2"]),
        ({"level": "loud"}, ["line 3", "line 2", "line 1", "line 0"]),
        ({"word": "r1"}, ["line 1"]),
    ],
)
def test_lines_are_too(memory, query, texts):
    assert [line.text for line in log(memory, query)["lines"]] == texts


def test_a_request_comes_with_its_lines_and_one_that_is_gone_does_not(memory):
    found = one_request(memory, "r2")
    assert found is not None
    assert [line.text for line in found["lines"]] == ["line 2"]
    assert one_request(memory, "r9") is None


def test_of_very_many_the_page_shows_the_newest():
    memory = Memory()
    memory.requests.extend(Request(0.0, "page", "GET", "/", 200, 1.0, str(number)) for number in range(290))
    found = requests(memory, {})
    assert (len(found["requests"]), found["count"]) == (SHOWN, 290)


async def test_one_request_is_read_with_what_was_logged_and_failed_meanwhile(tmp_path):
    async with opened(tmp_path) as site:
        answer = await site.http.get("/books?reset_token=hunter2&page=2", headers=HTML)
        page = await site.page(f"/_lazy/requests/{answer.headers['x-request-id']}")
        listed = await site.page("/_lazy/requests")
    assert "hunter2" not in page + listed
    assert "<code>2</code>" in page
    assert "RuntimeError" in page
    assert f"/_lazy/errors/{answer.headers['x-request-id']}" in page


async def test_what_strangers_send_is_shown_as_text(tmp_path):
    async with opened(tmp_path) as site:
        await site.http.get("/<script>alert(1)</script>%1b%e2%80%ae", headers={**HTML, "user-agent": HOSTILE.encode()})
        await site.http.get("/books", headers=HTML)
        await site.call("tools/call", {"name": HOSTILE.encode("ascii", "ignore").decode(), "arguments": {}})
        for path in ("/_lazy/requests", "/_lazy/log", "/_lazy/errors", "/_lazy"):
            asking = await site.http.get(path, params={"word": HOSTILE, "kind": HOSTILE, "level": HOSTILE}, headers=HTML)
            page = asking.text + await site.page(path)
            assert "<script>alert" not in page, path
            assert not {"\x1b", "\u202e"} & set(page), path
