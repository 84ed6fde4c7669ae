"""lazymcp/surroundings.py: values that are no arguments, given and taken back around each call of a function."""

from contextlib import asynccontextmanager

import pytest

from lazymcp import (
    AppSpec,
    Base,
    Context,
    Options,
    PromptSpec,
    ResourceSpec,
    Scope,
    ToolError,
    ToolSpec,
    completes,
    prompt,
    resource,
    tool,
)
from lazymcp.surroundings import Surrounded, Surroundings, surrounded
from tests.lazymcp.asgi_peer import ERAS, Peer


class Given:
    """Fills every parameter called `shelf`, and keeps what happened around the calls."""

    def __init__(self, *, keeps_errors=False):
        self.asked, self.events, self.keeps_errors = [], [], keeps_errors

    def __call__(self, fn, method, name):
        self.asked.append((method, name))
        if "shelf" not in fn.__code__.co_varnames[: fn.__code__.co_argcount]:
            return None

        @asynccontextmanager
        async def opened(call):
            self.events.append(f"open for {call.transport}")
            try:
                yield {"shelf": "upper"}
            except ToolError as problem:
                self.events.append(f"heard {problem}")
                if not self.keeps_errors:
                    raise
            finally:
                self.events.append("closed")

        return Surroundings(opened, frozenset({"shelf"}))


class Shop(Base):
    name = ""

    @tool
    async def find(self, title: str, shelf: str) -> str:
        """Find a book."""
        return f"{title} on the {shelf} shelf"

    @tool
    def find_slowly(self, shelf: str, title: str) -> str:
        """Find a book, in a thread."""
        return f"{title} on the {shelf} shelf"

    @tool
    async def lose(self, shelf: str, ctx: Context) -> str:
        """Lose a book."""
        raise ToolError("it is gone")

    @tool
    async def count(self) -> int:
        """Count books."""
        return 7

    @tool
    async def anything(self, shelf: str, **more: str) -> str:
        """Take anything."""
        return shelf

    @resource("app://books/{title}")
    async def book(self, title: str, shelf: str) -> str:
        """One book."""
        return shelf

    @prompt
    def ask(self, shelf: str, title: str = "any") -> str:
        """Ask for a book."""
        return f"{title}, {shelf}"

    @completes(ask, "title")
    async def titles(self, typed: str, shelf: str) -> list[str]:
        return [f"{typed}-{shelf}"]


def serve(given):
    scope = Scope(Options(surround=given))
    scope.register(Shop())
    return Peer(scope.asgi())


async def called(peer, name, **arguments):
    return (await peer.ask("tools/call", {"name": name, "arguments": arguments})).result


@pytest.mark.parametrize("name", ["find", "find_slowly"])
async def test_a_function_gets_what_stands_around_it(name):
    given = Given()
    result = await called(serve(given), name, title="Emma")
    assert result["content"][0]["text"] == "Emma on the upper shelf"
    assert given.events == ["open for http", "closed"]


async def test_what_is_filled_is_no_argument():
    """Design, section 2: never in the schema. What a client sends under the name is refused like any unknown argument."""
    peer = serve(Given())
    tools = {entry["name"]: entry for entry in (await peer.ask("tools/list")).result["tools"]}
    assert set(tools["find"]["inputSchema"]["properties"]) == {"title"}
    told = await called(peer, "find", title="Emma", shelf="mine")
    assert told["isError"]
    assert "unknown argument 'shelf'" in told["content"][0]["text"]
    assert (await called(peer, "anything", shelf="mine"))["content"][0]["text"] == "upper"
    prompts = (await peer.ask("prompts/list")).result["prompts"]
    assert [argument["name"] for argument in prompts[0]["arguments"]] == ["title"]


async def test_what_stands_around_hears_the_error_of_the_call():
    given = Given()
    told = await called(serve(given), "lose")
    assert (told["isError"], told["content"][0]["text"]) == (True, "it is gone")
    assert given.events == ["open for http", "heard it is gone", "closed"]


async def test_a_kept_error_makes_no_success():
    """Nothing was returned, so there is nothing that a client could be told instead."""
    told = await called(serve(Given(keeps_errors=True)), "lose")
    assert (told["isError"], told["content"][0]["text"]) == (True, "it is gone")


async def test_resources_prompts_and_completions_have_surroundings_too():
    peer = serve(Given())
    assert (await peer.ask("resources/read", {"uri": "app://books/Emma"})).result["contents"][0]["text"] == "upper"
    assert (await peer.ask("prompts/get", {"name": "ask"})).result["messages"][0]["content"]["text"] == "any, upper"
    ref = {"ref": {"type": "ref/prompt", "name": "ask"}, "argument": {"name": "title", "value": "Em"}}
    assert (await peer.ask("completion/complete", ref)).result["completion"]["values"] == ["Em-upper"]


async def test_each_function_is_asked_for_once_and_by_its_published_name():
    """At registration, and at no call: a function without surroundings is called as if there were no hook."""
    given = Given()
    peer = serve(given)
    asked = list(given.asked)
    assert ("tools/call", "find") in asked
    assert ("resources/read", "app://books/{title}") in asked
    assert ("completion/complete", "ask") in asked
    await called(peer, "count")
    await called(peer, "find", title="Emma")
    assert given.asked == asked


@pytest.mark.parametrize("era", ERAS)
async def test_every_revision_is_served_so(era):
    peer = serve(Given())
    peer.era = era
    if era != ERAS[0]:
        await peer.initialize()
    assert (await called(peer, "find", title="Emma"))["content"][0]["text"] == "Emma on the upper shelf"


def test_a_spec_without_functions_stays_as_it_is():
    for spec in (AppSpec(desc="A page.", html="<p>"), PromptSpec(desc="Words.", messages=["hi"])):
        assert surrounded(spec, Given(), "x", "y") is spec
    spec = ResourceSpec(read=Shop().count)
    assert surrounded(spec, None, "x", "y") is spec
    assert surrounded(spec, Given(), "x", "y") is spec


def test_a_surrounded_function_can_still_be_called():
    shop = Shop()
    spec = surrounded(ToolSpec(fn=shop.find_slowly), Given(), "tools/call", "find")
    assert isinstance(spec.fn, Surrounded)
    assert spec.fn("lower", title="Emma") == "Emma on the lower shelf"
