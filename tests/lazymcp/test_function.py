"""lazymcp/function.py: signatures read once, arguments bound strictly where silence hurts and leniently where nothing is lost."""

import asyncio
import functools
import re
import threading
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Annotated, Any, Literal, TypeVar
from uuid import UUID

import pytest
from fastapi import Depends, Header, Query, Security
from fastapi.params import Depends as Dependency
from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import TypeAliasType, TypedDict

from lazymcp import Base, Context, RegistrationError, Scope, prompt, resource, tool
from lazymcp.function import BadArguments, Function
from lazymcp.no_link import NoLink

CTX = Context(NoLink(None), {}, {}, {})


def schema_of(fn):
    return Function(fn).schema


def test_a_signature_is_a_schema():
    def search(
        text: str,
        limit: Annotated[int, Field(ge=1, description="How many.")] = 10,
        kind: Literal["a", "b"] = "a",
        since: date | None = None,
        tags: list[str] = Field(default_factory=list, description="All of them."),  # noqa: B008 - as users write it
        *,
        exact: bool = False,
    ) -> None:
        """Search.

        Args:
            text: What to look for.
            limit: Not this, but what Field says.
            exact: Whether case counts.
        """

    assert schema_of(search) == {
        "type": "object",
        "properties": {
            "text": {"type": "string", "description": "What to look for."},
            "limit": {"type": "integer", "minimum": 1, "description": "How many.", "default": 10},
            "kind": {"type": "string", "enum": ["a", "b"], "default": "a"},
            "since": {"type": "string", "format": "date"},
            "tags": {"type": "array", "items": {"type": "string"}, "description": "All of them."},
            "exact": {"type": "boolean", "description": "Whether case counts.", "default": False},
        },
        "required": ["text"],
        "additionalProperties": False,
    }
    assert Function(search).summary == "Search."


def test_no_arguments_are_an_empty_object():
    """MCP 2026-07-28, server/tools: the root of an input schema is an object."""
    assert schema_of(lambda: None) == {"type": "object", "properties": {}, "additionalProperties": False}


class Params(BaseModel):
    x: int
    y: int = 2


@dataclass
class DataParams:
    x: int
    y: int = 2


class DictParams(TypedDict):
    x: int


@pytest.mark.parametrize("kind", [Params, DataParams, DictParams])
async def test_one_model_called_params_is_flattened(kind):
    """Design, section 2."""

    async def fn(params, ctx: Context):
        return params, ctx

    fn.__annotations__["params"] = kind
    function = Function(fn)
    assert function.schema["properties"]["x"] == {"type": "integer"}
    assert function.schema["additionalProperties"] is False
    params, ctx = await function.call(function.bind({"x": "1"}), CTX)
    assert (params["x"] if kind is DictParams else params.x) == 1
    assert ctx is CTX
    with pytest.raises(BadArguments, match="unknown argument 'z'"):
        function.bind({"x": 1, "z": 2})


def test_a_model_beside_others_or_under_another_name_is_an_argument():
    def beside(params: Params, other: int): ...
    def renamed(query: Params): ...

    assert set(schema_of(beside)["properties"]) == {"params", "other"}
    assert set(schema_of(renamed)["properties"]) == {"query"}


def test_a_model_that_takes_anything_gets_everything():
    class Open(BaseModel):
        model_config = ConfigDict(extra="allow")
        x: int = 1

    def fn(params: Open): ...

    assert Function(fn).bind({"z": 3})["params"].z == 3


async def test_the_context_is_given_by_type_wherever_it_stands():
    def first(ctx: Context, a: int):
        return ctx, a

    async def last(a: int, request: Context | None = None):
        return request, a

    def text(a: int, it: "Context"):
        return it, a

    for fn in (first, last, text):
        function = Function(fn)
        assert list(function.schema["properties"]) == ["a"]
        assert await function.call(function.bind({"a": 1}), CTX) == (CTX, 1)
        with pytest.raises(BadArguments):
            function.bind({"a": 1, "ctx": 1, "request": 1, "it": 1})


def bound(annotation: Any, value: Any) -> Any:
    def fn(a): ...

    fn.__annotations__["a"] = annotation
    return Function(fn).bind({"a": value})["a"]


