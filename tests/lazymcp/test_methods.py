"""lazymcp/methods.py and lazymcp/legacy.py: every method, in every revision, against the models of mcp_types."""

import base64
import json

import jsonschema
import pytest

from lazyauth import Claims, User, signed_in
from lazymcp import Base, tool
from lazymcp.methods import METHODS
from lazymcp.protocol import SERVER_KEY, VERSION
from tests.lazymcp.admin_module import AdminMCP
from tests.lazymcp.asgi_peer import ERAS, MODERN, served


@pytest.fixture(params=ERAS)
def peer(request):
    return served(AdminMCP(), era=request.param, instructions="Count before you report.")


@pytest.fixture
def modern():
    return served(AdminMCP(), instructions="Count before you report.")


async def test_discover_tells_what_is_served(modern):
    """MCP 2026-07-28, server/discover."""
    result = (await modern.ask("server/discover")).result
    assert result["supportedVersions"] == [VERSION]
    assert result["instructions"] == "Count before you report."
    assert result["capabilities"] == {
        "tools": {"listChanged": True},
        "resources": {"subscribe": True, "listChanged": True},
        "prompts": {"listChanged": True},
        "logging": {},
        "extensions": {"io.modelcontextprotocol/ui": {}, "io.modelcontextprotocol/skills": {"directoryRead": True}},
    }


async def test_a_server_offers_no_more_than_it_has():
    """MCP 2026-07-28, server/discover: declared capabilities match what answers."""

    class OnlyTools(Base):
        @tool
        async def hello(self) -> str:
            """Say hello."""
            return "hello"

    found = (await served(OnlyTools()).ask("server/discover")).result["capabilities"]
    assert found == {"tools": {"listChanged": True}, "logging": {}}


@pytest.mark.parametrize("method", ["tools/list", "prompts/list", "resources/list", "resources/templates/list", "server/discover"])
async def test_a_result_is_complete_in_one_place(modern, method):
    """MCP 2026-07-28, basic/index and server/utilities/caching."""
    result = (await modern.ask(method)).result
    assert result["resultType"] == "complete"
    assert result["ttlMs"] >= 0
    assert result["cacheScope"] in {"public", "private"}
    assert result["_meta"][SERVER_KEY] == {"name": "lazymcp", "version": "0"}


async def test_the_porch_takes_out_what_came_later(peer):
    """MCP 2025-11-25 and older know neither resultType nor caching, and name the server in initialize only."""
    for method, params in [
        ("tools/list", {}),
        ("tools/call", {"name": "admin.user_count"}),
        ("resources/read", {"uri": "app://admin/users"}),
    ]:
        result = (await peer.ask(method, params)).result
        assert ("resultType" in result) is (peer.era == MODERN)
        assert ("ttlMs" in result) is (peer.era == MODERN and method != "tools/call")
        assert (SERVER_KEY in result.get("_meta", {})) is (peer.era == MODERN)


async def test_a_tool_answers_in_structure_text_and_metadata(peer):
    """The promise "Export MCP Apps"; MCP, server/tools, "Structured content"."""
    result = (await peer.ask("tools/call", {"name": "admin.user_count", "arguments": {"active": False}})).result
    assert result["structuredContent"] == {"count": 1}
    assert [json.loads(block["text"]) for block in result["content"]] == [{"count": 1}]
    assert result["_meta"]["rows"] == [{"email": "bob@example.com", "active": False}]
    listed = (await peer.ask("tools/list")).result["tools"]
    jsonschema.validate(result["structuredContent"], listed[0]["outputSchema"])


async def test_params_are_flattened(peer):
    """Design, section 2."""
    listed = {entry["name"]: entry for entry in (await peer.ask("tools/list")).result["tools"]}
    assert (
        listed["admin.user_report"]["inputSchema"]
        == listed["admin.user_count"]["inputSchema"]
        == {
            "type": "object",
            "properties": {"active": {"type": "boolean", "description": "Only active, or only inactive, users."}},
            "additionalProperties": False,
        }
    )
    result = (await peer.ask("tools/call", {"name": "admin.user_report", "arguments": {"active": True}})).result
    assert result["structuredContent"] == {"count": 2}


@pytest.mark.parametrize("name", ["admin.nothing", "", "user_count", None, 5, ["admin.user_count"], {"a": 1}])
async def test_an_unknown_tool_is_the_clients_mistake(peer, name):
    """MCP, server/tools, "Error handling": -32602, not a result."""
    answer = await peer.ask("tools/call", {"name": name})
    assert answer.error["code"] == -32602
    assert answer.status == (400 if peer.era == MODERN else 200)


@pytest.mark.parametrize("arguments", [[], "x", 5, True])
async def test_arguments_are_an_object(peer, arguments):
    assert (await peer.ask("tools/call", {"name": "admin.user_count", "arguments": arguments})).error["code"] == -32602


