"""lazymcp/completion.py: what may be typed for an argument (MCP, server/utilities/completion)."""

import enum
from collections.abc import Iterator
from typing import Annotated, Any, Literal

import pytest
from pydantic import Field

from lazymcp import (
    Base,
    Context,
    PromptSpec,
    RegistrationError,
    ResourceSpec,
    Scope,
    ToolError,
    completes,
    prompt,
    resource,
    tool,
    user_messages,
)
from tests.lazymcp.asgi_peer import ERAS, served

EMAILS = [f"user{number}@example.com" for number in range(250)]


class Colour(enum.Enum):
    RED = "Red"
    GREEN = "green"


class Directory(Base):
    @resource("app://users/{email}{?year}")
    async def user(self, email: str, year: int = 2026) -> str:
        """A user."""
        return f"{email} {year}"

    @completes(user, "email")
    async def emails(self, typed: str, ctx: Context, year: int = 0) -> list[str]:
        return [email if year == 0 else f"{email}/{year}/{ctx.transport}" for email in EMAILS if email.startswith(typed)]

    @prompt
    def report(
        self,
        who: str,
        kind: Literal["brief", "full", "Fuller"] = "brief",
        colour: Colour | None = None,
        loud: bool = False,
        free: str = "",
        count: Annotated[int, Field(ge=0)] = 1,
        level: Literal[1, "max"] = 1,
    ) -> str:
        """Report."""
        return f"{who} {kind}"

    @completes(report, "who")
    @completes(report, "free")
    def people(self, typed: str, kind: str = "unknown") -> Iterator[str]:
        if typed == "refuse":
            raise ToolError("not today")
        if typed == "fail":
            raise ValueError("secret: hunter2")
        yield from (f"{kind} {number}" for number in range(3 if typed else 1000))

    @completes(report, "count")
    async def counts(self, typed: int):
        return [typed, typed * 10, True, Colour.RED]

    @prompt
    def plain(self, text: str) -> str:
        """Nothing completes."""
        return text

    def fixed_prompt(self) -> PromptSpec:
        return PromptSpec(desc="Without arguments.", messages=user_messages("a"))

    def told_prompt(self) -> PromptSpec:
        return PromptSpec(desc="Told.", fn=self.told, completions={"x": lambda typed: (f"{typed}!",)})

    def told(self, x: str, y: str = "") -> str:
        return x + y

    @completes(told, "y")
    def told_y(self, typed: str) -> set[str]:
        return {typed + "?"}

    def folder_resource(self) -> ResourceSpec:
        return ResourceSpec(desc="Told.", uri="app://folder/{x}", read=lambda x: x, completions={"x": lambda typed: [typed * 2]})

    @resource("app://one")
    async def one(self) -> str:
        """One."""
        return ""


USER = {"type": "ref/resource", "uri": "app://users/{email}{?year}"}
REPORT = {"type": "ref/prompt", "name": "directory.report"}


@pytest.fixture(params=ERAS, scope="module")
def peer(request):
    return served(Directory(), era=request.param)


async def asked(peer, ref, name, value, **others):
    params = {"ref": ref, "argument": {"name": name, "value": value}}
    if others:
        params["context"] = {"arguments": others}
    return await peer.ask("completion/complete", params)


async def completion(peer, ref, name, value, **others):
    result = (await asked(peer, ref, name, value, **others)).result
    return result["completion"]


async def test_a_method_completes_a_variable_of_a_template(peer):
    assert await completion(peer, USER, "email", "user24") == {
        "values": [f"user{number}@example.com" for number in (24, *range(240, 250))],
        "total": 11,
        "hasMore": False,
    }


async def test_it_may_know_the_other_arguments_and_the_request(peer):
    """2025-06-18 added `context.arguments`; values are texts and are read as the function says."""
    found = await completion(peer, USER, "email", "user249", year="2025", unknown="x")
    assert found["values"] == ["user249@example.com/2025/http"]


async def test_at_most_a_hundred_are_shown(peer):
    found = await completion(peer, USER, "email", "user")
    assert (len(found["values"]), found["total"], found["hasMore"]) == (100, 250, True)
    found = await completion(peer, REPORT, "who", "")
    assert (len(found["values"]), found.get("total"), found["hasMore"]) == (100, None, True), "a generator has no length"
    found = await completion(peer, REPORT, "who", "x", kind="full")
    assert found == {"values": ["full 0", "full 1", "full 2"], "total": 3, "hasMore": False}


