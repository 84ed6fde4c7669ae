"""`lazyapp.testing.mcp`: an AI client, once for each revision."""

from contextlib import nullcontext

import pytest

import lazyauth
from lazyapp.testing import Client, MCPClient, MCPError, Question
from lazyapp.testing import client as opened
from tests.lazyapp.testing.shop import ANN, shop

REVISIONS = ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26"]


@pytest.fixture(params=REVISIONS)
def mcp(client: Client, request: pytest.FixtureRequest) -> MCPClient:
    return client.mcp(ANN, revision=request.param)


async def test_tools_are_listed_and_called_as_the_user(mcp: MCPClient) -> None:
    """docs/testing.md, "AI clients": in both eras."""
    assert "shop.price" in [each["name"] for each in await mcp.list_tools()]
    result = await mcp.call("shop.price")
    assert (result.text, result.is_error) == ('{"price":7}', False)
    assert result.structured == {"price": 7} or mcp.revision == "2025-03-26"  # which has no structured content
    assert (await mcp.call("shop.who")).text == "ann"


async def test_a_tool_error_is_a_result_and_a_failure_is_raised(mcp: MCPClient) -> None:
    refused = await mcp.call("shop.refuse")
    assert (refused.is_error, refused.text) == (True, "closed on Sundays")
    assert (await mcp.call("shop.count", upto="many")).is_error
    with pytest.raises(ZeroDivisionError, match="the shelf is empty"):
        await mcp.call("shop.fail")


async def test_a_tool_that_is_not_there_is_answered_with_those_that_are(mcp: MCPClient) -> None:
    with pytest.raises(MCPError, match=r"the tools are shop\.book, shop\.count") as refused:
        await mcp.call("shop.nothing")
    assert refused.value.code == -32602


async def test_resources_and_prompts_are_read(mcp: MCPClient) -> None:
    contents = await mcp.read("app://shop/prices")
    assert (contents.json(), contents.mime_type) == ([{"price": 7}], "application/json")
    assert [each["uri"] for each in await mcp.list_resources()] == ["app://shop/prices"]
    assert await mcp.list_templates() == []
    assert (await mcp.prompt("shop.greet", name="Bo")).text == "Say hello to Bo."
    assert [each["name"] for each in await mcp.list_prompts()] == ["shop.greet"]
    with pytest.raises(MCPError):
        await mcp.read("app://shop/none")


async def test_what_a_tool_tells_is_kept(mcp: MCPClient) -> None:
    assert (await mcp.call("shop.count", upto=2)).text == "done"
    assert [(each["progress"], each["total"]) for each in mcp.progress] == [(1, 2), (2, 2)]
    assert [each["data"] for each in mcp.logs] == [{"number": 1}, {"number": 2}]
    assert len(mcp.notifications) == 4


@pytest.mark.parametrize("revision", REVISIONS[:3])  # forms came with 2025-06-18
async def test_a_question_is_answered(client: Client, revision: str) -> None:
    """MCP 2026-07-28, client/elicitation."""
    answers = iter([{"nights": 3}, None])

    async def answer(question: Question) -> dict[str, int] | None:
        return next(answers)

    mcp = client.mcp(ANN, revision=revision, answers=answer)
    assert (await mcp.call("shop.book", city="Rome")).text == "3 nights in Rome"
    assert (await mcp.call("shop.book", city="Rome")).text == "nothing booked"
    assert [each.message for each in mcp.questions] == ["How long in Rome?"] * 2
    assert mcp.questions[0].schema["required"] == ["nights"]


async def test_without_answers_there_is_nobody_to_ask(mcp: MCPClient) -> None:
    with pytest.raises(MCPError, match="elicitation") if mcp.revision == REVISIONS[0] else nullcontext():
        assert "cannot" in (await mcp.call("shop.book", city="Rome")).text


async def test_without_a_token_the_door_is_closed(client: Client) -> None:
    """RFC 9728, section 5.1."""
    with pytest.raises(MCPError, match="resource_metadata=") as refused:
        await client.mcp().list_tools()
    assert refused.value.code == 401


async def test_a_user_sees_the_modules_that_are_theirs(client: Client) -> None:
    assert await client.mcp(lazyauth.User("bob", {"mcps": ["other"]})).list_tools() == []


async def test_a_model_sees_a_sentence_where_a_test_asks_for_it() -> None:
    async with opened(shop(), raise_errors=False) as client:
        failed = await client.mcp(ANN).call("shop.fail")
        assert failed.is_error
        assert "shelf" not in failed.text


async def test_any_other_request_can_be_made(client: Client) -> None:
    assert "tools" in (await client.mcp(ANN).request("server/discover"))["capabilities"]
