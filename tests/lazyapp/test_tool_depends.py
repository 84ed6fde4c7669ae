"""lazyapp/tool_depends.py: `Depends`, services by type and the request in tools, opened and closed around each call."""

import asyncio
import io
import json
from collections.abc import AsyncIterator
from typing import Annotated, Any

import pytest
from fastapi import BackgroundTasks, Depends, Form, Header, Query, Response
from fastapi.security import HTTPBearer
from sqlalchemy import text as text_of
from starlette.requests import HTTPConnection

import lazyapp
import lazymcp
from lazyapp.database import AsyncSession
from lazymcp import RegistrationError, ToolError, tool
from tests.lazyapp.library_site import Fresh, Shelf, base, called, events, make, opened, text
from tests.lazymcp.asgi_peer import ERAS, Peer


@pytest.fixture(autouse=True)
def _nothing_happened():
    events.clear()


async def test_a_tool_gets_its_dependencies_and_they_close_in_reverse(tmp_path):
    """https://fastapi.tiangolo.com/tutorial/dependencies/dependencies-with-yield/; asked once a call, however many depend on it."""
    async with opened(make(tmp_path)) as peer:
        assert text(await called(peer, "read", title="Emma")) == "Emma: above base and Shelf, base"
        assert events == ["base opened", "above opened", "called", "above closed", "base closed"]
        assert text(await called(peer, "read_slowly", title="Emma")) == "Emma: above base and Shelf"


async def test_none_of_it_is_in_a_schema(tmp_path):
    """Design, section 2."""
    async with opened(make(tmp_path)) as peer:
        tools = {entry["name"]: entry for entry in (await peer.ask("tools/list")).result["tools"]}
        taken = {name: set(entry["inputSchema"].get("properties", ())) for name, entry in tools.items()}
        assert {name: names for name, names in taken.items() if names} == {"read": {"title"}, "read_slowly": {"title"}}
        assert "unknown argument 'found'" in text(await called(peer, "read", title="Emma", found="mine"))


async def test_dependencies_hear_the_error_of_the_call(tmp_path):
    async with opened(make(tmp_path)) as peer:
        assert text(await called(peer, "lose")) == "it is gone"
    assert events[:3] == ["base opened", "above opened", "unit opened"]
    assert events[3:] == ["unit heard ToolError", "above heard it is gone", "above closed", "base closed"]


async def test_a_dependency_is_cached_within_a_call_unless_it_says_otherwise(tmp_path):
    Fresh.made = 0
    async with opened(make(tmp_path)) as peer:
        for _ in range(2):
            assert (await called(peer, "fresh"))["structuredContent"] == {"result": [True, False]}
    assert Fresh.made == 4


async def test_services_come_by_type_and_those_of_a_request_live_for_the_call(tmp_path):
    async with opened(make(tmp_path)) as peer:
        assert (await called(peer, "served"))["structuredContent"] == {"result": ["Shelf", "Unit", "test", True]}
        assert events == ["unit opened", "unit closed"]
        await called(peer, "served")
        assert len(events) == 4


async def test_a_dependency_may_read_the_request_but_no_credentials(tmp_path):
    """MCP 2026-07-28, basic/authorization, "Access token privilege restriction": a token for us is passed on to nobody."""
    async with opened(make(tmp_path)) as peer:
        secret = {"authorization": "Bearer not-for-tools", "cookie": "session=1", "x-tenant": "acme"}
        assert text(await called(peer, "where", secret)) == "/mcp 10"
        assert "x-tenant" in events[-1]
        assert not {"authorization", "cookie"} & set(events[-1].split(","))
        assert text(await called(peer, "own_request")) == "POST"
        assert text(await called(peer, "whose", secret)) == "acme"
        assert text(await called(peer, "whose")) == "the HTTP request of the call does not fit: header x-tenant: field required"
        assert (await called(peer, "allowed"))["structuredContent"] == {"result": ["books"]}


async def test_over_stdio_a_sentence_says_that_there_is_no_request(tmp_path):
    async with make(tmp_path).stdio() as scope:
        requests = [Peer(None).message("tools/call", {"name": name, "arguments": {"title": "Emma"}}) for name in ("where", "read")]
        requests[0]["params"]["arguments"] = {}
        written = io.BytesIO()
        sent = b"".join(json.dumps({**request, "id": name}).encode() + b"\n" for name, request in zip("ab", requests, strict=True))
        await scope.serve_stdio(reader=io.BytesIO(sent), writer=written)
    answers = {answer["id"]: answer["result"] for answer in map(json.loads, written.getvalue().splitlines())}
    assert text(answers["a"]) == "address needs the HTTP request of the call, and there is none over stdio"
    assert text(answers["b"]) == "Emma: above base and Shelf, base"


async def test_what_a_dependency_refuses_is_a_sentence_for_the_model(tmp_path, caplog):
    """docs/decisions.md: 4xx says what the caller did; 401 and 403 of a dependency name no scope that a new token could bring."""
    async with opened(make(tmp_path)) as peer:
        told = await called(peer, "unauthorized")
        assert (told["isError"], text(told)) == (True, "not today")
        assert text(await called(peer, "taken")) == '{"taken": "yes"}'
        assert text(await called(peer, "turned")) == "that is no number"
        assert not caplog.records
        assert "the details are in the server's log under" in text(await called(peer, "broken"))
        assert "not today" in caplog.text


