"""Clauses of MCP 2026-07-28 that no single file keeps: what holds for every method, every code, every schema and every key."""

import asyncio
import importlib
import json
import pkgutil
import re
import socket

import jsonschema
import pytest

import lazymcp
from lazymcp import AppSpec, Base, Context, RegistrationError, ToolSpec, errors, tool
from lazymcp.local import Connection
from lazymcp.methods import METHODS
from lazymcp.protocol import CAPABILITIES_KEY, LOG_LEVEL_KEY, VERSION_KEY
from tests.lazymcp.admin_module import AdminMCP
from tests.lazymcp.asgi_peer import MODERN, read_answer, send_raw, served
from tests.lazymcp.wire import DEFINED, RESERVED

EXAMPLES = {
    "tools/call": {"name": "admin.user_count"},
    "resources/read": {"uri": "app://admin/users"},
    "resources/directory/read": {"uri": "skill://admin/oncall"},
    "prompts/get": {"name": "admin.audit"},
    "skills/get": {"uri": "skill://admin/oncall/SKILL.md"},
}
# MCP 2026-07-28, basic/index, "_meta": labels, a slash, a name; three names stand without a prefix.
LABEL = r"[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?"
KEY = re.compile(rf"(?:{LABEL}(?:\.{LABEL})*/)?[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")


class Talker(Base):
    name = ""

    def __init__(self):
        self.later = []

    @tool
    async def talk(self, word: str, ctx: Context) -> str:
        """Report and log."""
        for count in range(3):
            await ctx.progress(count)
            await ctx.log(word)
            await asyncio.sleep(0)
        self.later.append(ctx)
        return word

    @tool(read_only=True, ui="ui://page", visibility=["app"])
    async def shown(self) -> None:
        """Has a page."""

    def page_app(self):
        return AppSpec(uri="ui://page", desc="A page.", html="<!doctype html>", domain="https://a.example", prefers_border=True)


def with_schema(**schemas):
    class Given(Base):
        name = ""

        def given_tool(self):
            return ToolSpec(desc="Given.", fn=self.given, **schemas)

        async def given(self, **arguments: object) -> dict[str, object]:
            return {}

    return served(Given())


@pytest.mark.requirement("MCP-BASIC-7", "MCP-BASIC-8")
@pytest.mark.parametrize(
    "method", sorted(EXAMPLES.keys() | {name for name in METHODS if name.endswith("/list")} | {"server/discover"})
)
async def test_every_method_answers_with_a_result_type_that_is_negotiated(method):
    """basic/index, "ResultType": without an extension of the client's, complete is all there is here."""
    assert (await served(AdminMCP()).ask(method, EXAMPLES.get(method))).result["resultType"] == "complete"


@pytest.mark.requirement("MCP-BASIC-11", "MCP-BASIC-12", "MCP-BASIC-13")
def test_every_code_of_ours_is_one_that_the_specification_defines():
    """basic/index, "Error Codes"; JSON-RPC 2.0, section 5.1."""
    for found in pkgutil.iter_modules(lazymcp.__path__):
        importlib.import_module(f"lazymcp.{found.name}")
    kinds = [errors.MCPError]
    for kind in kinds:
        kinds += kind.__subclasses__()
    ours = {kind.code for kind in kinds if kind.__module__.startswith("lazymcp")}
    assert all(type(code) is int for code in ours)
    assert ours & set(RESERVED) == DEFINED
    assert ours - set(RESERVED) == {-32700, -32600, -32601, -32602, -32603}
    meanings = {errors.HeaderMismatch: -32020, errors.MissingCapability: -32021, errors.UnsupportedVersion: -32022}
    assert {kind: kind.code for kind in meanings} == meanings


@pytest.mark.requirement("MCP-BASIC-17")
async def test_no_request_remembers_another():
    """basic/index, "Statelessness": version, client and capabilities come with every request, also on one connection."""

    class Seen(Base):
        name = ""

        @tool
        async def seen(self, ctx: Context) -> list[str]:
            """What is known of the client."""
            return [str(ctx.client.get("name")), ",".join(ctx.capabilities)]

    scope = lazymcp.Scope()
    scope.register(Seen())
    connection = Connection(scope._registry)

    async def send(message):
        raise AssertionError(message)

    async def call(**meta):
        params = {"name": "seen", "_meta": {VERSION_KEY: MODERN, CAPABILITIES_KEY: {}, **meta}}
        return await connection.handle({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}, send)

    told = await call(**{CAPABILITIES_KEY: {"roots": {}}, "io.modelcontextprotocol/clientInfo": {"name": "a", "version": "1"}})
    assert told["result"]["structuredContent"]["result"] == ["a", "roots"]
    assert (await call())["result"]["structuredContent"]["result"] == ["None", ""]


