"""`lazyapp.generators.model_column`."""

import pytest

from lazyapp.generators.application import Application
from lazyapp.generators.edit import CannotEdit
from lazyapp.generators.fields import parse
from lazyapp.generators.model_column import column, with_columns

NOTE = [column(each) for each in parse(["note:str?"])]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("title", "    title: Mapped[str]"),
        ("n:int=3", "    n: Mapped[int] = mapped_column(default=3)"),
        ("at:datetime?", "    at: Mapped[datetime | None] = mapped_column(DateTime(timezone=True))"),
        ("tags:list[str]", "    tags: Mapped[list[str]] = mapped_column(JSON, default=list)"),
        ("status:a|b", '    status: Mapped[Literal["a", "b"]]'),
        ("user:references?", '    user_id: Mapped[int | None] = mapped_column(ForeignKey("users.id"), index=True)'),
    ],
)
def test_a_field_is_a_column(text: str, line: str) -> None:
    """SQLAlchemy 2.1, "Declarative Table with mapped_column()"."""
    assert column(parse([text], references=True)[0])[1] == line


def test_a_column_stands_below_the_last(application: Application) -> None:
    columns = "class Order(Base):\n    id: Mapped[int] = mapped_column(\n        primary_key=True\n    )\n"
    before = f"{columns}\n    def x(self): ...\n"
    after = f"{columns}    note: Mapped[str | None]\n\n    def x(self): ...\n"
    assert with_columns(before, "Order", NOTE, application) == after
    assert with_columns(after, "Order", NOTE, application) == after


@pytest.mark.parametrize(
    "text", ["class Order(Base):\n    id = Column()\n", "class Other: ...\n", "class Order: x: Mapped[int]\n", "("]
)
def test_a_class_of_another_make_is_left_alone(application: Application, text: str) -> None:
    with pytest.raises(CannotEdit):
        with_columns(text, "Order", NOTE, application)


def test_lines_are_counted_as_python_counts_them(application: Application) -> None:
    """The language reference, 2.1.2: a form feed ends no line."""
    before = "# a\x0cb\nclass Order(Base):\n    id: Mapped[int]\n    x = (\n        1\n    )\n"
    after = before.replace("[int]\n", "[int]\n    note: Mapped[str | None]\n")
    assert with_columns(before, "Order", NOTE, application) == after


def test_a_line_that_goes_on_is_left_alone(application: Application) -> None:
    with pytest.raises(CannotEdit, match="not certain"):
        with_columns("class Order(Base):\n    id: Mapped[int] \\\n\n\nX = 1\n", "Order", NOTE, application)
