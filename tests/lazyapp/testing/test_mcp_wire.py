"""`lazyapp.testing.mcp_wire`: what is sent, held against the server's own rules."""

import pytest

from lazyapp.testing import Client, MCPError
from lazyapp.testing import client as opened
from tests.lazyapp.testing.shop import ANN, shop


@pytest.mark.parametrize("region", ["EU", "Zürich", " blank ", "=?base64?x?=", "a\tb"])
async def test_a_marked_argument_is_repeated_in_its_header(client: Client, region: str) -> None:
    """MCP 2026-07-28, "Custom headers from tool parameters": the server compares."""
    assert (await client.mcp(ANN).call("shop.ship", region=region)).text == f"to {region}"


async def test_a_revision_that_is_not_served_is_named(client: Client) -> None:
    with pytest.raises(MCPError, match=r"the server speaks 20.* and not 2019-01-01"):
        await client.mcp(ANN, revision="2019-01-01").list_tools()


async def test_an_application_without_modules_has_no_door() -> None:
    async with opened(shop(mcp=None, oauth=None)) as client:
        with pytest.raises(MCPError) as refused:
            await client.mcp().list_tools()
    assert refused.value.code == 404