@pytest.mark.requirement("MCP-BASIC-26")
@pytest.mark.parametrize("missing", [VERSION_KEY, CAPABILITIES_KEY])
async def test_the_envelope_is_required_over_stdio_too(missing):
    """basic/index, "_meta"."""
    scope = lazymcp.Scope()
    scope.register(AdminMCP())
    peer = served(AdminMCP())
    message = peer.message("server/discover")
    message["params"]["_meta"].pop(missing)
    answer = await Connection(scope._registry).handle(message, None)
    if missing == VERSION_KEY:
        # Nothing says that this is a request of today, and no older revision knows the method.
        assert answer["error"]["code"] == -32601
    else:
        assert answer["error"]["code"] == -32602


@pytest.mark.requirement("MCP-BASIC-19", "MCP-BASIC-22", "MCP-TOOLS-4")
async def test_every_schema_that_is_published_is_valid_2020_12():
    """basic/index, "JSON Schema usage"."""
    for module in (AdminMCP(), Talker()):
        for entry in (await served(module).ask("tools/list")).result["tools"]:
            for key in ("inputSchema", "outputSchema"):
                if key in entry:
                    jsonschema.Draft202012Validator.check_schema(entry[key])
                    assert entry[key]["type"] == "object"


@pytest.mark.requirement("MCP-BASIC-20", "MCP-BASIC-21")
def test_a_schema_is_judged_by_the_dialect_that_it_declares():
    """basic/index, "Implementation Requirements": one dialect is spoken, and another is refused with its name."""
    schema = {"type": "object", "$schema": "https://json-schema.org/draft/2020-12/schema", "$defs": {"a": {"type": "string"}}}
    with_schema(input_schema=schema, output_schema=schema)
    for key in ("input_schema", "output_schema"):
        for dialect in ("http://json-schema.org/draft-04/schema#", "https://example.com/dialect", 7):
            with pytest.raises(RegistrationError, match=re.escape(str(dialect))):
                with_schema(**{key: schema | {"$schema": dialect}})


@pytest.mark.requirement("MCP-BASIC-23")
async def test_no_reference_is_looked_up_in_the_network(monkeypatch):
    """basic/index, "$ref Resolution": one that would have to be is refused before anyone asks for it."""

    def refuse(*arguments, **options):
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket, "create_connection", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    schema = {"type": "object", "properties": {"a": {"$ref": "https://example.com/schema.json"}}}
    for key in ("input_schema", "output_schema"):
        with pytest.raises(RegistrationError, match=r"example\.com"):
            with_schema(**{key: schema})
    local = {"type": "object", "properties": {"a": {"$ref": "#/$defs/b"}}, "$defs": {"b": {"type": "string"}}}
    peer = with_schema(input_schema=local)
    assert (await peer.ask("tools/list")).result["tools"][0]["inputSchema"] == local
    assert not (await peer.ask("tools/call", {"name": "given", "arguments": {"a": "x"}})).result.get("isError")


@pytest.mark.requirement("MCP-BASIC-25", "MCP-VERSION-3")
async def test_every_meta_key_of_ours_is_well_formed():
    """basic/index, "_meta"; basic/versioning, "Extension Negotiation"."""
    keys, extensions = set(), set()

    def walk(value):
        for name, inner in value.items() if isinstance(value, dict) else ():
            if name == "_meta":
                keys.update(inner)
            if name == "extensions":
                extensions.update(inner)
            walk(inner)
        for inner in value if isinstance(value, list) else ():
            walk(inner)

    for module in (AdminMCP(), Talker()):
        peer = served(module)
        for method in [name for name in METHODS if name.endswith("/list")] + ["server/discover"]:
            walk((await peer.ask(method)).result)
        walk((await served(AdminMCP()).ask("tools/call", EXAMPLES["tools/call"])).result)
    assert len(keys) > 5
    assert [key for key in keys if not KEY.fullmatch(key)] == []
    assert extensions
    assert [key for key in extensions if "/" not in key or not KEY.fullmatch(key)] == []


