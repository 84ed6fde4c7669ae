"""`tasks/get`, `tasks/update`, `tasks/cancel`, and who may ask for them."""

import asyncio
import base64
import contextlib

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from lazyauth import Claims, User, signed_in
from lazymcp import Base, Context, MCPError, ToolError, form, tool
from lazymcp.protocol import CAPABILITIES_KEY, TASKS_EXTENSION
from tests.lazymcp.asgi_peer import OLDER, Peer
from tests.lazymcp.asking_peer import accept
from tests.lazymcp.task_peer import Name, ann, bob, serving


class Jobs(Base):
    """Jobs that wait for each other and for people."""

    def __init__(self):
        self.go = asyncio.Event()
        self.ended = asyncio.Event()

    @tool(task="required", scopes=["jobs"])
    async def wait(self, label: str = "") -> str:
        """Wait to be let go."""
        try:
            await self.go.wait()
        finally:
            self.ended.set()
        return f"done {label}"

    @tool(task="required")
    async def fail(self) -> str:
        """Fail, as a tool does."""
        raise ToolError("no such luck")

    @tool(task="required")
    async def crash(self) -> str:
        """Fail, as nobody expected."""
        raise LookupError("secret")

    @tool(task="required")
    async def refuse(self) -> str:
        """Fail, as the protocol does."""
        raise MCPError("not today", {"try": "tomorrow"}, code=42)

    @tool(task="optional")
    async def greet(self, ctx: Context) -> str:
        """Ask two names, one after the other, then two at once."""
        first = await ctx.elicit(Name, "Who?")
        second = await ctx.elicit(Name, "And who else?", key="other")
        more = await ctx.ask(left=form(Name, "Left?"), right=form(Name, "Right?"))
        return " ".join([first.name, second.name, more["left"].name, more["right"].name])

    @tool
    async def plain(self) -> str:
        """Answer at once."""
        return "here"


async def test_a_task_works_and_then_has_its_result():
    """SEP-2663, "Task Polling": 1 and 3."""
    jobs = Jobs()
    async with serving(jobs) as peer:
        task_id = await peer.start("jobs.wait", label="x")
        found = await peer.get(task_id)
        assert (found["status"], found["resultType"], found["taskId"]) == ("working", "complete", task_id)
        jobs.go.set()
        found = await peer.end(task_id)
        assert found["status"] == "completed"
        assert found["result"] == {"content": [{"type": "text", "text": "done x"}], "resultType": "complete"}
        assert await peer.get(task_id) == found


@pytest.mark.parametrize(("name", "text"), [("jobs.fail", "no such luck"), ("jobs.crash", "the details are in the server's log")])
async def test_a_tool_that_fails_is_a_completed_task(name, text):
    """SEP-2663, "Task Execution Errors": failed is for JSON-RPC errors only."""
    async with serving(Jobs()) as peer:
        found = await peer.end(await peer.start(name))
    assert (found["status"], found["result"]["isError"]) == ("completed", True)
    assert text in found["result"]["content"][0]["text"]


async def test_a_json_rpc_error_is_a_failed_task():
    """SEP-2663, "Task Execution Errors"."""
    async with serving(Jobs()) as peer:
        found = await peer.end(await peer.start("jobs.refuse"))
    assert found["status"] == "failed"
    assert found["error"] == {"code": 42, "message": "not today", "data": {"try": "tomorrow"}}
    assert found["statusMessage"] == "not today"


async def test_a_task_asks_and_goes_on_with_the_answers():
    """SEP-2663, "Task Update Requests": all outstanding requests, partial answers, an empty acknowledgement."""
    async with serving(Jobs()) as peer:
        task_id = await peer.start("jobs.greet")
        found = await peer.wait(task_id, "input_required")
        assert set(found["inputRequests"]) == {"question_1"}
        assert found["inputRequests"]["question_1"]["method"] == "elicitation/create"
        assert set(await peer.update(task_id, question_1=accept(name="Ann"))) == {"resultType", "_meta"}
        while "other" not in (await peer.get(task_id)).get("inputRequests", {}):
            await asyncio.sleep(0)
        await peer.update(task_id, other=accept(name="Bob"), question_1=accept(name="too late"), unheard={"of": 1})
        while "left" not in (await peer.get(task_id)).get("inputRequests", {}):
            await asyncio.sleep(0)
        await peer.update(task_id, right=accept(name="Rita"))
        found = await peer.get(task_id)
        assert (found["status"], set(found["inputRequests"])) == ("input_required", {"left"})
        await peer.update(task_id, left=accept(name="Leo"))
        found = await peer.end(task_id)
    assert found["result"]["content"][0]["text"] == "Ann Bob Leo Rita"