async def test_what_the_tool_itself_raises_is_judged_as_in_any_tool(tmp_path, caplog):
    async with opened(make(tmp_path)) as peer:
        assert "the details are in the server's log under" in text(await called(peer, "own_error"))
        assert text(await called(peer, "swallowed")) == "all the same"
    assert "swallowed" in events


async def test_overrides_of_the_application_count(tmp_path):
    """https://fastapi.tiangolo.com/advanced/testing-dependencies/"""
    app = make(tmp_path)

    async def instead(shelf: Shelf) -> AsyncIterator[str]:
        yield f"instead of it, {type(shelf).__name__}"
        events.append("instead closed")

    async with opened(app) as peer:
        app.dependency_overrides = {base: instead}
        assert "above instead of it, Shelf" in text(await called(peer, "read", title="Emma"))
        assert events.count("instead closed") == 1
        app.dependency_overrides.clear()
        assert text(await called(peer, "read", title="Emma")) == "Emma: above base and Shelf, base"


@pytest.mark.parametrize("era", ERAS)
async def test_resources_and_prompts_have_dependencies_in_every_revision(tmp_path, era):
    async with opened(make(tmp_path)) as peer:
        peer.era = era
        if era != ERAS[0]:
            await peer.initialize()
        read = await peer.ask("resources/read", {"uri": "app://books/Emma"})
        assert read.result["contents"][0]["text"] == "Emma base Unit"
        assert events == ["unit opened", "base opened", "base closed", "unit closed"]
        prompt = await peer.ask("prompts/get", {"name": "ask"})
        assert prompt.result["messages"][0]["content"]["text"] == "above base and Shelf"


async def test_a_task_has_its_dependencies_while_it_works(tmp_path):
    """SEP-2663: the answer to the call leaves first."""
    async with opened(make(tmp_path)) as peer:
        extension = {"io.modelcontextprotocol/clientCapabilities": {"extensions": {"io.modelcontextprotocol/tasks": {}}}}
        created = (await peer.ask("tools/call", {"name": "slowly", "arguments": {}}, **extension)).result
        assert created["resultType"] == "task"
        found = created
        while found["status"] == "working":
            await asyncio.sleep(0.01)
            named = {"mcp-name": created["taskId"]}
            found = (await peer.ask("tasks/get", {"taskId": created["taskId"]}, headers=named, **extension)).result
        assert text(found["result"]) == "/mcp"
    assert [event for event in events if "," not in event] == ["unit opened", "worked", "unit closed"]


class Ledger(lazymcp.Base):
    name = ""

    @tool
    async def keep(self, word: str, db: AsyncSession) -> None:
        """Keep a word."""
        await db.execute(text_of("CREATE TABLE IF NOT EXISTS words (word TEXT)"))
        await db.execute(text_of("INSERT INTO words VALUES (:word)"), {"word": word})
        if word == "bad":
            raise ToolError("not this one")

    @tool
    async def kept(self, db: AsyncSession) -> list[str]:
        """Tell the words."""
        return list(await db.scalars(text_of("SELECT word FROM words")))


async def test_a_call_is_one_transaction(tmp_path):
    """docs/database.md: committed when the tool is done, rolled back when it raised."""
    async with opened(make(tmp_path, Ledger())) as peer:
        await called(peer, "keep", word="good")
        assert text(await called(peer, "keep", word="bad")) == "not this one"
        assert (await called(peer, "kept"))["structuredContent"] == {"result": ["good"]}


def asking(parameter: Any) -> lazymcp.Base:
    def dependency(asked: Any) -> None: ...

    dependency.__annotations__["asked"] = parameter

    class Asking(lazymcp.Base):
        @tool
        async def ask(self, found: Annotated[None, Depends(dependency)]) -> None:
            """Ask."""

    return Asking()


@pytest.mark.parametrize(
    ("parameter", "what"),
    [
        (Annotated[str, Form()], "a form or a body"),
        (Annotated[str, Query()], "a query without a default"),
        (Response, "a Response"),
        (BackgroundTasks, "BackgroundTasks"),
        ("NoSuchName", "cannot be read"),
        (asyncio.Lock, "cannot be read"),
    ],
)
async def test_what_no_call_can_give_is_refused_at_the_start(tmp_path, parameter, what):
    with pytest.raises(lazyapp.StartupError, match=f"test_tool_depends.py:.*{what}"):
        async with opened(make(tmp_path, asking(parameter))):
            pass


async def test_a_connection_and_a_bearer_scheme_are_asked_of_the_request(tmp_path):
    class Scheme(lazymcp.Base):
        name = ""

        @tool
        async def token(self, found: Annotated[Any, Depends(HTTPBearer(auto_error=False))], by: HTTPConnection) -> str:
            """Tell the token, which no tool sees."""
            return f"{found} {by.url.path}"

    async with opened(make(tmp_path, Scheme())) as peer:
        assert text(await called(peer, "token", {"authorization": "Bearer x"})) == "None /mcp"


def test_fastapis_other_markers_stay_refused():
    """Only what is filled may stand in a signature: the rest would be an argument."""

    class Marked(lazymcp.Base):
        @tool
        async def ask(self, found: Annotated[str, Header()]) -> str:
            """Ask."""
            return found

    with pytest.raises(RegistrationError, match="FastAPI's Header"):
        lazymcp.Scope().register(Marked())