@pytest.mark.parametrize(
    ("annotation", "value", "expected"),
    [
        (int, "5", 5),
        (int, 5.0, 5),
        (float, "1.5", 1.5),
        (float, 3, 3.0),
        (bool, "true", True),
        (date, "2026-11-30", date(2026, 11, 30)),
        (Decimal, "1.10", Decimal("1.10")),
        (UUID, "12345678-1234-5678-1234-567812345678", UUID("12345678-1234-5678-1234-567812345678")),
        (tuple[int, str], [1, "a"], (1, "a")),
        (set[int], [1, 2, 1], {1, 2}),
    ],
)
def test_what_loses_nothing_is_read(annotation, value, expected):
    assert bound(annotation, value) == expected


@pytest.mark.parametrize("value", ["123", "true", "null", "[1]", '{"a": 1}', "1e3", ""])
def test_a_string_stays_what_it_is(value):
    """https://github.com/modelcontextprotocol/python-sdk/issues/381, https://github.com/PrefectHQ/fastmcp/issues/166."""
    for annotation in (str, str | None, int | str, str | list[int], Any, dict | str):
        assert bound(annotation, value) == value


@pytest.mark.parametrize(("annotation", "value"), [(int, "5.5"), (int, "x"), (str, 5), (str, None), (list[int], "1,2"), (bool, 2)])
def test_what_would_lose_something_is_refused(annotation, value):
    with pytest.raises(BadArguments, match=r"^argument 'a': "):
        bound(annotation, value)


def test_the_sentence_says_what_would_fit():
    def fn(count: int, names: list[str]): ...

    function = Function(fn)
    with pytest.raises(BadArguments, match=r"unknown argument 'cuont', did you mean 'count'\? \(known arguments: count, names\)"):
        function.bind({"cuont": 1})
    with pytest.raises(
        BadArguments, match=r"^argument 'count' is missing; argument 'names.1': input should be a valid string, got 5$"
    ):
        function.bind({"names": ["a", 5]})
    with pytest.raises(BadArguments) as caught:
        function.bind({"count": "x" * 10_000, "names": list(range(100))})
    assert len(str(caught.value)) < 1000
    assert "and 96 more" in str(caught.value)
    with pytest.raises(BadArguments, match=r"^1001 values are not as the schema says$"):
        function.bind({"count": 1, "names": [0] * 1001})


async def test_a_default_is_the_functions_own():
    marker = object()

    def fn(a=marker, b: list[int] = [1], c: int | None = None, d: Annotated[int, Field(alias="from")] = 3):  # noqa: B006 - as users write it
        return a, b, c, d

    function = Function(fn)
    assert await function.call(function.bind({}), CTX) == (marker, [1], None, 3)
    assert "default" not in function.schema["properties"]["a"]
    assert await function.call(function.bind({"c": None, "from": 4}), CTX) == (marker, [1], None, 4)


async def test_a_function_that_is_not_async_runs_in_a_thread():
    """https://github.com/modelcontextprotocol/python-sdk/issues/1646."""
    loop_thread = threading.get_ident()

    def fn():
        return threading.get_ident()

    async def late():
        return "late"

    assert await Function(fn).call({}, CTX) != loop_thread
    assert (await Function(threading.current_thread).call({}, CTX)).name.startswith("lazymcp-tool-")
    assert await Function(lambda: late()).call({}, CTX) == "late"


async def test_a_thread_that_raises_stop_iteration_is_heard():
    """A future cannot hold StopIteration, and would wait for ever."""

    def fn():
        next(iter([]))

    with pytest.raises(RuntimeError, match="StopIteration"):
        await asyncio.wait_for(Function(fn).call({}, CTX), 5)


async def test_partials_and_callable_objects_are_functions_too():
    def add(a: int, b: int):
        return a + b

    class Adder:
        async def __call__(self, b: int):
            return b + 1

    for fn in (functools.partial(add, 1), Adder()):
        function = Function(fn)
        assert list(function.schema["properties"]) == ["b"]
        assert await function.call(function.bind({"b": "2"}), CTX) == 3


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("def fn(*names): ...", r"\*names: name each argument"),
        ("def fn(a, /): ...", "a by position only"),
        ("def fn(self, a): ...", "not bound to its module"),
        ("def fn(a: 'Nowhere'): ...", "Nowhere"),
        ("def fn(a: type(lambda: 0)): ...", "no JSON form"),
        ("async def fn():\n  yield 1", "an async generator cannot be published: return a list"),
    ],
)
def test_a_signature_that_cannot_be_called_by_name_is_refused(source, reason):
    namespace = {}
    exec(source, namespace)
    with pytest.raises(RegistrationError, match=reason):
        Function(namespace["fn"])