async def test_a_form_that_is_filled_in_wrongly_is_put_again_under_another_key():
    """SEP-2663, "Task Update Requests": a key is unique over the life of a task."""
    async with serving(Jobs()) as peer:
        task_id = await peer.start("jobs.greet")
        await peer.wait(task_id, "input_required")
        await peer.update(task_id, question_1={"action": "accept", "content": {"name": 5}})
        while "question_1~2" not in (found := await peer.get(task_id)).get("inputRequests", {}):
            await asyncio.sleep(0)
        assert "Who?" in found["inputRequests"]["question_1~2"]["params"]["message"]
        await peer.update(task_id, **{"question_1~2": accept(name="Ann")})
        while "other" not in (await peer.get(task_id)).get("inputRequests", {}):
            await asyncio.sleep(0)


async def test_a_user_who_declines_ends_the_call_not_the_task():
    """A declined question is news for the model."""
    async with serving(Jobs()) as peer:
        task_id = await peer.start("jobs.greet")
        await peer.wait(task_id, "input_required")
        await peer.update(task_id, question_1={"action": "decline"})
        found = await peer.end(task_id)
    assert (found["status"], found["result"]["isError"]) == ("completed", True)


async def test_a_client_that_cannot_answer_is_told_in_the_task():
    """MCP 2026-07-28, basic/index: -32021 for what the client did not declare."""

    async with serving(Jobs()) as peer:
        peer.capabilities = {"extensions": {TASKS_EXTENSION: {}}}
        answer = await peer.ask("tools/call", {"name": "jobs.greet", "arguments": {}})
    assert answer.error["code"] == -32021
    assert "elicitation" in answer.error["data"]["requiredCapabilities"]


async def test_a_cancelled_task_ends_its_function_and_stays_cancelled():
    """SEP-2663, "Task Cancellation": an empty acknowledgement, the same for a task that is over."""
    jobs = Jobs()
    async with serving(jobs) as peer:
        task_id = await peer.start("jobs.wait")
        for _ in range(3):
            assert set((await peer.cancel(task_id)).result) == {"resultType", "_meta"}
        await asyncio.wait_for(jobs.ended.wait(), 5)
        found = await peer.get(task_id)
        assert (found["status"], found["statusMessage"]) == ("cancelled", "the client cancelled the task")
        assert set(await peer.update(task_id, question_1=accept(name="Ann"))) == {"resultType", "_meta"}
        assert await peer.get(task_id) == found


async def test_removed_methods_are_unknown():
    """SEP-2663: the result stands in tasks/get, and there is no list."""
    async with serving(Jobs()) as peer:
        for method in ("tasks/result", "tasks/list"):
            assert (await peer.ask(method, {"taskId": "x"}, headers={"mcp-name": None})).error["code"] == -32601


@pytest.mark.parametrize("method", ["tasks/get", "tasks/update", "tasks/cancel"])
async def test_a_client_that_does_not_declare_the_extension_is_refused(method):
    """SEP-2663, "Protocol Errors": -32021, whatever the id."""
    async with serving(Jobs()) as peer:
        answer = await peer.ask(method, {"taskId": "x", "inputResponses": {}}, **{CAPABILITIES_KEY: {}})
    assert (answer.status, answer.error["code"]) == (400, -32021)
    assert answer.error["data"] == {"requiredCapabilities": {"extensions": {TASKS_EXTENSION: {}}}}


