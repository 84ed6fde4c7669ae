"""`lazyapp.generators.form_fields`."""

import pytest

from lazyapp.generators.fields import parse
from lazyapp.generators.form_fields import control, filled, form_lines, in_form, name_in_form, shown
from lazyapp.generators.model_class import Model


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("title", "    title: str = Field(max_length=255)"),
        ("n:int=3", "    n: int = Field(3, ge=-(2**31), lt=2**31)"),
        ("f:float", "    f: float = Field(allow_inf_nan=False)"),
        ("price:Decimal?", "    price: Decimal | None = Field(None, max_digits=12, decimal_places=2)"),
        ("at:datetime", "    at: Annotated[datetime, AfterValidator(in_utc)]"),
        ("user:references", "    user_id: int = Field(ge=1, lt=2**31)"),
        ("ok:bool=true", "    ok: bool = True"),
    ],
)
def test_a_form_has_the_limits_of_the_database(text: str, line: str) -> None:
    """Untrusted input is an answer to the visitor, never an error of the database."""
    assert form_lines(Model("order", tuple(parse([text], references=True))))[1] == [line]


def test_a_list_of_texts_has_no_control() -> None:
    assert in_form(Model("order", tuple(parse(["tags:list[str]"])))) == []
    assert form_lines(Model("order", ()))[1] == ["    pass"]


def test_a_field_is_drawn_shown_and_filled_in() -> None:
    user, ok, at, price = parse(["user:references", "ok:bool", "at:datetime?", "price:Decimal"], references=True)
    assert control(user) == '{{ f.field("user_id", label="User", choices=users or [("", "None yet")]) }}'
    assert control(user, can_add=True).splitlines()[1:] == [
        '{% if not users %}<p class="field-hint">{{ link_to("Add an user", path_for("new_user")) }}</p>{% endif %}'
    ]
    assert control(at) == '{{ f.field("at", label="At (optional)") }}'
    assert filled([at], {}) == ['"At (optional)": "2026-01-31T12:00"']
    assert (name_in_form(user), control(ok)) == ("user_id", '{{ f.field("ok") }}')
    assert shown(ok, "order") == '{{ "yes" if order.ok else "no" }}'
    assert shown(at, "order") == '{{ format_time(order.at) if order.at is not none else "-" }}'
    assert filled([user, ok, price], {"user": "ada"}) == ['"User": "ada"', '"Ok": True', '"Price": "9.50"']
