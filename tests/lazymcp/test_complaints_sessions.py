"""What users of other MCP servers complained about, where it needs no socket. tests/requirements/complaints.py has all of them."""

import asyncio
import gc
import json
import logging

import jsonschema
import pytest
from pydantic import BaseModel

import lazyauth
from lazyauth import Claims, User, signed_in
from lazymcp import Base, Context, ToolError, tool
from tests.lazymcp.admin_module import AdminMCP
from tests.lazymcp.asgi_peer import ERAS, MODERN, OLDER, served


class Leaf(BaseModel):
    name: str
    twin: "Leaf | None" = None


class Answers(Base):
    """Tools with every kind of answer that was reported to break a client."""

    name = ""

    @tool
    async def maybe(self, there: bool) -> int | None:
        """Perhaps a number."""
        return 5 if there else None

    @tool
    async def tree(self) -> Leaf:
        """A type that contains itself, and optional fields that are None."""
        return Leaf(name="a", twin=Leaf(name="b"))

    @tool
    async def many(self) -> list[Leaf]:
        """What is no object."""
        return [Leaf(name="a")]

    @tool
    async def fails(self) -> Leaf:
        """A promise of structure, and an error instead."""
        raise ToolError("no leaf today")


class Meeting(Base):
    """Calls that are at work at the same time."""

    name = ""

    def __init__(self, expected: int) -> None:
        self.expected, self.here, self.all_here = expected, 0, asyncio.Event()

    @tool
    async def meet(self, ctx: Context) -> list[str]:
        """Wait until all are here, then say who one is."""
        self.here += 1
        if self.here == self.expected:
            self.all_here.set()
        await self.all_here.wait()
        return [ctx.headers["x-caller"], lazyauth.require_user().id, str(ctx.client["name"])]


class Patient(Base):
    name = ""

    def __init__(self) -> None:
        self.started = 0

    @tool
    async def wait(self) -> None:
        """Wait for ever."""
        self.started += 1
        await asyncio.Event().wait()

    @tool
    async def ask(self, ctx: Context) -> list[str]:
        """Ask for the client's roots."""
        return [str(root) for root in await ctx.roots()]


@pytest.mark.requirement("COMPLAINT-4")
@pytest.mark.parametrize("era", ERAS)
async def test_a_client_that_loses_its_session_header_is_served(era):
    """https://github.com/datagouv/datagouv-mcp/issues/25, https://github.com/anthropics/claude-code/issues/70386."""
    peer = served(AdminMCP(), era=era)
    if era != MODERN:
        await peer.initialize()
        del peer.headers["mcp-session-id"]
    for method in ("tools/list", "resources/list", "prompts/list"):
        assert (await peer.ask(method)).status == 200
    assert (await peer.ask("tools/call", {"name": "admin.user_count"})).result["structuredContent"] == {"count": 3}


@pytest.mark.requirement("COMPLAINT-32")
@pytest.mark.parametrize("era", ERAS)
async def test_nothing_is_said_about_sessions_where_there_are_none(era, caplog):
    """https://github.com/nextcloud/context_agent/issues/227."""
    caplog.set_level(logging.DEBUG)
    peer = served(AdminMCP(), era=era)
    for method, params in [("tools/list", {}), ("tools/call", {"name": "admin.user_count"}), ("tools/call", {"name": "nobody"})]:
        answer = await peer.ask(method, params)
        assert "mcp-session-id" not in answer.headers
        assert b"session" not in answer.body.lower()
    assert [record for record in caplog.records if "session" in record.getMessage().lower()] == []


@pytest.mark.requirement("COMPLAINT-27")
@pytest.mark.parametrize("era", ERAS)
async def test_an_unknown_method_has_its_own_code_in_every_revision(era):
    """https://github.com/modelcontextprotocol/python-sdk/issues/3193."""
    answer = await served(AdminMCP(), era=era).ask("tools/dance", {"name": 5, "arguments": []})
    assert answer.error["code"] == -32601
    assert answer.status == (404 if era == MODERN else 200)


