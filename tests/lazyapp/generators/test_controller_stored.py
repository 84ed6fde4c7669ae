"""`lazyapp.generators.controller_stored`. That its pages work is shown in test_in_a_new_application.py."""

import ast

import pytest

from lazyapp.generators.application import Application
from lazyapp.generators.controller_stored import stored
from lazyapp.generators.fields import parse
from lazyapp.generators.model_class import Model
from lazyapp.generators.resource_actions import WITH_A_TABLE, Drawn, Pages

ORDER = Model("order", tuple(parse(["title", "at:datetime?", "customer:references", "boss:references?"], references=True)))


def text_of(pages: Pages) -> str:
    return f"{pages.form}\n\n{pages.head}" + "".join(pages.methods)


def test_changes_are_for_who_is_signed_in(application: Application) -> None:
    """docs/sign-in.md."""
    tree = ast.parse(text_of(stored(application, ORDER, Drawn("orders", WITH_A_TABLE, ()))))
    [controller] = [node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "OrdersController"]
    guarded = {
        node.name: [ast.unparse(each) for each in node.decorator_list] == ["require_login"]
        for node in controller.body
        if isinstance(node, ast.AsyncFunctionDef) and not node.name.startswith("_")
    }
    assert guarded == {"index": False, "show": False, **dict.fromkeys(("new", "create", "edit", "update", "delete"), True)}


def test_what_a_form_refers_to_is_looked_for(application: Application) -> None:
    """A foreign key that leads nowhere would be the database's error, and the visitor's 500."""
    text = text_of(stored(application, ORDER, Drawn("orders", WITH_A_TABLE, ())))
    assert "        if await db.get(Customer, form.customer_id) is None:\n" in text
    assert "        if form.boss_id is not None:\n" in text
    assert text.count("await self._check(db, form)") == 2


@pytest.mark.parametrize(
    "actions", [("index",), ("show",), ("new", "create"), ("delete",), ("index", "delete"), ("edit", "update")]
)
def test_any_choice_of_actions_is_whole(application: Application, actions: tuple[str, ...]) -> None:
    pages = stored(application, ORDER, Drawn("orders", actions, ()))
    text = text_of(pages)
    ast.parse(text)
    assert ("_find" in text) == bool({"show", "edit", "delete"} & set(actions))
    assert ("class OrderForm" in text) == ("create" in actions or "update" in actions)
    assert ("_fields" in pages.views) == ("class OrderForm" in text)


def test_the_list_says_what_each_row_refers_to(application: Application) -> None:
    pages = stored(application, ORDER, Drawn("orders", WITH_A_TABLE, ()))
    assert '      <td>{{ customer_names.get(order.customer_id, "-") }}</td>\n' in pages.views["index"]
    assert "Customer.id.in_(customer_ids)" in pages.methods[0]


def test_a_list_without_pages_of_its_rows_shows_each_column_once(application: Application) -> None:
    model = Model("order", tuple(parse(["count:int", "title"])))
    view = stored(application, model, Drawn("orders", ("index",), ())).views["index"]
    assert (view.count("{{ order.count }}"), view.count("{{ order.title }}")) == (1, 1)


def test_what_cannot_be_undone_takes_two_steps(application: Application) -> None:
    show = stored(application, ORDER, Drawn("orders", WITH_A_TABLE, ())).views["show"]
    assert "<summary>Delete</summary>" in show
    assert 'method="delete", class="danger"' in show


@pytest.mark.parametrize(("there", "linked"), [(["customers"], 1), (["orders"], 0), ([], 0)])
def test_where_there_is_nothing_to_choose_the_page_that_adds_it_is_linked(
    application: Application, there: list[str], linked: int
) -> None:
    """A path that no route has would be an error of the page."""
    for many in there:
        (application.root / "app" / "views" / many).mkdir(parents=True)
        (application.root / "app" / "views" / many / "new.html.j2").touch()
    fields = stored(application, ORDER, Drawn("orders", WITH_A_TABLE, ())).views["_fields"]
    assert fields.count("link_to(") == linked