@pytest.mark.parametrize("method", ["tasks/get", "tasks/update", "tasks/cancel"])
async def test_the_header_names_the_task(method):
    """SEP-2663, "Streamable HTTP: Routing Headers"."""
    async with serving(Jobs()) as peer:
        task_id = await peer.start("jobs.wait")
        for wrong in (None, "another"):
            answer = await peer.ask(method, {"taskId": task_id, "inputResponses": {}}, headers={"mcp-name": wrong})
            assert (answer.status, answer.error["code"]) == (400, -32020)
        assert (await peer.get(task_id))["status"] == "working"


async def test_another_callers_task_is_like_none():
    """SEP-2663, "Auth binding": nothing tells the two apart."""
    async with serving(Jobs()) as peer:
        with ann():
            task_id = await peer.start("jobs.wait")
            nobodys = await peer.ask("tasks/get", {"taskId": "x" * 32})
        for method in ("tasks/get", "tasks/update", "tasks/cancel"):
            with bob():
                foreign = await peer.ask(method, {"taskId": task_id, "inputResponses": {}})
            outside = await peer.ask(method, {"taskId": task_id, "inputResponses": {}})
            for answer in (foreign, outside):
                assert (answer.status, answer.error["code"]) == (400, -32602)
                assert answer.error["message"].replace(task_id, "x" * 32) == nobodys.error["message"]
        with ann():
            assert (await peer.get(task_id))["status"] == "working"


@pytest.mark.parametrize(
    ("owner", "other"),
    [
        ((User("ann"), None), (User("bob"), None)),
        ((User("ann"), None), None),
        ((User("x"), Claims({"client_id": "robot", "mcps": ["*"]})), (User("x"), Claims({"sub": "client:robot", "mcps": ["*"]}))),
        ((User("x"), Claims({"client_id": "robot", "mcps": ["*"]})), (User("x"), Claims({"client_id": "other", "mcps": ["*"]}))),
    ],
)
async def test_a_task_has_an_owner_however_its_caller_signed_in(owner, other):
    """SEP-2663, "Auth binding": without a token, as over stdio on a store that several users share, and with one of no user."""
    async with serving(Jobs()) as peer:
        with signed_in(*owner):
            task_id = await peer.start("jobs.greet")
        with contextlib.nullcontext() if other is None else signed_in(*other):
            assert (await peer.ask("tasks/get", {"taskId": task_id})).error["code"] == -32602
        with signed_in(*owner):
            assert (await peer.get(task_id))["taskId"] == task_id


async def test_a_task_is_closed_to_a_token_that_no_longer_opens_its_tool():
    """SEP-2663, "Auth binding": each request is checked, not the first alone."""
    async with serving(Jobs()) as peer:
        with ann():
            task_id = await peer.start("jobs.wait")
        with signed_in(User("ann"), Claims({"sub": "ann", "mcps": [], "scope": "jobs"})):
            assert (await peer.ask("tasks/get", {"taskId": task_id})).error["code"] == -32602
        with signed_in(User("ann"), Claims({"sub": "ann", "mcps": ["jobs"]})):
            assert (await peer.ask("tasks/get", {"taskId": task_id})).status == 403


async def test_ids_cannot_be_guessed():
    """SEP-2663, "Task ID unguessability": 192 bits of the system's randomness."""
    async with serving(Jobs()) as peer:
        ids = [await peer.start("jobs.fail") for _ in range(20)]
    assert len(set(ids)) == 20
    assert {len(task_id) for task_id in ids} == {32}


HOSTILE_IDS = ["", "x", "../../etc/passwd", "x" * 5000, "é" * 32, "a" * 31 + "\n", "%00" * 10 + "ab", "' OR 1=1 --" + "a" * 21]


async def test_hostile_ids_are_unknown_ids(task_store):
    """SEP-2663, "Protocol Errors": -32602, and never a 500."""
    async with serving(Jobs(), tasks=task_store) as peer:
        for task_id in [*HOSTILE_IDS, "a\0" * 16]:
            # As MCP writes what does not fit a header.
            header = f"=?base64?{base64.b64encode(task_id.encode()).decode()}?="
            answer = await peer.ask("tasks/get", {"taskId": task_id}, headers={"mcp-name": header})
            assert (answer.status, answer.error["code"]) == (400, -32602), task_id
        for odd in (None, 5, ["x"], {"a": 1}, True):
            answer = await peer.ask("tasks/get", {"taskId": odd})
            assert (answer.status, answer.error["code"]) == (400, -32602), odd
        assert (await peer.ask("tasks/get", {})).error["code"] == -32602


