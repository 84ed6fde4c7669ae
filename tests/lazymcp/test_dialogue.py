"""lazymcp/dialogue.py: asking until an answer can be used, or until it is enough."""

import pytest
from pydantic import BaseModel

from lazymcp.asking import InputRequired
from lazymcp.client_features import roots
from lazymcp.dialogue import ATTEMPTS, OverLink, hold
from lazymcp.elicitation import form, visit
from lazymcp.errors import Declined, ToolError
from lazymcp.replay import FIRST


class Age(BaseModel):
    years: int


class Client:
    """Answers from a list, one result after the other."""

    def __init__(self, *results):
        self.results = list(results)
        self.asked = []

    async def request(self, method, params):
        self.asked.append((method, params))
        return self.results.pop(0)


def accepted(content):
    return {"action": "accept", "content": content}


async def test_answers_come_under_their_keys_and_in_their_order():
    client = Client(accepted({"years": "5"}), {"roots": []})
    found = await hold(OverLink(client.request, {}), {"age": form(Age, "How old?"), "where": roots()})
    assert found == {"age": Age(years=5), "where": []}
    assert list(found) == ["age", "where"]


async def test_only_what_could_not_be_read_is_asked_again():
    client = Client(accepted({}), {"roots": []}, accepted({"years": 1}))
    found = await hold(OverLink(client.request, {}), {"age": form(Age, "How old?"), "where": roots()})
    assert found["age"].years == 1
    assert [method for method, _ in client.asked] == ["elicitation/create", "roots/list", "elicitation/create"]
    assert client.asked[-1][1]["message"] == "How old?\n\nyears: is missing"


async def test_it_is_enough_at_some_point():
    client = Client(*[accepted({})] * ATTEMPTS)
    with pytest.raises(ToolError, match="the answer cannot be used: years: is missing"):
        await hold(OverLink(client.request, {}), {"age": form(Age, "How old?")})
    assert client.results == []
    # The reason is that of the last answer, not a heap of them.
    assert client.asked[-1][1]["message"] == "How old?\n\nyears: is missing"


async def test_a_no_ends_it_and_is_named_among_several():
    client = Client({"action": "decline"}, {"roots": []})
    with pytest.raises(Declined) as declined:
        await hold(OverLink(client.request, {}), {"age": form(Age, "How old?"), "where": roots()})
    assert (declined.value.action, declined.value.key) == ("decline", "age")


async def test_a_client_that_lacks_something_is_not_asked():
    """https://github.com/modelcontextprotocol/python-sdk/issues/1740."""
    client = Client()
    with pytest.raises(ToolError, match=r"it did not declare elicitation.form, sampling"):
        await hold(OverLink(client.request, {"elicitation": {"form": {}}, "sampling": {}}), {"age": form(Age, "How old?")})
    assert client.asked == []


async def test_a_page_has_an_id_where_there_were_ids():
    """MCP 2025-11-25, client/elicitation, "URL mode": unique, and not to be guessed."""
    client = Client({"action": "accept"}, {"action": "accept"})
    for _ in range(2):
        await hold(OverLink(client.request, {}), {"page": visit("https://example.com", "m")})
    ids = {params["elicitationId"] for _, params in client.asked}
    assert len(ids) == 2
    assert all(len(value) >= 32 for value in ids)


async def test_today_the_first_question_ends_the_request():
    """MCP 2026-07-28, basic/patterns/mrtr."""
    with pytest.raises(InputRequired) as stop:
        await hold(FIRST, {"age": form(Age, "How old?"), "where": roots()})
    assert stop.value.questions.keys() == {"age", "where"}
    assert not isinstance(stop.value, Exception)