def secret_of_the_server() -> str:
    return "injected"


class Own(Dependency):
    """A marker that an application derives from FastAPI's."""


T = TypeVar("T")
Alias = TypeAliasType("Alias", Annotated[str, Depends(secret_of_the_server)])
GenericAlias = TypeAliasType("GenericAlias", Annotated[T, Depends(secret_of_the_server)], type_params=(T,))
Tree = TypeAliasType("Tree", "dict[str, Tree] | str")


def default(a: str = Depends(secret_of_the_server)): ...
def annotated(a: Annotated[str, Depends(secret_of_the_server)]): ...
def with_default(a: Annotated[str, Depends(secret_of_the_server)] = "x"): ...
def optional(a: Annotated[str, Depends(secret_of_the_server)] | None = None): ...
def nested(a: list[Annotated[str, Depends(secret_of_the_server)]]): ...
def twice(a: Annotated[Annotated[str, Depends(secret_of_the_server)], Field(description="x")]): ...
def alias(a: Alias): ...
def generic_alias(a: GenericAlias[str]): ...
def named(a: "Annotated[str, Depends(secret_of_the_server)]"): ...
def not_called(a: Annotated[str, Depends]): ...
def secured(a: Annotated[str, Security(secret_of_the_server)]): ...
def derived(a: Annotated[str, Own(secret_of_the_server)]): ...
def header(a: Annotated[str, Header()]): ...
def query(a: str = Query("x")): ...
def keyword(*, a: str = Depends(secret_of_the_server)): ...
def beside_context(ctx: Context, a: Annotated[str, Depends(secret_of_the_server)]): ...


INJECTED = [default, annotated, with_default, optional, nested, twice, alias, named, not_called, secured, derived, header, query]
INJECTED += [generic_alias, keyword, beside_context, functools.partial(keyword)]


@pytest.mark.parametrize("fn", INJECTED, ids=lambda fn: getattr(fn, "__name__", "partial"))
def test_what_fastapi_would_inject_is_no_argument_of_the_client(fn):
    """What a dependency decides (who asks, which account) must never be a value that the client sends."""
    with pytest.raises(RegistrationError, match=r"the parameter a is marked with FastAPI's \w+.* in the constructor") as caught:
        Function(fn)
    assert re.fullmatch(r"tests/lazymcp/test_function\.py:\d+", caught.value.place)


def test_a_type_that_contains_itself_is_read_to_its_end():
    def fn(a: Tree): ...

    assert Function(fn).schema["properties"]["a"] == {"$ref": "#/$defs/Tree"}


@pytest.mark.parametrize("publish", [tool, resource("app://x/{a}"), prompt])
def test_every_kind_of_item_refuses_what_fastapi_would_inject(publish):
    class InjectedMCP(Base):
        @publish
        async def item(self, a: Annotated[str, Depends(secret_of_the_server)]) -> str:
            """An item."""
            return a

    with pytest.raises(RegistrationError, match=r"test_function\.py:\d+: the parameter a is marked with FastAPI's Depends"):
        Scope().register(InjectedMCP())


async def test_a_function_may_take_whatever_comes():
    """`ToolSpec.input_schema` may describe more than a signature can."""

    def fn(a: int, **rest: Any):
        return a, rest

    function = Function(fn)
    assert function.takes_anything
    assert await function.call(function.bind({"a": "1", "b": "2"}), CTX) == (1, {"b": "2"})
    assert "additionalProperties" not in function.schema


def test_a_context_without_its_type_is_refused():
    """It would become an argument, and the client could choose its value."""

    async def report(ctx) -> str: ...

    with pytest.raises(RegistrationError, match=r"ctx has no type: write ctx: lazymcp.Context"):
        Function(report)
