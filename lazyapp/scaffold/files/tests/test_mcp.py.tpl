{% if mcp %}
"""What AI clients find at /mcp."""

{% if oauth %}
import pytest

from lazyapp.testing import Client, MCPError
from tests.people import ANN


async def test_a_client_without_a_token_is_told_where_to_sign_in(client: Client) -> None:
    with pytest.raises(MCPError, match="resource_metadata=") as refused:
        await client.mcp().list_tools()
    assert refused.value.code == 401


async def test_a_client_signs_in_and_calls_a_tool(client: Client) -> None:
    tokens = await client.connect("Claude", ANN)
    result = await client.mcp(token=tokens.access_token).call("admin.user_count")
    assert not result.is_error
    assert result.structured["count"] >= 0


async def test_a_tool_and_a_page_tell_the_same(client: Client) -> None:
    claude = client.mcp(ANN)
    before = (await claude.call("admin.user_count")).structured["count"]
    await client.sign_in(ANN)
    await (await client.get("/accounts")).fill({"E-mail": "kay@example.com"}).press("Add account")
    assert (await claude.call("admin.user_count")).structured["count"] == before + 1
    assert "kay@example.com" in (await claude.read("app://admin/users")).text
{% else %}
from lazyapp.testing import Client
from tests.people import ANN


async def test_a_tool_and_a_page_tell_the_same(client: Client) -> None:
    claude = client.mcp()
    before = (await claude.call("admin.user_count")).structured["count"]
    await client.sign_in(ANN)
    await (await client.get("/accounts")).fill({"E-mail": "kay@example.com"}).press("Add account")
    assert (await claude.call("admin.user_count")).structured["count"] == before + 1
    assert "kay@example.com" in (await claude.read("app://admin/users")).text
{% endif %}
{% endif %}