@pytest.mark.requirement("MCP-HTTP-5")
@pytest.mark.parametrize(
    ("body", "headers"),
    [
        (b'{"jsonrpc":"2.0","method":5}', {}),
        (b'{"jsonrpc":"1.0","method":"notifications/x"}', {}),
        (b'{"jsonrpc":"2.0","method":"notifications/x","params":[]}', {}),
        (b'{"jsonrpc":"2.0","method":"notifications/x"}', {"origin": "https://evil.example.com"}),
    ],
)
async def test_a_notification_that_cannot_be_accepted_is_an_error_of_http(body, headers):
    """basic/transports/streamable-http, "Sending Messages": the error has no id."""
    peer = served(AdminMCP())
    answer = await peer.post(body, {**peer.headers_for(peer.message("notifications/x")), **headers})
    assert 400 <= answer.status < 500
    assert answer.messages[-1]["id"] is None


@pytest.mark.requirement("MCP-HTTP-28")
async def test_names_of_headers_have_no_case_and_values_have():
    """basic/transports/streamable-http, "Case Sensitivity". Names arrive in lower case (ASGI)."""
    peer = served(AdminMCP())
    assert (await peer.ask("tools/call", EXAMPLES["tools/call"], headers={"mcp-method": "Tools/Call"})).error["code"] == -32020
    assert (await peer.ask("tools/call", EXAMPLES["tools/call"], headers={"mcp-name": "Admin.user_count"})).error["code"] == -32020
    message = peer.message("tools/list")
    raw = [(name.upper().lower().encode(), value.encode()) for name, value in peer.headers_for(message).items()]
    assert (await send_raw(peer.app, raw, [json.dumps(message).encode()])).status == 200


@pytest.mark.requirement("MCP-HTTP-7", "MCP-PROGRESS-3", "MCP-LOGGING-3")
async def test_what_a_stream_carries_belongs_to_its_request():
    """basic/transports/streamable-http, "Receiving Messages": two calls at once, each with its own token and words."""
    peer = served(Talker())

    async def call(word):
        answer = await peer.ask(
            "tools/call", {"name": "talk", "arguments": {"word": word}}, progressToken=word, **{LOG_LEVEL_KEY: "debug"}
        )
        assert answer.result["content"][0]["text"] == word
        told = [message["params"] for message in answer.messages[:-1]]
        assert {params.get("progressToken", params.get("data")) for params in told} == {word}
        assert len(told) == 6

    await asyncio.gather(*(call(f"word-{number}") for number in range(10)))


@pytest.mark.requirement("MCP-PROGRESS-4")
@pytest.mark.parametrize("accept", ["application/json, text/event-stream", "text/event-stream"])
async def test_nothing_follows_the_answer(accept):
    """basic/patterns/progress: a context that outlives its request is silent, and does no harm."""
    module = Talker()
    peer = served(module)
    message = peer.message("tools/call", {"name": "talk", "arguments": {"word": "x"}}, progressToken=1, **{LOG_LEVEL_KEY: "debug"})
    headers = [(name.encode(), value.encode()) for name, value in {**peer.headers_for(message), "accept": accept}.items()]
    arriving = asyncio.Queue()
    arriving.put_nowait({"type": "http.request", "body": json.dumps(message).encode()})
    sent = []

    async def send(event):
        sent.append(event)

    await peer.app({"type": "http", "method": "POST", "headers": headers}, arriving.get, send)
    count = len(sent)
    await module.later[0].progress(99)
    await module.later[0].log("late")
    assert len(sent) == count
    assert "result" in read_answer(sent).messages[-1]


@pytest.mark.requirement("MCP-PROGRESS-1")
@pytest.mark.parametrize("token", [1.5, True, [], {}, [1]])
async def test_a_progress_token_is_a_string_or_an_integer(token):
    """basic/patterns/progress."""
    answer = await served(Talker()).ask("tools/call", {"name": "talk", "arguments": {"word": "x"}}, progressToken=token)
    assert answer.error["code"] == -32602
