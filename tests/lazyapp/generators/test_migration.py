"""`lazyapp.generators.migration`."""

from pathlib import Path

import pytest

from lazyapp.errors import ConfigurationError
from lazyapp.generators.application import Application
from lazyapp.generators.fields import parse
from lazyapp.generators.migration import plan_migration
from lazyapp.generators.model import plan_model
from lazyapp.generators.plan import carry_out


def written(application: Application, name: str, fields: list[str]) -> str:
    plan = plan_migration(application, name, parse(fields))
    [path] = [each for each in plan.created if each.parent.name == "migrations"]
    compile(plan.created[path], path.name, "exec")
    return plan.created[path]


def existing(application: Application, *files: tuple[str, str]) -> None:
    (application.root / "app" / "migrations").mkdir()
    for name, text in files:
        (application.root / "app" / "migrations" / name).write_text(text)


def test_columns_are_added_and_taken_back(application: Application) -> None:
    text = written(application, "add_price_to_orders", ["price:Decimal=1.5", "kind:a|b=a", "ok:bool=true", "day:date=2026-01-02"])
    assert '        table.add_column(sa.Column("price", sa.Numeric(12, 2), server_default="1.5", nullable=False))\n' in text
    assert 'sa.Enum("a", "b", native_enum=False), server_default="a"' in text
    assert "server_default=sa.true()" in text
    assert 'server_default="2026-01-02"' in text
    assert text.partition("def downgrade")[2].count("table.drop_column(") == 4


def test_columns_are_taken_away_and_brought_back(application: Application) -> None:
    up, _, down = written(application, "remove_note_from_orders", ["note:str?"]).partition("def downgrade")
    assert ('table.drop_column("note")' in up, "table.add_column(" in down) == (True, True)


def test_a_table_is_made(application: Application) -> None:
    text = written(application, "create_notes", ["text"])
    assert '        sa.PrimaryKeyConstraint("id", name=op.f("pk_notes")),\n' in text
    assert '    op.drop_table("notes")\n' in text


def test_a_name_that_says_nothing_is_an_empty_migration(application: Application) -> None:
    text = written(application, "tidy_up", [])
    assert text.startswith('"""Tidy up"""\n\nrevision = "0001"\ndown_revision = None\n\n\n')
    assert text.endswith("def upgrade() -> None:\n    pass\n\n\ndef downgrade() -> None:\n    pass\n")


def test_it_follows_the_last(application: Application) -> None:
    existing(application, ("0007_x.py", 'revision = "0007"\ndown_revision = None\n'))
    plan = plan_migration(application, "tidy_up", [])
    assert 'revision = "0008"\ndown_revision = "0007"\n' in plan.created[Path("app/migrations/0008_tidy_up.py")]


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        ([("a.py", 'revision = "0001"\n'), ("b.py", 'revision = "0002"\n')], "more than one last migration (0001, 0002)"),
        ([("a.py", 'revision = "3f2a"\n')], "not numbered 0001, 0002"),
        ([("a.py", "revision = (\n")], "cannot be read"),
    ],
)
def test_what_follows_no_one_is_refused(application: Application, files: list[tuple[str, str]], reason: str) -> None:
    existing(application, *files)
    with pytest.raises(ConfigurationError) as refused:
        plan_migration(application, "tidy_up", [])
    assert reason in str(refused.value)


@pytest.mark.parametrize(
    ("name", "fields", "reason"),
    [
        ("tidy_up", ["a:int"], "does not say what becomes of the fields"),
        ("add_price_to_orders", ["price:Decimal"], "has no default, and the orders that there are would have no value for it"),
        ("Tidy up", [], "cannot be the name of a migration"),
    ],
)
def test_fields_that_do_not_go_with_the_name_are_refused(
    application: Application, name: str, fields: list[str], reason: str
) -> None:
    with pytest.raises(ConfigurationError, match=reason):
        plan_migration(application, name, parse(fields))


def test_a_folder_of_its_own_is_left_to_alembic(application: Application) -> None:
    config = application.root / "init" / "app.py"
    config.write_text(config.read_text().replace("drawer=draw,", "drawer=draw,\n        migrations=here,"))
    with pytest.raises(ConfigurationError, match=r"gives Config\(migrations=…\) a folder; write there with: lazyapp db revision"):
        plan_migration(application, "tidy_up", [])


def test_the_model_of_the_table_is_given_the_column_too(application: Application) -> None:
    carry_out(plan_model(application, "Order", parse(["title"])))
    path = Path("app/models/order.py")
    added = plan_migration(application, "add_price_to_orders", parse(["price:Decimal=0", "title?"]))
    assert added.read(path).endswith(
        '    title: Mapped[str]\n    price: Mapped[Decimal] = mapped_column(Numeric(12, 2), default=Decimal("0"))\n'
    )
    removed = plan_migration(application, "remove_title_from_orders", parse(["title?"]))
    assert removed.by_hand == [(path, "what is gone may be used elsewhere", "take title out of Order")]


@pytest.mark.parametrize("fields", [[], ["isbn?"]])
def test_a_table_that_nothing_names_is_told(application: Application, fields: list[str]) -> None:
    """A slip of the pen would be an error of the database only at the next start; a table of another's making may be meant."""
    carry_out(plan_model(application, "Order", parse(["title"])))
    known, unknown = (plan_migration(application, f"add_isbn_to_{table}", parse(fields)).next for table in ("orders", "nosuch"))
    told = "No migration and no model here names a table 'nosuch'; where the database lacks it, this fails."
    assert (unknown[0], len(unknown) - len(known)) == (told, 1)