@pytest.mark.parametrize(
    ("name", "typed", "values"),
    [
        ("kind", "", ["brief", "full", "Fuller"]),
        ("kind", "FU", ["full", "Fuller"]),
        ("kind", "x", []),
        ("colour", "r", ["Red"]),
        ("loud", "", ["true", "false"]),
        ("loud", "T", ["true"]),
        ("level", "", ["max"]),
    ],
)
async def test_an_argument_that_allows_a_few_texts_completes_by_itself(peer, name, typed, values):
    assert await completion(peer, REPORT, name, typed) == {"values": values, "total": len(values), "hasMore": False}


async def test_one_method_may_complete_several_and_return_what_becomes_text(peer):
    assert (await completion(peer, REPORT, "free", "x"))["values"][0] == "unknown 0"
    assert (await completion(peer, REPORT, "count", "7"))["values"] == ["7", "70", "true", "Red"]
    assert (await completion(peer, REPORT, "count", "-"))["values"] == [], "not finished yet"


@pytest.mark.parametrize("spelling", ["directory.told", "directory_told"])
async def test_specs_name_their_completions_and_both_spellings_are_known(peer, spelling):
    told = {"type": "ref/prompt", "name": spelling, "title": "ignored"}
    assert (await completion(peer, told, "x", "a"))["values"] == ["a!"]
    assert (await completion(peer, told, "y", "a"))["values"] == ["a?"]
    folder = {"type": "ref/resource", "uri": "app://folder/{x}"}
    assert (await completion(peer, folder, "x", "a"))["values"] == ["aa"]


async def test_an_argument_without_completion_has_none(peer):
    plain = {"type": "ref/prompt", "name": "directory.plain"}
    assert await completion(peer, plain, "text", "a") == {"values": [], "total": 0, "hasMore": False}


async def test_a_failure_is_told_by_its_id(peer, caplog):
    assert (await asked(peer, REPORT, "who", "refuse")).error["message"] == "not today"
    error = (await asked(peer, REPORT, "who", "fail")).error
    assert error["code"] == -32603
    assert caplog.records[-1].args[1] in error["message"]
    assert "hunter2" not in error["message"]


def registered(fn: Any, argument: str = "x") -> None:
    class Module(Base):
        def one_prompt(self) -> PromptSpec:
            return PromptSpec(desc="One.", fn=lambda x, y="": "", completions={argument: fn})

    Scope().register(Module())


@pytest.mark.parametrize(
    ("fn", "argument", "reason"),
    [
        (lambda typed: [], "z", "prompt module.one has no argument 'z' to complete; it has x, y"),
        ("emails", "x", "is a function, not 'emails'"),
        (lambda: (), "x", "takes the text typed so far"),
        (lambda typed, **others: [], "x", "takes the text typed so far"),
        (lambda typed, z="": [], "x", "it asks for z, which prompt module.one does not have"),
        (lambda typed, y: [], "x", "give y a default: it may not be known yet when x is completed"),
    ],
)
def test_a_function_that_cannot_complete_is_refused_at_registration(fn, argument, reason):
    with pytest.raises(RegistrationError, match=reason) as caught:
        registered(fn, argument)
    assert caught.value.place.startswith("tests/lazymcp/test_completion.py:")


def test_a_method_that_completes_what_is_not_published_is_refused():
    class Module(Base):
        @tool
        async def act(self, x: str) -> str:
            """Act."""
            return x

        @completes(act, "x")
        def xs(self, typed: str) -> list[str]:
            return []

    with pytest.raises(RegistrationError, match="@completes names act, which is no prompt or resource of this class"):
        Scope().register(Module())


@pytest.mark.parametrize("found", [None, "text", b"bytes", {"a": 1}, 5])
async def test_a_function_that_returns_no_list_fails(found, caplog):
    class Module(Base):
        def one_prompt(self) -> PromptSpec:
            return PromptSpec(desc="One.", fn=lambda x: "", completions={"x": lambda typed: found})

    error = (await asked(served(Module()), {"type": "ref/prompt", "name": "module.one"}, "x", "")).error
    assert error["code"] == -32603
    assert "returns a list of texts" in str(caplog.records[-1].exc_info[1])


async def test_what_completes_is_inherited_and_may_be_overridden():
    class Other(Directory):
        @prompt
        def report(self, who: str) -> str:
            """Report."""
            return who

        def counts(self, typed: str) -> list[str]:
            return [typed]

        def people(self, typed: str) -> list[str]:
            return ["overridden"]

    # The new report lost an argument that the class above completes.
    class Narrow(Directory):
        @prompt
        def report(self, who: str) -> str:
            """Report."""
            return who

    assert (await completion(served(Other()), {"type": "ref/prompt", "name": "other.report"}, "who", "")) == {
        "values": [],
        "total": 0,
        "hasMore": False,
    }, "a method that is overridden without the decorator completes nothing"
    with pytest.raises(RegistrationError, match="has no argument"):
        Scope().register(Narrow())
