"""lazymcp/param_headers.py: MCP 2026-07-28, basic/transports/streamable-http, "Custom headers from tool parameters" (SEP-2243)."""

import base64
import json
from typing import Annotated, Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from mcp.shared import inbound
from pydantic import BaseModel, Field

from lazyauth import Claims, User, signed_in
from lazymcp import Base, ParamHeader, RegistrationError, Scope, ToolSpec, tool
from lazymcp.errors import HeaderMismatch
from lazymcp.param_headers import check_params, headed, repeated
from tests.lazymcp.asgi_peer import ERAS, OLDER, send_raw, served


class Place(BaseModel):
    zone: Annotated[str, ParamHeader("Zone")] = "a"
    note: str = ""


class Cloud(Base):
    name = ""

    @tool
    async def deploy(
        self,
        region: Annotated[str, ParamHeader("Region")],
        replicas: Annotated[int | None, ParamHeader("Replicas"), Field(le=1000)] = None,
        dry: bool = Field(False, json_schema_extra={"x-mcp-header": "Dry-Run"}),
        place: Place | None = None,
    ) -> str:
        """Deploy."""
        return region

    @tool
    async def plain(self, region: str = "") -> str:
        """No header."""
        return region

    def verbatim_tool(self) -> ToolSpec:
        schema = {"type": "object", "properties": {"team": {"type": "string", "x-mcp-header": "Team"}}}
        return ToolSpec(desc="As it stands.", fn=self.anything, input_schema=schema)

    async def anything(self, **arguments: Any) -> str:
        return json.dumps(arguments)


def encoded(text: str) -> str:
    return f"=?base64?{base64.b64encode(text.encode()).decode()}?="


@pytest.fixture(scope="module")
def peer():
    return served(Cloud())


async def deploy(peer, arguments, **headers):
    sent = {f"mcp-param-{name.replace('_', '-')}": value for name, value in headers.items()}
    return await peer.ask("tools/call", {"name": "deploy", "arguments": arguments}, headers=sent)


@pytest.mark.parametrize("era", ERAS)
async def test_what_is_marked_is_published_under_its_key(era):
    listed = {entry["name"]: entry["inputSchema"] for entry in (await served(Cloud(), era=era).ask("tools/list")).result["tools"]}
    assert inbound.x_mcp_header_map(listed["deploy"]) == {
        ("region",): "Region",
        ("replicas",): "Replicas",
        ("dry",): "Dry-Run",
        ("place", "zone"): "Zone",
    }
    assert all(inbound.find_invalid_x_mcp_header(schema) is None for schema in listed.values())
    assert inbound.x_mcp_header_map(listed["verbatim"]) == {("team",): "Team"}


@pytest.mark.parametrize(
    ("arguments", "headers"),
    [
        ({"region": "eu"}, {"region": "eu"}),
        ({"region": "eu"}, {"region": " \teu "}),
        ({"region": "eu"}, {"region": encoded("eu")}),
        ({"region": "Zürich"}, {"region": encoded("Zürich")}),
        ({"region": ""}, {"region": ""}),
        ({"region": "=?base64?eu"}, {"region": "=?base64?eu"}),
        ({"region": "eu?="}, {"region": "eu?="}),
        ({"region": "eu", "replicas": 42}, {"region": "eu", "replicas": "42"}),
        ({"region": "eu", "replicas": 42}, {"region": "eu", "replicas": "42.0"}),
        ({"region": "eu", "replicas": 42.0}, {"region": "eu", "replicas": "42"}),
        ({"region": "eu", "replicas": -1}, {"region": "eu", "replicas": encoded("-1")}),
        ({"region": "eu", "replicas": None}, {"region": "eu"}),
        ({"region": "eu", "replicas": "5"}, {"region": "eu", "replicas": "5"}),
        ({"region": "eu", "dry": True}, {"region": "eu", "dry_run": "true"}),
        ({"region": "eu", "dry": False}, {"region": "eu", "dry_run": "false"}),
        ({"region": "eu", "place": {"zone": "b"}}, {"region": "eu", "zone": "b"}),
        ({"region": "eu", "place": {"note": "b"}}, {"region": "eu"}),
        ({"region": "eu", "place": {"zone": "b"}}, {"region": "eu", "zone": "b", "other": "ignored"}),
    ],
)
async def test_headers_that_repeat_the_arguments_are_served(peer, arguments, headers):
    answer = await deploy(peer, arguments, **headers)
    assert (answer.status, answer.result["content"]) == (200, [{"type": "text", "text": arguments["region"]}]) or arguments.get(
        "replicas"
    ) == -1


