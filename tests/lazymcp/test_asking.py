"""lazymcp/asking.py: how a question ends a request, whatever the handler is in the middle of."""

import asyncio
import contextlib

import anyio
import pytest
from pydantic import BaseModel

from lazymcp import Base, Context, prompt, resource, tool
from lazymcp.asking import NEEDS, InputRequired, Question, missing, stops
from lazymcp.errors import Declined, ToolError
from lazymcp.protocol import CAPABILITIES_KEY
from tests.lazymcp.asking_peer import ALL, ELICITS, FORM_ERAS, accept, ask_again, converse, served


class Name(BaseModel):
    name: str


class Careless(Base):
    """Functions that wrap their questions in all that could hold them back."""

    name = ""

    def __init__(self):
        self.left = []

    @tool
    async def in_except(self, ctx: Context) -> str:
        """Catch every failure."""
        try:
            return (await ctx.elicit(Name, "Who?")).name
        except Exception:
            return "caught"

    @tool
    async def in_finally(self, ctx: Context) -> str:
        """Tidy up."""
        try:
            return (await ctx.elicit(Name, "Who?")).name
        finally:
            self.left.append("finally")

    @tool
    async def in_suppress(self, ctx: Context) -> str:
        """Suppress every failure."""
        with contextlib.suppress(Exception):
            return (await ctx.elicit(Name, "Who?")).name
        return "suppressed"

    @tool
    async def in_group(self, ctx: Context) -> str:
        """Ask inside of a task group."""
        async with asyncio.TaskGroup() as outer, asyncio.TaskGroup() as group:
            outer.create_task(asyncio.sleep(0))
            first = group.create_task(ctx.elicit(Name, "Who?", "a"))
            second = group.create_task(ctx.elicit(Name, "And who?", "b"))
        return first.result().name + second.result().name

    @tool
    async def in_anyio(self, ctx: Context) -> str:
        """Ask inside of an anyio group."""
        found = []

        async def one():
            found.append((await ctx.elicit(Name, "Who?")).name)

        async with anyio.create_task_group() as group:
            group.start_soon(one)
        return found[0]

    @tool
    async def in_gather(self, ctx: Context) -> str:
        """Ask side by side."""
        both = await asyncio.gather(ctx.elicit(Name, "Who?", "a"), ctx.elicit(Name, "And who?", "b"))
        return "".join(answer.name for answer in both)

    @tool
    async def in_wait_for(self, ctx: Context) -> str:
        """Ask in another task."""
        return (await asyncio.wait_for(ctx.elicit(Name, "Who?"), 20)).name

    @tool
    def in_thread(self, ctx: Context) -> object:
        """Ask from a function that is not async, by what it returns."""
        return self.in_except(ctx)

    @tool
    async def beside_failure(self, ctx: Context) -> str:
        """Fail while asking."""

        async def fail():
            raise RuntimeError("secret")

        async with asyncio.TaskGroup() as group:
            group.create_task(fail())
            group.create_task(ctx.elicit(Name, "Who?"))
        return "never"

    @tool
    async def declined_in_group(self, ctx: Context) -> str:
        """Ask in a group, of somebody who says no."""
        async with asyncio.TaskGroup() as group:
            group.create_task(ctx.elicit(Name, "Who?"))
        return "never"

    @prompt
    async def write(self, ctx: Context) -> str:
        """Write to somebody."""
        return f"Write to {(await ctx.elicit(Name, 'Whom?', 'whom')).name}."

    @resource("app://me")
    async def me(self, ctx: Context) -> str:
        """Who I am."""
        return (await ctx.elicit(Name, "Who?", "who")).name


GUARDED = ["in_except", "in_finally", "in_suppress", "in_anyio", "in_wait_for", "in_thread"]


@pytest.mark.parametrize("era", FORM_ERAS)
@pytest.mark.parametrize("name", GUARDED)
async def test_a_question_passes_whatever_would_hold_a_failure_back(era, name):
    """MCP 2026-07-28, basic/patterns/mrtr."""
    answer, questions = await converse(
        served(Careless(), era=era), "tools/call", {"name": name}, lambda _: accept(name="Ada"), ELICITS
    )
    assert answer.result["content"][0]["text"] == "Ada"
    assert len(questions) == 1


@pytest.mark.parametrize("era", FORM_ERAS)
@pytest.mark.parametrize("name", ["in_group", "in_gather"])
async def test_questions_side_by_side_are_all_answered(era, name):
    """MCP 2026-07-28, basic/patterns/mrtr."""
    names = {"Who?": "Ada", "And who?": "Bob"}
    answer, _ = await converse(
        served(Careless(), era=era),
        "tools/call",
        {"name": name},
        lambda asked: accept(name=names[asked["params"]["message"]]),
        ELICITS,
    )
    assert answer.result["content"][0]["text"] == "AdaBob"


async def test_what_must_be_tidied_up_is():
    """Each run ends as any function does that is left by an exception."""
    module = Careless()
    await converse(served(module), "tools/call", {"name": "in_finally"}, lambda _: accept(name="Ada"))
    assert module.left == ["finally", "finally"]


