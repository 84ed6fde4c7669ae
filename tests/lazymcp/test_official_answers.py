"""The official SDK's client, unmodified, answers what our tools ask: once for each era, over HTTP and over stdio."""

import sys
from pathlib import Path

import pytest
from mcp import StdioServerParameters
from mcp.client import Client
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CreateMessageResult, ElicitResult, ListRootsResult, Root, TextContent

from lazymcp import Scope
from tests.flows.served import served
from tests.lazymcp.booking_module import Booking

MODES = ["legacy", "auto", "2026-07-28"]
ROOT = Path(__file__).parents[2]


class Person:
    """The user behind the client, and what it was asked."""

    def __init__(self):
        self.asked = []

    async def fill_in(self, _, params):
        self.asked.append(params.message)
        fields = params.requested_schema["properties"]
        first_try = len(self.asked) == 1
        content = {"years": "many" if first_try else 42} if "years" in fields else {"value": f"answer {len(self.asked)}"}
        return ElicitResult(action="accept", content=content)

    async def write(self, _, params):
        return CreateMessageResult(role="assistant", model="m", content=TextContent(type="text", text="Hello"))

    async def folders(self, _):
        return ListRootsResult(roots=[Root(uri="file:///home")])

    def client(self, transport, mode):
        return Client(
            transport, mode=mode, elicitation_callback=self.fill_in, sampling_callback=self.write, list_roots_callback=self.folders
        )


async def tour(person, client):
    """Ask one thing after the other, several at once, and once more what was filled in wrongly."""
    result = await client.call_tool("age", {})
    assert result.structured_content == {"result": 42}
    assert person.asked[0] == "How old?"
    assert person.asked[1].startswith("How old?\n\nyears: ")
    result = await client.call_tool("book", {})
    assert result.content[0].text == "answer 4, answer 3"
    assert person.asked[2:] == ["Where to?", "Which hotel in answer 3?"]
    result = await client.call_tool("several", {})
    assert result.structured_content == {"user_name": "answer 5", "greeting": "Hello", "client_roots": [{"uri": "file:///home"}]}


@pytest.mark.parametrize("mode", MODES)
async def test_the_official_client_answers_over_http(mode):
    """MCP 2026-07-28, basic/patterns/mrtr; 2025-11-25, client/elicitation."""
    scope, person = Scope(), Person()
    scope.register(Booking())
    async with served(scope.asgi()) as origin, person.client(streamable_http_client(f"{origin}/mcp"), mode) as client:
        await tour(person, client)


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
async def test_the_official_client_answers_over_stdio(mode):
    """MCP 2026-07-28, basic/patterns/mrtr; 2025-11-25, client/elicitation."""
    imports = "import asyncio; from lazymcp import Scope; from tests.lazymcp.booking_module import Booking"
    program = f"{imports}; s = Scope(); s.register(Booking()); asyncio.run(s.serve_stdio())"
    parameters, person = StdioServerParameters(command=sys.executable, args=["-c", program], cwd=ROOT), Person()
    with Path("/dev/null").open("w") as nowhere:
        async with person.client(stdio_client(parameters, errlog=nowhere), mode) as client:
            await tour(person, client)


async def test_the_official_client_without_a_person_is_refused():
    """MCP 2026-07-28, basic/index, -32021."""
    scope = Scope()
    scope.register(Booking())
    async with served(scope.asgi()) as origin, Client(streamable_http_client(f"{origin}/mcp"), mode="2026-07-28") as client:
        with pytest.raises(Exception, match="must declare these capabilities: elicitation"):
            await client.call_tool("book", {})