async def test_bad_arguments_are_news_for_the_model(peer):
    """MCP 2025-11-25: input that fails validation is a tool's error."""
    for arguments, hint in [({"activ": True}, "did you mean 'active'"), ({"active": "perhaps"}, "argument 'active'")]:
        result = (await peer.ask("tools/call", {"name": "admin.user_count", "arguments": arguments})).result
        assert result["isError"] is True
        assert hint in result["content"][0]["text"]


async def test_who_is_not_signed_in_is_told_so(peer):
    result = (await peer.ask("tools/call", {"name": "admin.whoami"})).result
    assert result == {**result, "isError": True, "content": [{"type": "text", "text": "sign in required"}]}
    with signed_in(User("ada")):
        assert (await peer.ask("tools/call", {"name": "admin.whoami"})).result["content"][0]["text"] == "ada"


async def test_resources_are_listed_and_read(peer):
    """MCP, server/resources; the promise "Export resources and prompts"."""
    listed = {entry["uri"]: entry for entry in (await peer.ask("resources/list")).result["resources"]}
    assert listed["app://admin/users"] == {
        "uri": "app://admin/users",
        "name": "users",
        "description": "Current users.",
        "mimeType": "application/json",
    }
    (item,) = (await peer.ask("resources/read", {"uri": "app://admin/users"})).result["contents"]
    assert item["mimeType"] == "application/json"
    assert [row["email"] for row in json.loads(item["text"])] == ["ada@example.com", "bob@example.com", "é@example.com"]
    (item,) = (await peer.ask("resources/read", {"uri": "app://admin/summary"})).result["contents"]
    assert item == {"uri": "app://admin/summary", "mimeType": "application/json", "text": '{"count":3}'}


async def test_templates_are_listed_and_matched(peer):
    """RFC 6570; https://github.com/modelcontextprotocol/python-sdk/issues/159: values are decoded once."""
    (template,) = (await peer.ask("resources/templates/list")).result["resourceTemplates"]
    assert template["uriTemplate"] == "app://admin/users/{email}"
    for uri in ("app://admin/users/bob@example.com", "app://admin/users/bob%40example.com"):
        (item,) = (await peer.ask("resources/read", {"uri": uri})).result["contents"]
        assert item["uri"] == uri
        assert json.loads(item["text"])["email"] == "bob@example.com"
    assert (await peer.ask("resources/read", {"uri": "app://admin/users/%C3%A9%40example.com"})).result["contents"]


@pytest.mark.parametrize("uri", ["app://admin/nothing", "app://admin/users/nobody", "skill://admin/nothing/SKILL.md", "ui://x", ""])
async def test_an_unknown_resource_has_the_error_of_its_era(peer, uri):
    """MCP 2026-07-28: -32602 with the URI; before, -32002."""
    answer = await peer.ask("resources/read", {"uri": uri})
    assert answer.error["code"] == (-32602 if peer.era == MODERN else -32002)
    assert answer.error["data"] == {"uri": uri}


async def test_prompts_are_listed_and_written(peer):
    """MCP, server/prompts."""
    listed = {entry["name"]: entry for entry in (await peer.ask("prompts/list")).result["prompts"]}
    assert listed["admin.audit"] == {
        "name": "admin.audit",
        "description": "Ask for an audit summary.",
        "arguments": [{"name": "since", "required": False}],
    }
    result = (await peer.ask("prompts/get", {"name": "admin.audit", "arguments": {"since": "Monday"}})).result
    assert result["messages"] == [
        {"role": "user", "content": {"type": "text", "text": "Summarise the admin audit events since Monday."}}
    ]
    result = (await peer.ask("prompts/get", {"name": "admin.greeting"})).result
    assert [message["content"]["text"] for message in result["messages"]] == ["Hello.", "How are you?"]


@pytest.mark.parametrize("params", [{"name": "admin.nothing"}, {}, {"name": "admin.audit", "arguments": {"until": "x"}}])
async def test_a_prompt_refuses_what_it_does_not_know(peer, params):
    """MCP, server/prompts, "Error handling"."""
    assert (await peer.ask("prompts/get", params)).error["code"] == -32602


async def test_skills_are_resources(peer):
    """The promise "Export skills"."""
    listed = {entry["uri"]: entry for entry in (await peer.ask("resources/list")).result["resources"]}
    assert listed["skill://admin/oncall/SKILL.md"]["name"] == "oncall"
    assert "skill://admin/oncall/references/first.md" not in listed
    assert listed["skill://index.json"]["name"] == "index"
    (index,) = (await peer.ask("resources/read", {"uri": "skill://index.json"})).result["contents"]
    (entry,) = json.loads(index["text"])["skills"]
    assert entry["url"] == "skill://admin/oncall/SKILL.md"
    for file in entry["resources"]:
        (item,) = (await peer.ask("resources/read", {"uri": file["uri"]})).result["contents"]
        assert len(item["text"].encode()) == file["size"]
    (item,) = (await peer.ask("resources/read", {"uri": "skill://admin/oncall/references/%66irst.md"})).result["contents"]
    assert item["text"] == "Stay calm.\n"


