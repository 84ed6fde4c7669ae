"""lazymcp/local.py: both eras on one connection, decided for each request (MCP 2026-07-28, basic/transports/stdio)."""

import asyncio
import json

import pytest
from mcp_types import methods

from lazymcp import Base, Context, Forbidden, Scope, tool
from lazymcp.local import Connection
from tests.lazymcp.admin_module import AdminMCP
from tests.lazymcp.asgi_peer import ERAS, MODERN, OLDER, Peer


class Speaks(Base):
    name = ""

    @tool
    async def where(self, ctx: Context) -> list[str | None]:
        """Where we are. Promised: a module describes the transport that is used."""
        await ctx.progress(1, 1, "looking")
        return [ctx.transport, ctx.endpoint, *ctx.headers]

    @tool
    async def forbid(self) -> str:
        """Forbid."""
        raise Forbidden("mail:write")


class Line:
    """A connection in memory."""

    def __init__(self, *modules):
        scope = Scope()
        scope.register(*modules)
        scope.close_registry()
        self.connection = Connection(scope._registry)
        self.sent = []

    async def ask(self, method, params=None, era=MODERN, **meta):
        message = Peer(None, era).message(method, params, **meta)
        answer = await self.connection.handle(message, self.send)
        if answer and "result" in answer and (method, era) in methods.SERVER_RESULTS:
            methods.validate_server_result(method, era, answer["result"])
        return answer

    async def send(self, message):
        self.sent.append(message)


@pytest.fixture
def line():
    return Line(AdminMCP(), Speaks())


async def test_each_request_is_answered_in_its_own_era(line):
    for era in (MODERN, *OLDER, MODERN):
        result = (await line.ask("tools/list", era=era))["result"]
        assert ("resultType" in result) is (era == MODERN)
    assert (await line.ask("initialize", {"protocolVersion": OLDER[1]}, era=OLDER[1]))["result"]["protocolVersion"] == OLDER[1]
    assert (await line.ask("ping", era=OLDER[0]))["result"] == {}
    assert (await line.ask("server/discover"))["result"]["supportedVersions"] == [MODERN]


async def test_the_transport_is_told(line):
    result = (await line.ask("tools/call", {"name": "where"}, progressToken="p"))["result"]
    assert result["structuredContent"] == {"result": ["stdio", None]}
    (progress,) = line.sent
    assert progress["params"] == {"progressToken": "p", "progress": 1, "total": 1, "message": "looking"}


async def test_an_older_client_is_known_by_what_it_said_first(line):
    await line.ask("initialize", {"protocolVersion": OLDER[0], "clientInfo": {"name": "claude-code", "version": "1"}}, era=OLDER[0])
    names = [entry["name"] for entry in (await line.ask("tools/list", era=OLDER[0]))["result"]["tools"]]
    assert "admin_user_count" in names


@pytest.mark.parametrize("era", ERAS)
async def test_errors_are_those_of_the_era(line, era):
    assert (await line.ask("nothing", era=era))["error"]["code"] == -32601
    missing = (await line.ask("resources/read", {"uri": "a:b"}, era=era))["error"]["code"]
    assert missing == (-32602 if era == MODERN else -32002)


async def test_a_missing_scope_is_a_sentence_where_there_is_no_status(line):
    result = (await line.ask("tools/call", {"name": "forbid"}))["result"]
    assert result["isError"] is True
    assert "mail:write" in result["content"][0]["text"]


@pytest.mark.parametrize("message", [{"jsonrpc": "2.0", "method": "notifications/x"}, {"jsonrpc": "2.0", "id": 1, "result": {}}])
async def test_what_is_not_a_request_gets_no_answer(line, message):
    assert await line.connection.handle(message, line.send) is None


async def test_a_wrong_version_is_refused_with_ours(line):
    from lazymcp.protocol import VERSION_KEY

    error = (await line.ask("tools/list", **{VERSION_KEY: "2099-01-01"}))["error"]
    assert (error["code"], error["data"]["supported"]) == (-32022, [MODERN])


async def test_a_scope_serves_streams(tmp_path):
    """Promised: `Scope.serve_stdio`, here over files."""
    scope = Scope()
    scope.register(AdminMCP())
    asked = [Peer(None).message("tools/call", {"name": "admin.user_count"}), Peer(None, OLDER[0]).message("ping")]
    (tmp_path / "in").write_text("".join(json.dumps({**message, "id": number}) + "\n" for number, message in enumerate(asked)))
    with (tmp_path / "in").open("rb") as reader, (tmp_path / "out").open("wb") as writer:
        await asyncio.wait_for(scope.serve_stdio(reader, writer), 10)
    answers = {message["id"]: message["result"] for message in map(json.loads, (tmp_path / "out").read_text().splitlines())}
    assert answers[0]["structuredContent"] == {"count": 3}
    assert answers[1] == {}
