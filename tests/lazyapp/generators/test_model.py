"""`lazyapp.generators.model`."""

from pathlib import Path

import pytest

from lazyapp.errors import ConfigurationError
from lazyapp.generators.application import Application
from lazyapp.generators.fields import parse
from lazyapp.generators.model import plan_model


def test_a_model_comes_with_its_migration_its_hook_and_its_test(application: Application) -> None:
    """docs/generators.md."""
    plan = plan_model(application, "OrderItem", parse(["title", "price:Decimal=0"]))
    assert [path.as_posix() for path in plan.created] == [
        "app/models/__init__.py",
        "app/models/base.py",
        "app/models/order_item.py",
        "app/migrations/0001_make_order_items.py",
        "tests/test_migrations.py",
        "tests/test_order_item_model.py",
    ]
    model = plan.created[Path("app/models/order_item.py")]
    assert '    __tablename__ = "order_items"\n' in model
    assert '    price: Mapped[Decimal] = mapped_column(Numeric(12, 2), default=Decimal("0"))\n' in model
    assert (
        'from app.models.order_item import OrderItem\n\n__all__ = ["Base", "OrderItem"]\n'
        in plan.created[Path("app/models/__init__.py")]
    )
    assert "        tables=Base.metadata,\n" in plan.read(Path("init/app.py"))


@pytest.mark.parametrize(
    ("name", "fields", "reason"),
    [
        ("order item", [], "cannot be the name of a model"),
        ("Class", [], "is a word of Python's own"),
        ("Form", [], "has a meaning in views"),
        ("Order", ["id:int"], "'id' is a column that every model has"),
        ("Order", ["metadata:str"], "SQLAlchemy's own"),
        ("Order", ["user:references"], "There is no app/models/user.py to refer to"),
        ("Order", ["order:references"], "write order:references?"),
        ("Pixie", [], "has no plural that leads back to it"),
    ],
)
def test_what_could_be_no_table_is_refused(application: Application, name: str, fields: list[str], reason: str) -> None:
    with pytest.raises(ConfigurationError) as refused:
        plan_model(application, name, parse(fields, references=True))
    assert reason in str(refused.value)


@pytest.mark.parametrize(
    ("text", "reason"), [("__all__ = [*names]\n", "its __all__ is no list of names"), ("", "it has no __all__")]
)
def test_a_list_of_models_of_another_make_is_left_alone(application: Application, text: str, reason: str) -> None:
    (application.root / "app" / "models").mkdir()
    (application.root / "app" / "models" / "__init__.py").write_text(text)
    plan = plan_model(application, "Order", [])
    lines = 'from app.models.order import Order\n__all__ = [..., "Order"]'
    assert plan.by_hand[0] == (Path("app/models/__init__.py"), reason, lines)


def test_a_list_of_models_whose_imports_go_on_is_left_alone(application: Application) -> None:
    (application.root / "app" / "models").mkdir()
    (application.root / "app" / "models" / "__init__.py").write_text('import os \\\n\n\n__all__ = ["Base"]\n')
    plan = plan_model(application, "Order", [])
    assert plan.by_hand[0][:2] == (Path("app/models/__init__.py"), "where an import belongs is not certain")