@pytest.mark.requirement("COMPLAINT-28")
@pytest.mark.parametrize("era", ERAS)
async def test_calls_at_the_same_time_see_each_their_own_request(era):
    """https://github.com/PrefectHQ/fastmcp/issues/1233, https://github.com/modelcontextprotocol/python-sdk/issues/638."""
    module = Meeting(20)
    app = served(module).app

    async def call(number):
        peer = served(Meeting(1), era=era, client={"name": f"client-{number}", "version": "1"})
        peer.app = app
        user = f"user-{number}"
        with signed_in(User(user), Claims({"sub": user, "mcps": ["*"]})):
            if era != MODERN:
                await peer.initialize()
            answer = await peer.ask("tools/call", {"name": "meet"}, headers={"x-caller": f"caller-{number}"})
        return answer.result["structuredContent"]["result"]

    seen = await asyncio.wait_for(asyncio.gather(*(call(number) for number in range(20))), 20)
    assert seen == [[f"caller-{number}", f"user-{number}", f"client-{number}"] for number in range(20)]


@pytest.mark.requirement("COMPLAINT-31")
@pytest.mark.parametrize("era", ERAS)
async def test_what_the_official_client_validates_is_valid(era):
    """https://github.com/modelcontextprotocol/python-sdk/issues/2626, https://github.com/IBM/mcp-context-forge/issues/4042."""
    peer = served(Answers(), era=era)
    listed = {entry["name"]: entry for entry in (await peer.ask("tools/list")).result["tools"]}
    assert "$defs" in json.dumps(listed["tree"]["outputSchema"]), "a type that contains itself needs its definitions"
    for name, arguments in [("maybe", {"there": True}), ("maybe", {"there": False}), ("tree", {}), ("many", {})]:
        result = (await peer.ask("tools/call", {"name": name, "arguments": arguments})).result
        assert not result.get("isError")
        jsonschema.validate(result["structuredContent"], listed[name]["outputSchema"])
    failed = (await peer.ask("tools/call", {"name": "fails"})).result
    assert (failed["isError"], failed["content"][0]["text"]) == (True, "no leaf today")
    assert "structuredContent" not in failed


@pytest.mark.requirement("COMPLAINT-17")
@pytest.mark.parametrize("era", ERAS)
async def test_asking_a_client_that_cannot_answer_fails_at_once(era):
    """https://github.com/modelcontextprotocol/python-sdk/issues/1740, https://github.com/PrefectHQ/fastmcp/issues/1585."""
    peer = served(Patient(), era=era)
    if era != MODERN:
        await peer.initialize()
    answer = await asyncio.wait_for(peer.ask("tools/call", {"name": "ask"}), 5)
    if era == MODERN:
        assert (answer.status, answer.error["code"]) == (400, -32021)
    else:
        assert answer.result["isError"] is True
        assert "roots" in answer.result["content"][0]["text"]


@pytest.mark.requirement("COMPLAINT-18")
@pytest.mark.parametrize("era", [MODERN, OLDER[0]])
async def test_nothing_is_left_of_clients_that_left(era, monkeypatch):
    """https://github.com/modelcontextprotocol/python-sdk/issues/1283, https://github.com/modelcontextprotocol/python-sdk/issues/2455."""
    monkeypatch.setattr("lazymcp.attendance.WATCH_AFTER_S", 0)
    module = Patient()
    peer = served(module, era=era)
    before = asyncio.all_tasks()

    async def call_and_leave():
        message = peer.message("tools/call" if era == MODERN else "initialize", {"name": "wait", "protocolVersion": era})
        headers = [(name.encode(), value.encode()) for name, value in peer.headers_for(message).items()]
        arriving = asyncio.Queue()
        arriving.put_nowait({"type": "http.request", "body": json.dumps(message).encode()})

        async def send(event): ...

        task = asyncio.create_task(peer.app({"type": "http", "method": "POST", "headers": headers}, arriving.get, send))
        while era == MODERN and module.started == 0:
            await asyncio.sleep(0)
        module.started = 0
        arriving.put_nowait({"type": "http.disconnect"})
        await task

    await call_and_leave()
    gc.collect()
    count = len(gc.get_objects())
    for _ in range(100):
        await call_and_leave()
    assert asyncio.all_tasks() == before
    gc.collect()
    # Verified sessions are remembered in bounds; a session that was only begun is not kept at all.
    assert len(gc.get_objects()) - count < 200