@pytest.mark.parametrize(
    ("arguments", "headers"),
    [
        ({"region": "eu"}, {}),
        ({"region": "eu"}, {"region": "us"}),
        ({"region": "eu"}, {"region": "EU"}),
        ({"region": "eu"}, {"region": ""}),
        ({"region": "eu"}, {"region": encoded("us")}),
        ({"region": "Hello"}, {"region": "=?base64?SGVsbG8?="}),  # no padding
        ({"region": "Hello"}, {"region": "=?base64?SGVs!!!bG8=?="}),
        ({"region": "Hello"}, {"region": "=?base64?SGVsbG9=?="}),  # stray bits
        ({"region": "Hello"}, {"region": "=?BASE64?SGVsbG8=?="}),
        ({"region": "Hello"}, {"region": "SGVsbG8="}),
        ({"region": "Hello"}, {"region": "=?base64?SGVsbG8="}),
        ({"region": "Zürich"}, {"region": "Zürich"}),
        ({"region": "eu", "replicas": 42}, {"region": "eu"}),
        ({"region": "eu", "replicas": 42}, {"region": "eu", "replicas": "43"}),
        ({"region": "eu", "replicas": 42}, {"region": "eu", "replicas": "42.5"}),
        ({"region": "eu", "replicas": 42}, {"region": "eu", "replicas": "4.2e1"}),
        ({"region": "eu", "replicas": 42}, {"region": "eu", "replicas": "٤٢".encode().decode("latin-1")}),
        ({"region": "eu", "replicas": 42}, {"region": "eu", "replicas": "9" * 5000}),
        ({"region": "eu", "replicas": 2**53}, {"region": "eu", "replicas": str(2**53)}),
        ({"region": "eu", "replicas": True}, {"region": "eu", "replicas": "1"}),
        ({"region": "eu", "replicas": None}, {"region": "eu", "replicas": "null"}),
        ({"region": "eu"}, {"region": "eu", "replicas": "1"}),
        ({"region": "eu", "dry": True}, {"region": "eu", "dry_run": "True"}),
        ({"region": "eu", "dry": True}, {"region": "eu", "dry_run": "1"}),
        ({"region": "eu", "place": {"zone": "b"}}, {"region": "eu"}),
        ({"region": "eu", "place": {"zone": "b"}}, {"region": "eu", "zone": "c"}),
        ({"region": "eu", "place": "b"}, {"region": "eu", "zone": "b"}),
        ({"region": ["eu"]}, {"region": "eu"}),
        ([], {"region": "eu"}),
    ],
)
async def test_headers_that_do_not_are_refused(peer, arguments, headers):
    answer = await deploy(peer, arguments, **headers)
    assert (answer.status, answer.error["code"], answer.messages[0]["id"]) == (400, -32020, 7)


async def test_an_argument_that_no_header_can_repeat_is_the_tools_to_refuse(peer):
    answer = await deploy(peer, {"region": ["eu"]})
    assert answer.result["isError"] is True


async def test_a_header_stands_once(peer):
    message = peer.message("tools/call", {"name": "deploy", "arguments": {"region": "eu"}})
    headers = [(name.encode(), value.encode()) for name, value in peer.headers_for(message).items()]
    headers += [(b"mcp-param-region", b"eu"), (b"mcp-param-region", b"eu")]
    answer = await send_raw(peer.app, headers, [json.dumps(message).encode()])
    assert (answer.status, answer.error["code"]) == (400, -32020)


async def test_other_tools_and_methods_ask_for_no_header(peer):
    assert (await peer.ask("tools/call", {"name": "plain", "arguments": {"region": "eu"}})).status == 200
    stray = {"mcp-param-region": "us"}
    assert (await peer.ask("tools/call", {"name": "plain", "arguments": {"region": "eu"}}, headers=stray)).status == 200
    assert (await peer.ask("tools/list", headers=stray)).status == 200
    for name in (None, ["deploy"], "nobody"):
        assert (await peer.ask("tools/call", {"name": name, "arguments": {"region": "eu"}})).error["code"] == -32602