async def test_skills_have_methods(modern):
    """SEP-2640."""
    (skill,) = (await modern.ask("skills/list")).result["skills"]
    got = (await modern.ask("skills/get", {"uri": skill["uri"]})).result
    assert got["skill"] == skill
    assert {"ttlMs", "cacheScope"} <= got.keys()
    folder = (await modern.ask("resources/directory/read", {"uri": "skill://admin/oncall"})).result
    assert [child["name"] for child in folder["resources"]] == ["oncall", "references"]
    for method in ("skills/get", "resources/directory/read"):
        assert (await modern.ask(method, {"uri": "skill://admin/nothing"})).error["code"] == -32602


async def test_the_page_of_a_tool_can_be_read(peer):
    """The promise "Export MCP Apps": the metadata stands on the list entry and on what is read."""
    (listed,) = [entry for entry in (await peer.ask("resources/list")).result["resources"] if entry["uri"].startswith("ui:")]
    (item,) = (await peer.ask("resources/read", {"uri": "ui://admin/dashboard"})).result["contents"]
    assert item["mimeType"] == listed["mimeType"] == "text/html;profile=mcp-app"
    assert item["_meta"] == listed["_meta"]
    assert item["_meta"]["ui"]["domain"] == item["_meta"]["openai/widgetDomain"] == "https://mcp.example.com"


@pytest.mark.parametrize("method", ["nothing", "tools/List", "", "tasks/list", "initialize", "ping"])
async def test_an_unknown_method_is_404(modern, method):
    """MCP 2026-07-28, basic/transports/streamable-http: initialize and ping are gone."""
    answer = await modern.ask(method)
    assert (answer.status, answer.error["code"]) == (404, -32601)


async def test_what_is_hidden_is_answered_like_what_is_unknown(peer):
    """Design, section 4, "Authorizer"."""
    asked = [
        ("tools/call", {"name": "admin.user_count"}, {"name": "admin.no_such"}),
        ("prompts/get", {"name": "admin.audit"}, {"name": "admin.no"}),
        ("resources/read", {"uri": "app://admin/users"}, {"uri": "app://admin/other"}),
        ("resources/read", {"uri": "app://admin/users/bob@example.com"}, {"uri": "app://admin/thing/bob@example.com"}),
        ("resources/read", {"uri": "ui://admin/dashboard"}, {"uri": "ui://admin/nothing"}),
        ("resources/read", {"uri": "skill://index.json"}, {"uri": "skill://nothing.json"}),
        ("resources/read", {"uri": "skill://admin/oncall/SKILL.md"}, {"uri": "skill://admin/other/SKILL.md"}),
    ]
    with signed_in(User("eve"), Claims({"sub": "eve", "mcps": ["other"]})):
        for method, hidden, unknown in asked:
            first, second = await peer.ask(method, hidden), await peer.ask(method, unknown)
            told = [
                json.dumps(answer.error).replace(next(iter(asked.values())), "…")
                for answer, asked in [(first, hidden), (second, unknown)]
            ]
            assert told[0] == told[1]
            assert first.status == second.status
        for method, key in [("tools/list", "tools"), ("resources/list", "resources"), ("prompts/list", "prompts")]:
            assert (await peer.ask(method)).result[key] == []


@pytest.mark.parametrize(
    ("claims", "is_open"), [({"mcps": ["admin"]}, True), ({"mcps": ["*"]}, True), ({"mcps": []}, False), ({}, False)]
)
async def test_the_mcps_claim_opens_modules(peer, claims, is_open):
    """The promise "Authorize modules"."""
    with signed_in(User("ada"), Claims({"sub": "ada", **claims})):
        assert bool((await peer.ask("tools/list")).result["tools"]) is is_open
        assert ("result" in (await peer.ask("tools/call", {"name": "admin.user_count"})).messages[-1]) is is_open


def test_every_method_names_the_param_that_routes_it():
    """MCP 2026-07-28, basic/transports/streamable-http, "Mcp-Name"."""
    routed = {name: row.routed_by for name, row in METHODS.items() if row.routed_by}
    by_name = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
    assert routed == by_name | dict.fromkeys(("tasks/get", "tasks/update", "tasks/cancel"), "taskId")


async def test_a_binary_resource_is_a_blob(modern):
    class Files(Base):
        def logo_resource(self):
            from lazymcp import ResourceSpec

            return ResourceSpec(desc="A logo.", read=lambda: b"\xff\x00")

    (item,) = (await served(Files()).ask("resources/read", {"uri": "app://files/logo"})).result["contents"]
    assert item == {
        "uri": "app://files/logo",
        "mimeType": "application/octet-stream",
        "blob": base64.b64encode(b"\xff\x00").decode(),
    }
