"""lazyapp/mcp_lint/naming.py: names."""

import pytest

from tests.lazyapp.mcp_lint.seeded import found, item


@pytest.mark.parametrize(
    ("name", "rule", "said"),
    [
        ("shop.suche_bücher", "name-characters", "the name 'shop.suche_bücher' has other characters"),
        ("shop/search", "name-characters", "the name 'shop/search' has other characters"),
        ("shop.search_" + "x" * 53, "name-too-long", "the name has 65 characters"),
        ("shop.search_" + "x" * 37, "name-long", "the name has 49 characters"),
        ("shop.query", "name-vague", "the name is just query"),
    ],
)
def test_names_that_clients_refuse_or_models_cannot_read_are_found(name: str, rule: str, said: str) -> None:
    """https://github.com/openai/codex/issues/8174, https://github.com/PostHog/posthog/pull/51483."""
    assert found(item(name=name)) == [(rule, said)]


def test_a_tool_that_does_not_say_what_it_does_is_noticed() -> None:
    """https://www.anthropic.com/engineering/writing-tools-for-agents."""
    assert found(item(name="shop.orders", description="The orders of the last week.")) == [
        ("name-verb", "orders: The orders of the last week")
    ]
    assert found(item(name="shop.orders", description="List the last week.")) == []


@pytest.mark.parametrize(
    ("name", "description"),
    [
        ("library.lend", "Lend a novel to somebody, by its id."),
        ("library.burn", "So much for it; what is gone is gone."),
        ("admin.shout", "Shout at everybody who listens."),
        ("library.novels", "Borrow one by its id."),
    ],
)
def test_a_verb_that_no_list_knows_is_a_verb(name: str, description: str) -> None:
    """English has more verbs than a list."""
    assert found(item(name=name, description=description)) == []


@pytest.mark.parametrize(
    ("name", "description"),
    [
        ("shop.weather", "The weather of a city."),
        ("shop.weather", "Weather of a city."),
        ("shop.orders", "Orders that came."),
        ("shop.customer", "Customer by a word in it."),
    ],
)
def test_a_noun_is_no_verb(name: str, description: str) -> None:
    """https://www.anthropic.com/engineering/writing-tools-for-agents."""
    schema = {
        "type": "object",
        "properties": {"customer": {"type": "string", "description": "Who."}},
        "additionalProperties": False,
    }
    [(rule, _)] = found(item(name=name, description=description, inputSchema=schema))
    assert rule == "name-verb"


@pytest.mark.parametrize("other", ["shop_search.orders", "Shop.Search_Orders", "shop.search-orders"])
def test_names_that_some_clients_take_for_one_are_found(other: str) -> None:
    """https://github.com/microsoft/wassette/issues/56: what stands for a dot there."""
    assert found(item(), item(name=other)) == [("name-duplicate", "shop.search_orders (shop.py:1) is the same to some clients")]
    assert found(item(), item("prompt", name=other)) == []