@pytest.mark.parametrize("era", OLDER)
async def test_older_clients_know_of_no_such_headers(era):
    older = served(Cloud(), era=era)
    assert (await deploy(older, {"region": "eu"}, region="us")).result["content"] == [{"type": "text", "text": "eu"}]


async def test_a_tool_that_the_caller_may_not_see_asks_for_no_header(peer):
    """Design, section 4: what the authorizer hides answers exactly like the unknown."""
    with signed_in(User("eve"), Claims({"sub": "eve", "mcps": ["other"]})):
        hidden = await deploy(peer, {"region": "eu"})
        unknown = await peer.ask("tools/call", {"name": "nobody", "arguments": {"region": "eu"}})
    assert (hidden.status, hidden.error["code"]) == (unknown.status, unknown.error["code"]) == (400, -32602)


def marked(schema: Any, **more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"a": schema, **more}}


WRONG = [
    (marked({"type": "string", "x-mcp-header": ""}), "names the header ''"),
    (marked({"type": "string", "x-mcp-header": "a b"}), "names the header 'a b'"),
    (marked({"type": "string", "x-mcp-header": "a:b"}), "names the header"),
    (marked({"type": "string", "x-mcp-header": "é"}), "names the header"),
    (marked({"type": "string", "x-mcp-header": "a\n"}), "names the header"),
    (marked({"type": "string", "x-mcp-header": 5}), "names the header 5"),
    (marked({"type": "number", "x-mcp-header": "A"}), "the parameter a is number"),
    (marked({"type": ["string", "null"], "x-mcp-header": "A"}), "give it a default instead of allowing null"),
    (marked({"x-mcp-header": "A"}), "the parameter a is None"),
    (marked({"type": "array", "items": {"type": "string"}, "x-mcp-header": "A"}), "the parameter a is array"),
    (marked({"type": "array", "items": {"type": "string", "x-mcp-header": "A"}}), "cannot repeat"),
    (marked({"anyOf": [{"type": "string", "x-mcp-header": "A"}, {"type": "integer"}]}), "cannot repeat"),
    (marked({"$ref": "#/$defs/A"}) | {"$defs": {"A": {"type": "string", "x-mcp-header": "A"}}}, "cannot repeat"),
    (marked({}) | {"if": marked({"type": "string", "x-mcp-header": "A"})}, "cannot repeat"),
    (marked({}) | {"x-mcp-header": "A"}, "cannot repeat"),
    (
        marked({"type": "string", "x-mcp-header": "Region"}, b={"type": "string", "x-mcp-header": "rEGION"}),
        "the header Mcp-Param-rEGION repeats both a and b",
    ),
    (marked({"type": "integer", "maximum": 2**60, "x-mcp-header": "A"}), "beyond 2"),
    (marked({"type": "integer", "enum": [1, -(2**53)], "x-mcp-header": "A"}), "beyond 2"),
]


@pytest.mark.parametrize(("schema", "reason"), WRONG)
def test_what_a_client_would_drop_the_tool_for_is_refused_at_registration(schema, reason):
    class Module(Base):
        def one_tool(self) -> ToolSpec:
            return ToolSpec(desc="One.", fn=lambda **arguments: None, input_schema=schema)

    with pytest.raises(RegistrationError, match=reason) as caught:
        Scope().register(Module())
    assert caught.value.place.startswith("tests/lazymcp/test_param_headers.py:")
    assert inbound.find_invalid_x_mcp_header(schema) is not None or "beyond" in reason


@pytest.mark.parametrize(
    "annotation",
    [
        Annotated[float, ParamHeader("A")],
        Annotated[str | None, ParamHeader("A")],
        Annotated[list[str], ParamHeader("A")],
        list[Annotated[str, ParamHeader("A")]],
        Annotated[Place, ParamHeader("A")],
        Annotated[int | str, ParamHeader("A")],
        Annotated[str, ParamHeader("not a token")],
    ],
)
def test_a_mark_on_another_type_is_refused_too(annotation):
    async def fn(a: Any) -> None:
        """One."""

    fn.__annotations__["a"] = annotation

    class Module(Base):
        def one_tool(self) -> ToolSpec:
            return ToolSpec(fn=fn)

    with pytest.raises(RegistrationError, match=r"tool module\.one: "):
        Scope().register(Module())


