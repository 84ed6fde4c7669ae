"""`lazyapp.generators.resource_actions`."""

from lazyapp.generators.application import Application
from lazyapp.generators.resource_actions import WITH_A_TABLE, Drawn, after, values_of, whole


def test_a_form_comes_with_the_action_that_it_is_sent_to() -> None:
    assert whole(["create"]) == {"new", "create"}
    assert whole(["edit", "today"]) == {"edit", "update", "today"}
    assert whole(["show"]) == {"show"}


def test_an_action_sends_on_to_a_page_that_there_is() -> None:
    everything = Drawn("orders", WITH_A_TABLE, ())
    assert [after(action, everything) for action in ("add", "update", "delete", "create")] == [
        '"order", id=order.id',
        '"order", id=id',
        '"orders"',
        '"orders"',
    ]
    assert after("delete", Drawn("orders", ("delete",), ())) == '"root"'


def test_the_routes_have_the_names_that_routes_give_them(application: Application) -> None:
    """docs/routes.md: where one and many are the same word, the list is `news_index`."""
    assert (Drawn("orders", (), ()).many_path, Drawn("news", (), ()).many_path) == ("orders", "news_index")
    assert Drawn("orders", ("index", "new"), ("to_do",)).paths == ["/orders", "/orders/new", "/orders/to-do"]
    assert Drawn("orders", ("index",), ()).add_link == ""
    assert values_of(application, Drawn("order_items", (), ()))["a_one"] == "an order item"