async def test_a_failure_beside_a_question_is_a_failure():
    """MCP 2026-07-28, server/tools, "Error handling"."""
    answer = await served(Careless()).ask("tools/call", {"name": "beside_failure"}, **{CAPABILITIES_KEY: ALL})
    assert answer.result["isError"]
    assert "secret" not in answer.body.decode()


@pytest.mark.parametrize("era", FORM_ERAS)
async def test_a_no_in_a_task_group_is_told_as_any_other(era):
    """MCP 2026-07-28, client/elicitation, "Response actions"."""
    peer = served(Careless(), era=era)
    answer, _ = await converse(peer, "tools/call", {"name": "declined_in_group"}, lambda _: {"action": "decline"})
    assert answer.result["isError"]
    assert answer.result["content"][0]["text"] == "the user declined"


@pytest.mark.parametrize("era", FORM_ERAS)
@pytest.mark.parametrize(("method", "params"), [("prompts/get", {"name": "write"}), ("resources/read", {"uri": "app://me"})])
async def test_prompts_and_resources_ask_too(era, method, params):
    """MCP 2026-07-28, basic/patterns/mrtr: `prompts/get`, `resources/read`."""
    peer = served(Careless(), era=era)
    answer, questions = await converse(peer, method, params, lambda _: accept(name="Ada"))
    assert "Ada" in answer.body.decode()
    assert len(questions) == 1
    answer, _ = await converse(peer, method, params, lambda _: {"action": "cancel"})
    assert answer.error["code"] == -32602
    assert answer.error["message"] == "the user did not answer"


async def test_what_waits_for_input_is_not_kept():
    """MCP 2026-07-28, basic/patterns/mrtr; server/utilities/caching."""
    answer = await served(Careless()).ask("resources/read", {"uri": "app://me"}, **{CAPABILITIES_KEY: ALL})
    assert answer.result.keys() == {"resultType", "inputRequests", "requestState", "_meta"}
    assert answer.result["inputRequests"].keys() == {"who"}


async def test_a_function_that_cannot_be_waited_for_leaves_with_its_first_question():
    """The task group ends at the first question; the second is asked when the first was answered."""
    peer, params = served(Careless()), {"name": "in_group"}
    first = await peer.ask("tools/call", params, **{CAPABILITIES_KEY: ALL})
    asked = set(first.result["inputRequests"])
    second = await ask_again(peer, "tools/call", params, first, {key: accept(name="Ada") for key in asked})
    if second.result["resultType"] == "input_required":
        assert not asked & set(second.result["inputRequests"])


def test_a_group_of_questions_is_one_stop():
    one, two = InputRequired({"a": Question("roots/list", {})}), InputRequired({"b": Question("roots/list", {})})
    found = stops(BaseExceptionGroup("", [one, BaseExceptionGroup("", [two])]))
    assert found is not None
    assert found.questions.keys() == {"a", "b"}
    assert stops(BaseExceptionGroup("", [one, ValueError()])) is None
    assert stops(ValueError()) is None
    assert stops(one) is one


@pytest.mark.parametrize(
    ("what", "declared", "lacking"),
    [
        ("form", {}, {"elicitation": {"form": {}}}),
        ("form", {"elicitation": {}}, {}),
        ("form", {"elicitation": {"form": {}}}, {}),
        ("form", {"elicitation": {"url": {}}}, {"elicitation": {"form": {}}}),
        ("form", {"elicitation": True}, {"elicitation": {"form": {}}}),
        ("form", {"elicitation": None}, {"elicitation": {"form": {}}}),
        ("url", {"elicitation": {}}, {"elicitation": {"url": {}}}),
        ("url", {"elicitation": {"form": {}}}, {"elicitation": {"url": {}}}),
        ("url", {"elicitation": {"url": {}}}, {}),
        ("sampling", {"elicitation": {}}, {"sampling": {}}),
        ("sampling", {"sampling": {"tools": {}}}, {}),
        ("roots", {"roots": {"listChanged": True}}, {}),
    ],
)
def test_what_a_client_declared_decides_what_it_is_asked(what, declared, lacking):
    """MCP 2025-11-25, client/elicitation, "Capabilities"; 2026-07-28, basic/patterns/mrtr."""
    assert missing(NEEDS[what], declared) == lacking


def test_a_no_is_a_sentence_for_the_model():
    """MCP 2026-07-28, client/elicitation, "Response actions"."""
    assert str(Declined("decline")) == "the user declined"
    assert str(Declined("cancel", "age")) == "the user did not answer (age)"
    assert isinstance(Declined("decline"), ToolError)


async def test_what_may_not_ask_answers_with_an_error(monkeypatch):
    """MCP 2026-07-28, basic/patterns/mrtr: only tools/call, prompts/get and resources/read may."""

    class Curious(Base):
        def tools(self):
            return []

    from lazymcp import methods

    async def asks(registry, params, ctx):
        await ctx.roots()

    monkeypatch.setattr(methods, "METHODS", {**methods.METHODS, "tools/list": methods.Method(asks)})
    answer = await served(Curious()).ask("tools/list", **{CAPABILITIES_KEY: ALL})
    assert answer.error["code"] == -32603
    assert "cannot ask" in answer.error["message"]
