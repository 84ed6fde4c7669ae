"""lazymcp/client_features.py: the client's model and its folders. Deprecated by SEP-2577; served as long as clients have them."""

import pytest

from lazymcp import Base, Context, sampling, tool
from tests.lazymcp.asgi_peer import ERAS, MODERN
from tests.lazymcp.asking_peer import converse, served

PARIS = {"role": "assistant", "model": "m", "content": {"type": "text", "text": "Paris"}}


class Curious(Base):
    name = ""

    @tool
    async def capital(self, ctx: Context) -> str:
        """Ask the client's model."""
        return "LLM response: " + await ctx.sample("What is the capital of France?", "capital_question", max_tokens=100)

    @tool
    async def folders(self, ctx: Context) -> list[str]:
        """Ask for the client's folders."""
        return [root["uri"] for root in await ctx.roots("client_roots")]

    @tool
    async def what_it_can(self, ctx: Context) -> list[str]:
        """Do without what the client has not."""
        return [what for what in ("form", "url", "sampling", "roots") if ctx.can_ask(what)]


@pytest.mark.parametrize("era", ERAS)
async def test_the_clients_model_writes(era):
    """`sep-2322-sampling`, tools-call-sampling."""
    answer, (question,) = await converse(served(Curious(), era=era), "tools/call", {"name": "capital"}, lambda _: PARIS)
    assert answer.result["content"][0]["text"] == "LLM response: Paris"
    assert question["params"] == {
        "messages": [{"role": "user", "content": {"type": "text", "text": "What is the capital of France?"}}],
        "maxTokens": 100,
    }


@pytest.mark.parametrize("era", ERAS)
async def test_the_clients_folders_are_named(era):
    """`sep-2322-list-roots`."""
    roots = {"roots": [{"uri": "file:///a", "name": "A"}, {"uri": "file:///b"}]}
    answer, (question,) = await converse(served(Curious(), era=era), "tools/call", {"name": "folders"}, lambda _: roots)
    assert answer.result["structuredContent"] == {"result": ["file:///a", "file:///b"]}
    assert question == {"method": "roots/list", "params": {}}


NO_SAMPLES = [
    {},
    {"content": None},
    {"content": []},
    {"content": "Paris"},
    {"content": [{"text": "x"}]},
    {"content": {"type": "text", "text": 5}},
]
NO_ROOTS = [{}, {"roots": None}, {"roots": {}}, {"roots": ["file:///a"]}, {"roots": [{"name": "a"}]}, {"roots": [{"uri": 5}]}]
REFUSED = [("capital", result) for result in NO_SAMPLES] + [("folders", result) for result in NO_ROOTS]


@pytest.mark.parametrize("era", [MODERN, "2025-11-25"])
@pytest.mark.parametrize(("name", "result"), REFUSED)
async def test_a_malformed_answer_is_refused(era, name, result):
    """MCP 2026-07-28, basic/patterns/mrtr: never accepted silently."""
    answer, _ = await converse(served(Curious(), era=era), "tools/call", {"name": name}, lambda _: result)
    assert answer.error["code"] == -32602


async def test_a_model_that_draws_has_nothing_to_say():
    image = {"role": "assistant", "model": "m", "content": {"type": "image", "data": "", "mimeType": "image/png"}}
    answer, _ = await converse(served(Curious()), "tools/call", {"name": "capital"}, lambda _: image)
    assert answer.result["content"][0]["text"] == "the client's model answered with image and no text"


@pytest.mark.parametrize("era", ERAS)
async def test_a_function_may_do_without(era):
    """`sep-2322-respect-client-capabilities`."""
    answer, _ = await converse(served(Curious(), era=era), "tools/call", {"name": "what_it_can"}, lambda _: {}, {"sampling": {}})
    assert answer.result["structuredContent"] == {"result": ["sampling"]}


@pytest.mark.parametrize("name", ["capital", "folders"])
async def test_who_did_not_declare_it_is_told_what_is_missing(name):
    """MCP 2026-07-28, basic/index, -32021; `sep-2575-server-rejects-undeclared-capability`."""
    answer, _ = await converse(served(Curious()), "tools/call", {"name": name}, lambda _: {}, {"elicitation": {}})
    assert (answer.status, answer.error["code"]) == (400, -32021)
    assert answer.error["data"]["requiredCapabilities"] == ({"sampling": {}} if name == "capital" else {"roots": {}})


def test_a_conversation_goes_as_it_is_written():
    spoken = [
        {"role": "user", "content": {"type": "text", "text": "Hi"}},
        {"role": "assistant", "content": {"type": "text", "text": "Ho"}},
    ]
    question = sampling(spoken, max_tokens=5, system_prompt="Be short.", temperature=0.5).question
    assert question.params == {"messages": spoken, "maxTokens": 5, "systemPrompt": "Be short.", "temperature": 0.5}
