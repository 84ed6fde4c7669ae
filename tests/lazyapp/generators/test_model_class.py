"""`lazyapp.generators.model_class`."""

import pytest

from lazyapp.errors import ConfigurationError
from lazyapp.generators.application import Application
from lazyapp.generators.fields import Field, parse
from lazyapp.generators.model import plan_model
from lazyapp.generators.model_class import Model, check_reference, find_model, models_in, rows
from lazyapp.generators.plan import carry_out

EVERY = [
    "title",
    "n:int=3",
    "at:datetime?",
    "tags:list[str]",
    "status:draft|paid=draft",
    "price:Decimal",
    "due:date",
    "code:UUID",
    "ok:bool=true",
    "f:float",
]


def made(application: Application, name: str, fields: list[str]) -> None:
    carry_out(plan_model(application, name, parse(fields, references=True)))


def test_what_was_generated_is_read_back(application: Application) -> None:
    made(application, "Customer", ["name"])
    made(application, "Order", [*EVERY, "customer:references"])
    found = find_model(application, "order")
    assert found is not None
    written = parse([*EVERY, "customer:references"], references=True)
    expected = [Field("tags", "list[str]", default="list") if each.name == "tags" else each for each in written]
    assert list(found.fields) == expected
    assert (found.class_name, found.many, found.words, found.label) == ("Order", "orders", "order", "title")


def test_a_file_that_is_no_model_is_none(application: Application) -> None:
    assert find_model(application, "order") is None
    models = application.root / "app" / "models"
    models.mkdir()
    for text in ("class Order(\n", "class Other: ...\n", "X = 1\n"):
        (models / "order.py").write_text(text)
        assert find_model(application, "order") is None


def test_columns_that_no_form_has_are_passed_over(application: Application) -> None:
    (application.root / "app" / "models").mkdir()
    columns = ["id: Mapped[int]", "blob: Mapped[bytes]", "kind = 1", "size: int", "name: Mapped[str | None]"]
    text = "\n    ".join(["class Order(Base):", *columns]) + "\n"
    (application.root / "app" / "models" / "order.py").write_text(text)
    assert find_model(application, "order") == Model("order", (Field("name", "str", is_optional=True),))


def test_a_row_is_added_after_what_it_refers_to(application: Application) -> None:
    made(application, "Customer", ["name", "customer:references?"])
    made(application, "Order", ["customer:references"])
    order = find_model(application, "order")
    assert order is not None
    assert rows(application, order) == [
        'customer = Customer(name="example")',
        "db.add(customer)",
        "await db.flush()",
        "order = Order(customer_id=customer.id)",
        "db.add(order)",
        "await db.flush()",
    ]
    assert {each.name for each in models_in(application, order)} == {"Order", "Customer"}


def test_a_model_that_is_not_there_cannot_be_referred_to(application: Application) -> None:
    with pytest.raises(ConfigurationError, match=r"no app/models/user\.py to refer to; `lazyapp generate model User` makes it"):
        check_reference(application, Field("user", "references"))