@pytest.mark.parametrize("answers", [None, [], "x", 5, {"question_1": 5}, {"question_1": [1]}, {"question_1": None}])
async def test_hostile_updates_are_refused_and_change_nothing(answers):
    """MCP 2026-07-28, basic/patterns/mrtr: an answer is a result, which is an object."""
    async with serving(Jobs()) as peer:
        task_id = await peer.start("jobs.greet")
        before = await peer.wait(task_id, "input_required")
        answer = await peer.ask("tasks/update", {"taskId": task_id, "inputResponses": answers})
        assert (answer.status, answer.error["code"]) == (400, -32602)
        assert await peer.get(task_id) == before
        assert (await peer.ask("tasks/update", {"taskId": task_id})).error["code"] == -32602


TEXT = st.sampled_from(["", "question_1", "question_1~2", "action", "accept", "content", "name", "\0", "\N{SNOWMAN}"])
LEAF = st.none() | st.booleans() | st.integers() | TEXT
JSON = st.recursive(LEAF, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3), max_leaves=6)


async def test_whatever_an_update_says_it_is_answered():
    """No update gives a 500 or a hang, and the task can still be asked for."""
    examples = []
    collect = given(answers=st.dictionaries(TEXT, JSON, max_size=4))
    settings(max_examples=30, database=None, deadline=None, phases=[Phase.generate])(
        collect(lambda answers: examples.append(answers))
    )()
    async with serving(Jobs()) as peer:
        for answers in examples:
            task_id = await peer.start("jobs.greet")
            await peer.wait(task_id, "input_required")
            answer = await peer.ask("tasks/update", {"taskId": task_id, "inputResponses": answers})
            assert answer.status in {200, 400}
            assert (await peer.get(task_id))["status"] in {"working", "input_required", "completed"}


@pytest.mark.parametrize("era", OLDER)
async def test_older_clients_have_no_tasks(era):
    """The extension is of 2026-07-28; the experimental tasks of 2025-11-25 are not served."""
    async with serving(Jobs()) as served:
        peer = Peer(served.app, era)
        told = await peer.initialize(capabilities={"extensions": {TASKS_EXTENSION: {}}, "tasks": {}})
        assert TASKS_EXTENSION not in told.result["capabilities"].get("extensions", {})
        assert "tasks" not in told.result["capabilities"]
        for method in ("tasks/get", "tasks/update", "tasks/cancel", "tasks/list", "tasks/result"):
            assert (await peer.ask(method, {"taskId": "x"})).error["code"] == -32601
        called = await peer.ask("tools/call", {"name": "jobs.plain", "arguments": {}, "task": {"ttl": 60_000}})
        assert called.result["content"] == [{"type": "text", "text": "here"}]
        assert (await peer.ask("tools/call", {"name": "jobs.fail", "arguments": {}})).error["code"] == -32021


async def test_a_server_without_task_tools_has_no_tasks():
    """SEP-2663, "Capability Negotiation": what is not advertised is not there."""

    class Plain(Base):
        @tool
        async def work(self) -> str:
            """Work."""
            return "done"

    async with serving(Plain()) as peer:
        assert TASKS_EXTENSION not in (await peer.ask("server/discover")).result["capabilities"].get("extensions", {})
        for method in ("tasks/get", "tasks/update", "tasks/cancel"):
            assert (await peer.ask(method, {"taskId": "x"})).error["code"] == -32601


async def test_the_extension_is_advertised_under_extensions():
    """SEP-2663, "Capability Negotiation"."""
    async with serving(Jobs()) as peer:
        capabilities = (await peer.ask("server/discover")).result["capabilities"]
    assert capabilities["extensions"][TASKS_EXTENSION] == {}
    assert "tasks" not in capabilities
