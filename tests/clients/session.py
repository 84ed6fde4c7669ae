"""The MCP session of a scripted client: the handshake of its revision, and one tool."""

import json
from typing import Any, Protocol

import httpx2

from tests.clients.profile import Profile
from tests.flows.journey import TOOL


class Talks(Protocol):
    """What a session needs of its client."""

    profile: Profile
    endpoint: str
    tokens: dict[str, Any]

    async def ask(self, method: str, url: str, headers: dict[str, str] | None = None, **body: Any) -> httpx2.Response:
        """One request of the client."""
        ...


async def call_a_tool(client: Talks) -> None:
    """initialize, initialized, tools/list, tools/call, as older revisions do it, and the end of the session."""
    headers = {"Authorization": f"Bearer {client.tokens['access_token']}", "Accept": "application/json, text/event-stream"}
    hello = {
        "protocolVersion": client.profile.protocol,
        "capabilities": {},
        "clientInfo": {"name": client.profile.name, "version": "1"},
    }
    answer = await client.ask("POST", client.endpoint, headers, json=request(1, "initialize", hello))
    assert result_of(answer)["protocolVersion"] == client.profile.protocol
    if session := answer.headers.get("mcp-session-id"):
        headers["Mcp-Session-Id"] = session
    if client.profile.protocol != "2025-03-26":
        headers["MCP-Protocol-Version"] = client.profile.protocol
    note = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    assert (await client.ask("POST", client.endpoint, headers, json=note)).status_code == 202
    listed = result_of(await client.ask("POST", client.endpoint, headers, json=request(2, "tools/list", {})))
    # A model that takes no dot in a name is told another: the name to call is the one that was listed.
    (name,) = [tool["name"] for tool in listed["tools"] if tool["name"] in (TOOL, TOOL.replace(".", "_"))]
    called = await client.ask("POST", client.endpoint, headers, json=request(3, "tools/call", {"name": name, "arguments": {}}))
    assert not result_of(called).get("isError")
    if session:
        assert (await client.ask("DELETE", client.endpoint, headers)).status_code in (200, 204)


def request(number: int, method: str, params: dict[str, Any]) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def result_of(answer: httpx2.Response) -> dict[str, Any]:
    """The result, whether it came as JSON or as the one event of a stream."""
    assert answer.status_code == 200, f"{answer.status_code} {answer.text}"
    text = answer.text
    if answer.headers["content-type"].startswith("text/event-stream"):
        (text,) = [line.removeprefix("data:") for line in text.splitlines() if line.startswith("data:") and line[5:].strip()]
    message = json.loads(text)
    assert "error" not in message, message
    result: dict[str, Any] = message["result"]
    return result
