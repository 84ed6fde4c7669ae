"""What the fuzz tests are made of: a server with everything, requests of every shape, and what no answer may be."""

import asyncio
import json
from collections.abc import Sequence
from typing import Annotated, Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from lazymcp import Base, Context, Options, PromptSpec, ResourceSpec, Scope, TaskLimits, tool
from lazymcp.methods import METHODS
from lazymcp.protocol import CAPABILITIES_KEY, CLIENT_KEY, LOG_LEVEL_KEY, TASKS_EXTENSION, VERSION_KEY
from tests.lazymcp.admin_module import AdminMCP
from tests.lazymcp.asgi_peer import read_answer
from tests.lazymcp.wire import ERAS, judge_message

SETTINGS = settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
PATIENCE_S = 10
STATUSES = {200, 202, 204, 400, 403, 404, 405, 406, 408, 413, 415, 421}
USUAL = [(b"host", b"localhost"), (b"content-type", b"application/json")]


class Name(BaseModel):
    name: str


class Rich(Base):
    """What asks, waits, counts, and outlives its request."""

    name = ""

    @tool
    async def ask(self, ctx: Context) -> str:
        """Ask for a name, twice."""
        first = await ctx.elicit(Name, "Who?")
        return first.name + (await ctx.elicit(Name, "And who else?")).name

    @tool
    async def folders(self, ctx: Context) -> list[str]:
        """Ask for the client's folders."""
        return [str(root) for root in await ctx.roots()]

    @tool
    async def talk(self, times: Annotated[int, Field(ge=0, le=5)], ctx: Context) -> str:
        """Report and log."""
        for count in range(times):
            await ctx.progress(count)
            await ctx.log(count)
        return "said"

    @tool(task="optional")
    async def job(self, ctx: Context) -> str:
        """Take a turn."""
        await asyncio.sleep(0)
        return "done"

    @tool(task="required")
    async def interview(self, ctx: Context) -> str:
        """Ask, inside a task."""
        return (await ctx.elicit(Name, "Who?")).name

    @tool(input_schema={"type": "object", "properties": {"city": {"type": "string", "x-mcp-header": "City"}}})
    async def headed(self, city: str = "") -> str:
        """A header repeats the argument."""
        return city

    def pages_resource(self) -> ResourceSpec:
        return ResourceSpec(
            desc="A page.", uri="app://pages/{+path}{?q}", read=self.page, completions={"path": lambda value: ["a/b", value]}
        )

    async def page(self, path: str, q: str = "") -> str:
        return path + q

    def letter_prompt(self) -> PromptSpec:
        return PromptSpec(desc="A letter.", fn=self.letter, completions={"to": lambda value: [value + "!"]})

    async def letter(self, to: str) -> str:
        return f"Dear {to}"


def make_scope() -> Scope:
    """A server with everything, in small pages."""
    # The heart that keeps the leases beats once more after the last task: soon enough for a test to see it end.
    scope = Scope(Options(page_size=2, secret="fuzz", question_timeout_s=5, task_limits=TaskLimits(lease_s=0.5)))
    scope.register(AdminMCP(), Rich())
    return scope


scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=20)
anything = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3), max_leaves=8
)
names = st.sampled_from(
    [
        *("admin.user_count", "admin_user_count", "admin.user_report", "admin.audit", "admin.greeting", "letter", "ask", "folders"),
        *(
            "talk",
            "job",
            "interview",
            "headed",
            "skill://index.json",
            "app://admin/users",
            "app://admin/users/x",
            "app://pages/a/b?q=1",
        ),
        *("ui://admin/dashboard", "skill://admin", "skill://admin/oncall/SKILL.md", "app://pages/{+path}{?q}"),
    ]
)
capabilities = st.fixed_dictionaries(
    {},
    optional={
        "elicitation": st.sampled_from([{}, {"form": {}}, {"url": {}}]) | anything,
        "roots": st.just({}) | anything,
        "sampling": st.just({}) | anything,
        "extensions": st.just({TASKS_EXTENSION: {}}) | anything,
    },
)
envelopes = st.fixed_dictionaries(
    {},
    optional={
        VERSION_KEY: st.sampled_from([*ERAS, "2099-01-01"]) | anything,
        CAPABILITIES_KEY: capabilities | anything,
        CLIENT_KEY: st.just({"name": "x"}) | anything,
        LOG_LEVEL_KEY: st.just("debug") | anything,
        "progressToken": anything,
    },
)
answers = st.fixed_dictionaries(
    {},
    optional={"action": st.sampled_from(["accept", "decline", "cancel"]) | anything, "content": st.just({"name": "a"}) | anything},
)
params = st.fixed_dictionaries(
    {},
    optional={
        "name": names | anything,
        "uri": names | anything,
        "arguments": st.fixed_dictionaries({}, optional={"active": anything, "times": st.integers(0, 3), "city": anything})
        | anything,
        "cursor": st.sampled_from(["Mg==", "NA==", "LTE=", ""]) | anything,
        "protocolVersion": st.sampled_from(ERAS) | anything,
        "capabilities": capabilities | anything,
        "clientInfo": anything,
        "level": st.sampled_from(["debug", "error"]) | anything,
        "notifications": st.fixed_dictionaries(
            {},
            optional={
                "toolsListChanged": anything,
                "resourceSubscriptions": st.lists(names, max_size=3) | anything,
                "taskIds": st.lists(st.text(max_size=9), max_size=2) | anything,
            },
        )
        | anything,
        "ref": st.sampled_from(
            [{"type": "ref/prompt", "name": "letter"}, {"type": "ref/resource", "uri": "app://pages/{+path}{?q}"}]
        )
        | anything,
        "argument": st.fixed_dictionaries({"name": st.sampled_from(["to", "path"]) | anything, "value": anything}) | anything,
        "context": anything,
        "taskId": st.text(max_size=40) | anything,
        "inputResponses": st.dictionaries(st.text(max_size=8), answers | anything, max_size=2) | anything,
        "requestState": st.text(max_size=40) | anything,
        "requestId": anything,
        "task": anything,
        "_meta": envelopes | anything,
    },
)
OLDER_METHODS = ["initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe", "tasks/list"]
methods = st.sampled_from([*METHODS, *OLDER_METHODS, "notifications/cancelled", "notifications/initialized"])
ids = st.integers() | st.text(max_size=5)
messages = st.fixed_dictionaries(
    {"jsonrpc": st.just("2.0") | anything},
    optional={
        "method": methods | anything,
        "id": ids | anything,
        "params": params | anything,
        "result": anything,
        "error": anything,
    },
)
header_names = st.sampled_from(
    [
        *(b"mcp-protocol-version", b"mcp-method", b"mcp-name", b"mcp-session-id", b"last-event-id", b"accept", b"origin", b"host"),
        *(b"mcp-param-city", b"content-type", b"content-length", b"access-control-request-headers", b"connection"),
    ]
)
header_values = (
    st.binary(max_size=30)
    | st.sampled_from([era.encode() for era in ERAS])
    | names.map(str.encode)
    | methods.map(str.encode)
    | st.sampled_from([b"text/event-stream", b"application/json", b"*/*", b"=?base64?YQ==?=", b"=?base64?*?=", b" x ", b"1-1"])
)
headers = st.lists(st.tuples(header_names, header_values), max_size=5)
verbs = st.sampled_from(["POST", "GET", "DELETE", "HEAD", "PUT", "OPTIONS", "PATCH", "TRACE", "post", "G\u00c9T"])