@pytest.mark.parametrize(
    "data", [{"default": {"x-mcp-header": "A"}}, {"enum": [{"x-mcp-header": 5}]}, {"const": {"x-mcp-header": ""}}]
)
def test_data_in_a_schema_is_no_mark(data):
    assert headed(marked(data)) == ()


names = st.sampled_from(["a", "b", "c"])
marks = st.sampled_from(["A", "a", "B", "C-1", "", "x y", 5, None])
leaves = st.fixed_dictionaries(
    {"type": st.sampled_from(["string", "integer", "boolean", "number", "object", ["string", "null"], None])},
    optional={"x-mcp-header": marks},
)
schemas = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.builds(lambda kids: {"type": "object", "properties": kids}, st.dictionaries(names, inner, max_size=2)),
        st.builds(lambda child: {"type": "array", "items": child}, inner),
        st.builds(lambda kids: {"anyOf": kids}, st.lists(inner, max_size=2)),
        st.builds(lambda kids: {"$defs": kids}, st.dictionaries(names, inner, max_size=2)),
    ),
    max_leaves=6,
)


@given(schemas)
def test_what_is_refused_is_what_the_official_client_drops(schema):
    """The client filters its list by the same rules (python-sdk 2.3.0)."""
    try:
        found = {one.path: one.header.removeprefix("Mcp-Param-") for one in headed(schema)}
    except RegistrationError:
        assert inbound.find_invalid_x_mcp_header(schema) is not None
    else:
        assert inbound.find_invalid_x_mcp_header(schema) is None
        assert found == inbound.x_mcp_header_map(schema)


SCHEMA = {
    "properties": {
        "s": {"type": "string", "x-mcp-header": "S"},
        "i": {"type": "integer", "x-mcp-header": "I"},
        "b": {"type": "boolean", "x-mcp-header": "B"},
        "o": {"type": "object", "properties": {"s": {"type": "string", "x-mcp-header": "Os"}}},
    }
}
ASKED = headed(SCHEMA)
MAP = {one.path: one.header.removeprefix("Mcp-Param-") for one in ASKED}
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12) | st.sampled_from(
    ["=?base64?YQ==?=", "=?base64?", "?=", " a "]
)
arguments = st.fixed_dictionaries(
    {},
    optional={
        "s": texts | st.none(),
        "i": st.integers(-(2**53) + 1, 2**53 - 1) | st.integers(-99, 99).map(float) | texts,
        "b": st.booleans(),
        "o": st.fixed_dictionaries({}, optional={"s": texts}) | st.none(),
    },
)


def raw(headers: dict[str, str]) -> dict[bytes, bytes]:
    return {name.lower().encode(): value.encode("latin-1") for name, value in headers.items()}


@given(arguments)
@example({"s": "=?base64?YQ==?="})
def test_what_the_official_client_sends_is_served(sent):
    official = inbound.mcp_param_headers(MAP, sent)
    check_params(ASKED, raw(official), sent)
    ours = dict(repeated(SCHEMA, sent))  # as the preview of a tool and `lazyapp.testing` send them
    check_params(ASKED, raw(ours), sent)
    assert raw(ours).keys() == raw(official).keys()


@pytest.mark.parametrize("schema", [None, [], {"properties": []}, {"properties": {"a": 1}}, {"properties": {"a": {}}}])
def test_what_is_no_schema_marks_nothing(schema):
    assert list(repeated(schema, {"a": [1]})) == list(repeated(SCHEMA, [])) == []


@given(arguments, arguments)
def test_headers_of_other_arguments_are_refused(sent, others):
    """Whatever two requests differ in, the headers of one never pass for the other."""

    def flat(found: dict[str, Any]) -> dict[str, Any]:
        nested = (found.get("o") or {}).get("s")
        plain = {name: found.get(name) for name in ("s", "i", "b")}
        return {
            name: repr(value) if isinstance(value, str | bool | None) else str(int(value))
            for name, value in {**plain, "os": nested}.items()
        }

    headers = raw(inbound.mcp_param_headers(MAP, others))
    numbers = {repr(found.get("i")) for found in (sent, others)}
    if flat(sent) == flat(others):
        check_params(ASKED, headers, sent)
    elif not any(isinstance(found.get("i"), str) for found in (sent, others)) or len(numbers) == 1:
        with pytest.raises(HeaderMismatch):
            check_params(ASKED, headers, sent)
