"""lazymcp/exchange.py: how an answer leaves, what a stream carries, and what a client's leaving does."""

import asyncio
import json

import pytest

from lazyauth import Claims, User, signed_in
from lazymcp import Base, Context, Forbidden, MCPError, prompt, resource, tool
from lazymcp.protocol import LOG_LEVEL_KEY
from tests.lazymcp.asgi_peer import ERAS, MODERN, read_answer, served


class Slow(Base):
    """Tools that end in every way a tool can."""

    name = ""

    def __init__(self):
        self.started = asyncio.Event()
        self.cancelled = asyncio.Event()
        self.go_on = asyncio.Event()

    @tool
    async def wait(self) -> str:
        """Wait."""
        self.started.set()
        try:
            await self.go_on.wait()
        except asyncio.CancelledError:
            self.cancelled.set()
            raise
        return "done"

    @tool
    async def talk(self, ctx: Context, times: int = 2) -> str:
        """Talk."""
        for count in range(times):
            await ctx.progress(count)
            await ctx.log({"count": count}, "warning")
        return "said"

    @tool
    async def forbid(self, late: bool, ctx: Context) -> str:
        """Forbid."""
        if late:
            await ctx.progress(1)
        raise Forbidden("mail:write", "mail:send")

    @tool(scopes=["mail:write"])
    async def scoped(self) -> str:
        """Scoped."""
        return "written"

    @tool
    async def headers(self, ctx: Context) -> list[str]:
        """Name the headers."""
        return [f"{name}: {value}" for name, value in ctx.headers.items()]

    @tool
    async def refuse(self) -> str:
        """Refuse."""
        raise MCPError("out of paper", {"tray": 2}, code=4711)


@pytest.mark.parametrize("era", ERAS)
async def test_a_tool_that_talks_is_streamed(era):
    """2026-07-28: notifications of the request, then its answer, then the end."""
    peer = served(Slow(), era=era)
    answer = await peer.ask("tools/call", {"name": "talk"}, progressToken="t")
    assert answer.headers["content-type"] == "text/event-stream"
    assert answer.headers["x-accel-buffering"] == "no"
    told = [message["params"] for message in answer.messages[:-1]]
    assert [params["progress"] for params in told if "progress" in params] == [0, 1]
    # 2025-11-25, server/utilities/logging: before a client sets a level, the server decides.
    assert [params["data"] for params in told if "data" in params] == ([] if era == MODERN else [{"count": 0}, {"count": 1}])
    assert answer.result["content"][0]["text"] == "said"


async def test_log_messages_come_to_who_asks_for_them():
    """2026-07-28, server/utilities/logging: at or above the level in `_meta`, else none."""
    peer = served(Slow())
    for level, count in [("debug", 2), ("warning", 2), ("error", 0)]:
        answer = await peer.ask("tools/call", {"name": "talk"}, **{LOG_LEVEL_KEY: level})
        assert [message["method"] for message in answer.messages[:-1]] == ["notifications/message"] * count
    assert (await peer.ask("tools/call", {"name": "talk"})).headers["content-type"] == "application/json"


async def test_who_takes_no_stream_gets_json_without_the_talk():
    answer = await served(Slow()).ask("tools/call", {"name": "talk"}, headers={"accept": "application/json"}, progressToken=1)
    assert answer.headers["content-type"] == "application/json"


@pytest.mark.parametrize("era", ERAS)
async def test_a_tool_sees_the_headers_but_no_credentials(era):
    """Design, section 3: cookies never reach /mcp. MCP, basic/authorization: a server must not pass on the token it was given."""
    secrets = {"authorization": "Bearer sesame", "cookie": "session=sesame", "proxy-authorization": "Basic sesame"}
    answer = await served(Slow(), era=era).ask("tools/call", {"name": "headers"}, headers={"user-agent": "peer/1", **secrets})
    seen = answer.result["structuredContent"]["result"]
    assert "user-agent: peer/1" in seen
    assert "sesame" not in answer.body.decode()
    assert [line for line in seen if line.partition(":")[0] in secrets] == []


async def test_a_missing_scope_is_403_before_the_stream():
    """RFC 6750, section 3.1; design, section 4."""
    peer = served(Slow(), resource_metadata="https://example.com/.well-known/oauth-protected-resource/mcp")
    answer = await peer.ask("tools/call", {"name": "forbid", "arguments": {"late": False}}, progressToken=1)
    assert answer.status == 403
    assert answer.headers["www-authenticate"] == (
        'Bearer error="insufficient_scope", scope="mail:write mail:send", '
        'resource_metadata="https://example.com/.well-known/oauth-protected-resource/mcp"'
    )
    late = await peer.ask("tools/call", {"name": "forbid", "arguments": {"late": True}}, progressToken=1)
    assert late.status == 200
    assert "mail:write" in late.error["message"]


async def test_a_tool_declares_the_scopes_it_needs():
    peer = served(Slow())
    claims = {"sub": "ada", "mcps": ["*"]}
    with signed_in(User("ada"), Claims(claims)):
        answer = await peer.ask("tools/call", {"name": "scoped"})
        assert (answer.status, answer.headers["www-authenticate"]) == (403, 'Bearer error="insufficient_scope", scope="mail:write"')
    with signed_in(User("ada"), Claims({**claims, "scope": "mcp mail:write"})):
        assert (await peer.ask("tools/call", {"name": "scoped"})).result["content"][0]["text"] == "written"
    assert (await peer.ask("tools/call", {"name": "scoped"})).result, "without a token nothing is asked"