async def exchange(
    app: Any, raw_headers: Sequence[tuple[bytes, bytes]], chunks: Sequence[bytes], verb: str = "POST", *, leaves_early: bool = False
) -> list[dict[str, Any]]:
    """One request whose client leaves once everything is said, or before; gives what was sent, complete or cut by leaving."""
    arriving = [{"type": "http.request", "body": chunk, "more_body": True} for chunk in chunks]
    if leaves_early:
        arriving.append({"type": "http.disconnect"})
    else:
        arriving[-1]["more_body"] = False
    sent: list[dict[str, Any]] = []
    gone = False

    async def receive() -> dict[str, Any]:
        nonlocal gone
        if arriving:
            return arriving.pop(0)
        # Whoever waits for the client has had its turn by then.
        await asyncio.sleep(0.005)
        gone = True
        return {"type": "http.disconnect"}

    async def send(message: dict[str, Any]) -> None:
        if gone:
            raise OSError("the client has left")
        sent.append(message)

    await app({"type": "http", "method": verb, "path": "/mcp", "headers": list(raw_headers)}, receive, send)
    return sent


def check_answer(sent: list[dict[str, Any]], asked: Any = None, *, is_heard: bool = False) -> None:
    """What every answer is, whatever was asked: no fault of ours, HTTP, JSON-RPC, and for whom it is meant.

    Args:
        is_heard: the request passes the gate and can be read, so that an error must bear its id too.
    """
    if not sent:
        return
    assert sent[0]["status"] in STATUSES
    if sent[-1].get("more_body") or len(sent) == 1:
        sent = [*sent, {"type": "http.response.body", "body": b""}]
        if b"text/event-stream" not in dict(sent[0]["headers"]).values():
            return  # cut off by leaving
    answer = read_answer(sent)
    mine = asked.get("id") if isinstance(asked, dict) else None
    mine = mine if type(mine) in {str, int} else None
    for message in answer.messages:
        kind = judge_message(message)
        assert message.get("error", {}).get("code") != -32603, message
        if kind == "result":
            assert (type(message["id"]), message["id"]) == (type(mine), mine)
        elif kind == "error":
            nobody = message["id"] is None and not is_heard
            assert nobody or (type(message["id"]), message["id"]) == (type(mine), mine)


async def settle(before: set[asyncio.Task[Any]]) -> None:
    """Wait until every task that a request has begun is over; fails if one is not."""
    async with asyncio.timeout(PATIENCE_S):
        while left := asyncio.all_tasks() - before:
            await asyncio.wait(left, timeout=0.05)


async def drive(
    app: Any,
    raw_headers: Any,
    chunks: Sequence[bytes],
    verb: str = "POST",
    *,
    leaves_early: bool = False,
    is_heard: bool = False,
) -> None:
    """One request from beginning to end: it ends in time, its answer is one, and nothing of it is left."""
    before = asyncio.all_tasks()
    async with asyncio.timeout(PATIENCE_S):
        sent = await exchange(app, raw_headers, chunks, verb, leaves_early=leaves_early)
    check_answer(sent, _parsed(b"".join(chunks)), is_heard=is_heard)
    await settle(before)


def _parsed(body: bytes) -> Any:
    try:
        return json.loads(body)
    except ValueError:
        return None
