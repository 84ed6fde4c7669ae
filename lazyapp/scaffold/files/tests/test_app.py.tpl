"""The application as it is met: pages by people, tools by AI clients. `client` comes with lazyapp and starts it for each test."""

import pytest

import lazyauth
from lazyapp.testing import Client, MCPError

ANN = lazyauth.User("ann", {"mcps": ["*"]})  # there for these tests alone, and needs no password


async def test_the_home_page_is_served(client: Client) -> None:
    page = await client.get("/")
    assert page.status == 200
    assert page.title


async def test_who_is_signed_in_adds_an_account(client: Client) -> None:
    page = await client.get("/accounts")
    page.see("Sign in to add an account.")

    await client.sign_in(ANN)
    page = await client.get("/accounts")
    page = await page.fill({"E-mail": "kay@example.com"}).press("Add account")
    page.see("kay@example.com added")


async def test_a_form_that_is_wrong_is_shown_again(client: Client) -> None:
    await client.sign_in(ANN)
    page = await client.get("/accounts")
    page = await page.fill({"E-mail": "kay"}).press("Add account")
    assert page.status == 422
    assert page.value("E-mail") == "kay"


async def test_a_client_without_a_token_is_told_where_to_sign_in(client: Client) -> None:
    with pytest.raises(MCPError, match="resource_metadata=") as refused:
        await client.mcp().list_tools()
    assert refused.value.code == 401


async def test_a_client_signs_in_and_calls_a_tool(client: Client) -> None:
    tokens = await client.connect("Claude", ANN)
    result = await client.mcp(token=tokens.access_token).call("admin.user_count")
    assert not result.is_error
    assert result.structured["count"] >= 0