async def test_a_tool_may_answer_with_an_error_of_its_own():
    answer = await served(Slow()).ask("tools/call", {"name": "refuse"})
    assert answer.error == {"code": 4711, "message": "out of paper", "data": {"tray": 2}}


class Rough(Base):
    """What it publishes raises anything: `cancel` as a library's own deadline might, `leave` by sys.exit."""

    name = ""

    PROBLEMS = {  # noqa: RUF012 - never changed
        "cancel": asyncio.CancelledError,
        "leave": SystemExit,
        "interrupt": KeyboardInterrupt,
        "close": GeneratorExit,
        "base": BaseException,
    }

    @tool
    async def soon(self, problem: str, late: bool = False) -> str:
        """Raise, late or at once."""
        if late:
            await asyncio.sleep(0)
        raise self.PROBLEMS[problem]

    @tool
    def threaded(self, problem: str) -> str:
        """Raise in a thread."""
        raise self.PROBLEMS[problem]

    @resource("app://rough/{problem}")
    async def read(self, problem: str) -> str:
        """Raise."""
        raise self.PROBLEMS[problem]

    @prompt
    def ask(self, problem: str) -> str:
        """Raise."""
        raise self.PROBLEMS[problem]


@pytest.mark.parametrize("problem", Rough.PROBLEMS)
@pytest.mark.parametrize("arguments", [{"name": "soon"}, {"name": "soon", "late": True}, {"name": "threaded"}])
async def test_a_tool_harms_nobody_but_itself(problem, arguments, caplog):
    """https://github.com/modelcontextprotocol/python-sdk/issues/2610."""
    name, *rest = arguments.items()
    params = {"name": name[1], "arguments": {"problem": problem, **dict(rest)}}
    result = (await served(Rough()).ask("tools/call", params)).result
    assert result["isError"] is True
    (record,) = caplog.records
    assert record.args[1] in result["content"][0]["text"]


@pytest.mark.parametrize("problem", Rough.PROBLEMS)
async def test_resources_prompts_and_policies_harm_nobody_but_themselves(problem, caplog):
    """JSON-RPC 2.0, section 5: the error bears the request's id."""

    def authorizer(claims, module):
        raise Rough.PROBLEMS[problem]

    peer = served(Rough())
    answers = [
        await peer.ask("resources/read", {"uri": f"app://rough/{problem}"}),
        await peer.ask("prompts/get", {"name": "ask", "arguments": {"problem": problem}}),
        await served(Rough(), authorizer=authorizer).ask("tools/list"),
    ]
    for answer, record in zip(answers, caplog.records, strict=True):
        assert (answer.messages[0]["id"], answer.error["code"]) == (7, -32603)
        assert record.args[1] in answer.error["message"]


class Connection:
    """One request whose client can leave."""

    def __init__(self, peer, params, room=0):
        message = peer.message("tools/call", params)
        self.headers = [(name.encode(), value.encode()) for name, value in peer.headers_for(message).items()]
        self.incoming = asyncio.Queue()
        self.incoming.put_nowait({"type": "http.request", "body": json.dumps(message).encode()})
        self.sent = asyncio.Queue(room)
        scope = {"type": "http", "method": "POST", "headers": self.headers}
        self.task = asyncio.create_task(peer.app(scope, self.incoming.get, self.sent.put))

    def leave(self):
        self.incoming.put_nowait({"type": "http.disconnect"})


async def test_a_stream_that_the_server_ends_says_so(monkeypatch):
    """JSON-RPC 2.0, section 4: every request is answered. A server that shuts down cancels what is left."""
    monkeypatch.setattr("lazymcp.attendance.KEEP_ALIVE_S", 0.01)
    connection = Connection(served(Slow()), {"name": "wait"})
    sent = [await connection.sent.get(), await connection.sent.get()]
    connection.task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await connection.task
    while not connection.sent.empty():
        sent.append(connection.sent.get_nowait())
    assert read_answer(sent).error == {"code": -32603, "message": "the server ended this request"}


async def test_a_client_that_does_not_read_holds_up_no_shutdown(monkeypatch):
    """Flow control: `send` waits while the client's buffers are full."""
    monkeypatch.setattr("lazymcp.attendance.KEEP_ALIVE_S", 0.01)
    monkeypatch.setattr("lazymcp.exchange.BREAK_OFF_S", 0.01)
    connection = Connection(served(Slow()), {"name": "wait"}, room=2)
    while not connection.sent.full():
        await asyncio.sleep(0.01)
    connection.task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await connection.task


@pytest.mark.parametrize("token", [None, "t"])
async def test_a_server_that_raises_for_a_client_that_left_disturbs_nobody(token, caplog):
    """ASGI, "Disconnected client": send may raise OSError."""
    peer = served(Slow())
    message = peer.message("tools/call", {"name": "talk"}, **({"progressToken": token} if token else {}))
    headers = [(name.encode(), value.encode()) for name, value in peer.headers_for(message).items()]

    async def receive():
        return {"type": "http.request", "body": json.dumps(message).encode()}

    async def send(message):
        raise BrokenPipeError

    await peer.app({"type": "http", "method": "POST", "headers": headers}, receive, send)
    assert caplog.records == []
