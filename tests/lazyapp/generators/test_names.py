"""`lazyapp.generators.names`."""

import pytest

from lazyapp.errors import ConfigurationError
from lazyapp.generators import names
from lazyapp.path_template import singular


@pytest.mark.parametrize("word", ["orders", "order_items", "b2b", "x"])
def test_a_word_in_small_letters_is_a_name(word: str) -> None:
    assert names.check_word(word, "a tool") == word


@pytest.mark.parametrize(
    "word",
    [
        "",
        "Orders",
        "2x",
        "order items",
        "order-items",
        "../x",
        "a/b",
        "a.b",
        "_x",
        "x_",
        "a__b",
        "é",
        "a" * 41,
        "x\n",
        "x\0",
        "$x",
        "-x",
    ],
)
def test_anything_else_is_none(word: str) -> None:
    """docs/generators.md: path tricks, and what is no identifier."""
    with pytest.raises(ConfigurationError, match="cannot be the name of a tool; use small letters"):
        names.check_word(word, "a tool")


@pytest.mark.parametrize("word", ["class", "match", "list", "id", "print", "async"])
def test_a_word_of_pythons_own_is_no_name_where_it_would_hide_that(word: str) -> None:
    with pytest.raises(ConfigurationError, match="is a word of Python's own"):
        names.check_free_word(word, "a controller")
    assert names.method_name(word) == f"{word}_"


@pytest.mark.parametrize(
    "one", ["order", "category", "box", "bus", "day", "person", "child", "news", "order_item", "address", "house"]
)
def test_the_plural_leads_back(one: str) -> None:
    """docs/routes.md: `routes.resources` makes the name of one out of that of many."""
    assert singular(names.plural(one)) == one
    assert names.is_plural(names.plural(one))


def test_a_word_whose_plural_leads_elsewhere_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="has no plural that leads back to it"):
        names.plural("lens")


def test_a_name_is_written_as_each_place_wants_it() -> None:
    assert (names.camel("order_items"), names.snake("OrderItem"), names.snake("HTTPLog")) == (
        "OrderItems",
        "order_item",
        "http_log",
    )
    assert (names.title("order_items"), names.in_words("order_items")) == ("Order items", "order items")
    assert (names.a_or_an("order"), names.a_or_an("customer")) == ("an order", "a customer")
    assert not names.is_plural("order")
    assert names.is_taken_by_python("type")
