"""lazyapp/logs.py: lines of text and of JSON, each with the request it belongs to."""

import asyncio
import io
import json
import logging
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient

import lazyapp
import lazymcp
from lazyapp.logs import JSONLine, TextLine, WithRequest, access_of
from lazyapp.request_ids import RequestIds, answering
from lazyapp.settings import Settings

SCOPE = {"type": "http", "lazyapp.request_id": "mine-1234"}


@pytest.fixture
def said() -> Iterator[Any]:
    """What the root logger writes, in either form."""
    streams: dict[str, io.StringIO] = {}
    root = logging.getLogger()
    handlers = []
    for name, formatter in {"json": JSONLine(), "text": TextLine("%(levelname)s %(name)s: %(message)s")}.items():
        streams[name] = io.StringIO()
        handler = logging.StreamHandler(streams[name])
        handler.setFormatter(formatter)
        handler.addFilter(WithRequest())
        root.addHandler(handler)
        handlers.append(handler)
    yield lambda name: streams[name].getvalue().splitlines()
    for handler in handlers:
        root.removeHandler(handler)


def test_a_line_says_which_request_it_belongs_to(said):
    """docs/logs.md: the id of the request is in every line that is logged meanwhile."""
    log = logging.getLogger("shop")
    log.warning("before")
    token = answering.set((SCOPE, RequestIds()))
    log.warning("a “quoted”\nword of %s", "Ada")
    answering.reset(token)
    first, second = map(json.loads, said("json"))
    assert "request_id" not in first
    assert second["time"].endswith("+00:00")
    del second["time"]
    message = "a “quoted”\nword of Ada"
    assert second == {"level": "warning", "logger": "shop", "message": message, "request_id": "mine-1234"}
    assert said("text")[0] == "WARNING shop: before"
    assert said("text")[-1] == "word of Ada  [mine-1234]"


def test_what_was_raised_is_in_the_same_object(said):
    try:
        raise ValueError("no number")
    except ValueError:
        logging.getLogger("shop").exception("failed", stack_info=True)
    (line,) = map(json.loads, said("json"))
    assert line["error"].endswith("ValueError: no number")
    assert line["error"].startswith("Traceback")
    assert line["stack"].startswith("Stack")
    assert "ValueError: no number" in said("text")


def test_no_terminal_obeys_what_a_stranger_sent(said):
    """CWE-150: an escape sequence in a log hides lines, or writes others."""
    try:
        raise ValueError("\x9b2J")
    except ValueError:
        logging.getLogger("shop").exception("looked for %s", "\x1b[1A\rnothing\tat all")
    assert said("text")[0] == "ERROR shop: looked for \\x1b[1A\\x0dnothing\tat all"
    assert said("text")[-1] == "ValueError: \\x9b2J"


def test_a_line_about_a_request_is_data(said):
    record = logging.LogRecord(
        "uvicorn.access", 20, "", 1, '%s - "%s %s HTTP/%s" %d', ("192.0.2.1:5", "GET", "/a", "1.1", 200), None
    )
    line = json.loads(JSONLine().format(record))
    assert (line["message"], line["client"], line["path"], line["status"]) == ("GET /a 200", "192.0.2.1:5", "/a", 200)
    assert access_of(logging.LogRecord("shop", 20, "", 1, "x", (1, 2, 3, 4, 5), None)) == {}
    assert access_of(logging.LogRecord("uvicorn.access", 20, "", 1, "x", (), None)) == {}


class Broken(lazymcp.Base):
    name = ""

    @lazymcp.tool
    async def fail(self) -> None:
        """Fail."""
        raise ValueError("nobody's business")


def test_the_id_that_a_model_is_shown_is_in_the_log_beside_the_requests(tmp_path, said):
    """docs/logs.md: `failure_id` is what the model was told instead of the error."""
    config = lazyapp.Config(name="shop", mcp=lambda ctx, scope: scope.register(Broken()))
    app = lazyapp.App(config, settings=Settings(env="test", root=tmp_path, given_public_url="http://testserver"))
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "fail", "arguments": {}, "_meta": meta}}
    headers = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "fail"}
    with TestClient(app) as client:
        told = client.post("/mcp", json=call, headers=headers)
    (line,) = (line for line in map(json.loads, said("json")) if line["logger"] == "lazymcp")
    assert told.json()["result"]["content"][0]["text"].endswith(line["failure_id"])
    assert line["request_id"] == told.headers["x-request-id"]
    assert "nobody's business" in line["error"]
    assert line["failure_id"] in line["message"]


def test_a_request_that_logs_nothing_asks_for_no_id(tmp_path):
    """Until its answer begins: design, section 9 counts what is called before a tool's first line."""
    config = lazyapp.Config(name="shop", mcp=lambda ctx, scope: scope.register(Counted()))
    app = lazyapp.App(config, settings=Settings(env="test", root=tmp_path, given_public_url="http://testserver"))
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "count", "arguments": {}, "_meta": meta}}
    raw = {"host": "testserver", "content-type": "application/json", "accept": "application/json"}
    raw |= {"mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "count"}
    headers = [(name.encode(), value.encode()) for name, value in raw.items()]
    seen: list[Any] = []

    async def receive() -> Any:
        return {"type": "http.request", "body": json.dumps(call).encode()}

    async def send(message: Any) -> None:
        pass

    async def main() -> None:
        async with app.router.lifespan_context(app):
            for _ in range(2):
                seen.clear()
                scope = {"type": "http", "method": "POST", "path": "/mcp", "query_string": b"", "headers": headers, "client": None}
                work = type(app).__call__(app, scope, receive, send)
                sys.setprofile(lambda frame, event, _: seen.append(frame.f_code) if event == "call" else None)
                try:
                    work.send(None)
                except StopIteration:
                    pass
                finally:
                    sys.setprofile(None)

    asyncio.run(main())
    before = seen[: seen.index(Counted.count.__code__)]
    assert len(before) <= 60
    assert not [code for code in before if code.co_filename.endswith("request_ids.py")]
    assert len([code for code in seen if code.co_filename.endswith("request_ids.py")]) == 3


class Counted(lazymcp.Base):
    name = ""

    @lazymcp.tool
    async def count(self) -> int:
        """Count."""
        return 1
