"""lazyapp/mcp_lint/words.py: English, as far as it is needed."""

import pytest

from lazyapp.mcp_lint.words import stem, words_of


def test_words_are_taken_out_of_names_and_sentences() -> None:
    assert words_of("shop.searchOrders_by_HTTPStatus2") == ["shop", "search", "orders", "http", "status", "2"]
    assert words_of("Search the orders of a shop.") == ["search", "orders", "shop"]


@pytest.mark.parametrize(
    ("word", "same"),
    [("users", "user"), ("queries", "query"), ("matches", "match"), ("is", "is"), ("gas", "gas"), ("user", "user")],
)
def test_a_plural_is_the_same_word(word: str, same: str) -> None:
    assert stem(word) == same
