"""`lazyapp generate migration`: the next step of `app/migrations`, filled where its name and fields say with what."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lazyapp.errors import ConfigurationError
from lazyapp.generators.application import Application
from lazyapp.generators.edit import CannotEdit
from lazyapp.generators.fields import Field
from lazyapp.generators.imports import Import
from lazyapp.generators.layout import folded, render_block, template
from lazyapp.generators.model_class import check_reference, model_path
from lazyapp.generators.model_column import column, with_columns
from lazyapp.generators.names import camel, check_word, in_words, plural
from lazyapp.generators.plan import Plan
from lazyapp.migrations import FOLDER, Migration, application
from lazyapp.path_template import singular

_TYPES = {
    "str": "sa.String()",
    "int": "sa.Integer()",
    "float": "sa.Double()",
    "bool": "sa.Boolean()",
    "Decimal": "sa.Numeric(12, 2)",
    "date": "sa.Date()",
    "datetime": "sa.DateTime(timezone=True)",
    "UUID": "sa.Uuid()",
    "list[str]": "sa.JSON()",
    "references": "sa.Integer()",
}
_NAMED = re.compile(r"(?P<verb>add|remove)_(?P<what>\w+)_(?:to|from)_(?P<table>\w+)|(?P<make>make|create)_(?P<made>\w+)")


@dataclass(frozen=True, slots=True)
class Columns:
    """Columns of a table."""

    table: str
    fields: Sequence[Field]


@dataclass(frozen=True, slots=True)
class Steps:
    """What a migration does, and how it is taken back: lines of the two functions."""

    up: Sequence[str] = ()
    down: Sequence[str] = ()


def plan_migration(app: Application, name: str, fields: Sequence[Field]) -> Plan:
    """A migration.

    Args:
        app: whose.
        name: what it does: `add_price_to_orders`, `remove_price_from_orders`, `create_orders`; of any other name it is empty.
        fields: the columns that are meant.

    Raises:
        ConfigurationError: the name is unusable, or the fields do not go with it.
    """
    plan = Plan(app.root)
    for field in fields:
        check_reference(app, field)
    path = plan_file(plan, app, name, guessed(name, fields))
    match = _NAMED.fullmatch(name)
    if match is not None and match["table"]:
        if not _is_known(app, match["table"]):
            plan.next += [
                f"No migration and no model here names a table {match['table']!r}; where the database lacks it, this fails."
            ]
        if fields:
            change_model(plan, app, Columns(match["table"], fields), is_new=match["verb"] == "add")
    if not fields:
        plan.next += [f"Write in {path} what it does and how it is taken back."]
    plan.next += ["lazyapp db upgrade runs it, and so does the next start."]
    return plan


def _is_known(app: Application, table: str) -> bool:
    """Whether a file of the application writes the name of a table; one that SQL alone makes may be there without that."""
    folders = (app.root / FOLDER, app.root / app.folder(app.app) / "models")
    named = re.compile(rf"""["'`\s(.]{re.escape(table)}\b""")
    return any(named.search(path.read_text(encoding="utf-8", errors="replace")) for each in folders for path in each.glob("*.py"))


def change_model(plan: Plan, app: Application, columns: Columns, *, is_new: bool) -> None:
    """Plan the same columns for the model of the table, where there is one; what is taken away is told, and left to its reader."""
    path = model_path(app, singular(columns.table))
    if not (app.root / path).is_file():
        return
    told = [f"take {_name(each)} out of {camel(singular(columns.table))}" for each in columns.fields]
    reason = "what is gone may be used elsewhere"
    if is_new:
        written = [column(each) for each in columns.fields]
        told = [line.strip() for _, line in written]
        try:
            plan.change(path, with_columns(plan.read(path), camel(singular(columns.table)), written, app))
            return
        except CannotEdit as cause:
            reason = str(cause)
    plan.by_hand.append((path, reason, "\n".join(told)))


def guessed(name: str, fields: Sequence[Field]) -> Steps:
    """What a name and fields mean together; nothing where no fields are given.

    Raises:
        ConfigurationError: there are fields, and the name does not say what of them.
    """
    if not fields:
        return Steps()
    match = _NAMED.fullmatch(name)
    if match is None:
        raise ConfigurationError(
            f"{name!r} does not say what becomes of the fields; write add_…_to_TABLE, remove_…_from_TABLE or create_TABLE."
        )
    if match["make"]:
        return create_table(Columns(match["made"], fields))
    steps = _add_columns(Columns(match["table"], fields), is_new=match["verb"] == "add")
    return steps if match["verb"] == "add" else Steps(steps.down, steps.up)


def create_table(columns: Columns) -> Steps:
    """A table with a key of its own."""
    parts = [f'"{columns.table}"', 'sa.Column("id", sa.Integer(), nullable=False)', *(_column(each) for each in columns.fields)]
    parts += [_foreign_key(columns.table, each, is_inline=True) for each in columns.fields if each.kind == "references"]
    parts.append(f'sa.PrimaryKeyConstraint("id", name=op.f("pk_{columns.table}"))')
    up = folded("    op.create_table(", parts, ")").splitlines()
    for each in columns.fields:
        if each.kind == "references":
            up += _index(columns.table, each)
    return Steps(up, [f'    op.drop_table("{columns.table}")'])


def plan_file(plan: Plan, app: Application, name: str, steps: Steps) -> Path:
    """Plan the file of a migration that follows the last.

    Raises:
        ConfigurationError: the name is unusable, the migrations that there are cannot be read, or have another order than a line.
    """
    check_word(name, "a migration")
    if app.says("migrations"):
        raise ConfigurationError(
            f"{app.config} gives Config(migrations=…) a folder; write there with: lazyapp db revision -m {in_words(name)!r}"
        )
    had = application(app.root / FOLDER).read()
    followed = {before for each in had for before in each.follows}
    heads = [each.revision for each in had if each.revision not in followed]
    if len(heads) > 1:
        raise ConfigurationError(f"{FOLDER} has more than one last migration ({', '.join(heads)}); bring them together first.")
    number = _next(had)
    text = template(
        "migration.py",
        summary=in_words(name).capitalize(),
        imports=_imports(steps, app),
        revision=f'"{number}"',
        down_revision=f'"{heads[0]}"' if heads else "None",
        up="\n".join(steps.up) or "    pass",
        down="\n".join(steps.down) or "    pass",
    )
    path = FOLDER / f"{number}_{name}.py"
    plan.create(path, text)
    plan.provide(Path("tests") / "test_migrations.py", _test(app))
    return path


def _add_columns(columns: Columns, *, is_new: bool) -> Steps:
    table, up, down = columns.table, [], []
    for each in columns.fields:
        if is_new and each.default is None and not each.is_optional:
            raise ConfigurationError(
                f"{each.name!r} has no default, and the {in_words(table)} that there are would have no value for it; "
                f"write {each.name}:…? or {each.name}:…=VALUE."
            )
        up.append(f"        table.add_column({_column(each, with_default=True)})")
        if each.kind == "references":
            up.append(f"        table.create_foreign_key({_foreign_key(table, each, is_inline=False)})")
            up.append(f'        table.create_index(op.f("ix_{table}_{each.name}_id"), ["{each.name}_id"])')
            down.append(f'        table.drop_index(op.f("ix_{table}_{each.name}_id"))')
            down.append(f'        table.drop_constraint(op.f("{_constraint(table, each)}"), type_="foreignkey")')
        down.append(f'        table.drop_column("{_name(each)}")')
    # SQLite changes a table by making another; on PostgreSQL this is ALTER TABLE.
    begin = f'    with op.batch_alter_table("{table}") as table:'
    return Steps([begin, *up], [begin, *down])


def _column(field: Field, *, with_default: bool = False) -> str:
    kind = (
        _TYPES.get(field.kind) or f"sa.Enum({', '.join(f'{chr(34)}{each}{chr(34)}' for each in field.choices)}, native_enum=False)"
    )
    parts = [f'"{_name(field)}"', kind]
    if with_default and field.default is not None:
        parts.append(f"server_default={_server_default(field)}")
    return f"sa.Column({', '.join([*parts, f'nullable={field.is_optional}'])})"


def _server_default(field: Field) -> str:
    default = field.default or ""
    if field.kind == "bool":
        return f"sa.{default.lower()}()"
    if field.kind in {"int", "float"}:
        return f'"{default}"'
    if field.kind == "date":
        year, month, day = map(int, re.findall(r"\d+", default))
        return f'"{year:04d}-{month:02d}-{day:02d}"'
    if field.kind == "UUID":
        # SQLite keeps it without hyphens, and PostgreSQL reads both.
        return default.removeprefix("UUID(").removesuffix(")").replace("-", "")
    return default.removeprefix("Decimal(").removesuffix(")") if field.kind == "Decimal" else default


def _name(field: Field) -> str:
    return f"{field.name}_id" if field.kind == "references" else field.name


def _constraint(table: str, field: Field) -> str:
    return f"fk_{table}_{field.name}_id_{plural(field.name)}"


def _foreign_key(table: str, field: Field, *, is_inline: bool) -> str:
    name = f'op.f("{_constraint(table, field)}")'
    if is_inline:
        return f'sa.ForeignKeyConstraint(["{field.name}_id"], ["{plural(field.name)}.id"], name={name})'
    return f'{name}, "{plural(field.name)}", ["{field.name}_id"], ["id"]'


def _index(table: str, field: Field) -> list[str]:
    parts = [f'op.f("ix_{table}_{field.name}_id")', f'"{table}"', f'["{field.name}_id"]']
    return folded("    op.create_index(", parts, ")").splitlines()


def _imports(steps: Steps, app: Application) -> str:
    text = "\n".join((*steps.up, *steps.down))
    needed = [*([Import("sqlalchemy", "", "sa")] if "sa." in text else []), *([Import("alembic", "op")] if "op." in text else [])]
    return render_block(needed, app)


def _next(had: Sequence[Migration]) -> str:
    """The number after the last.

    Raises:
        ConfigurationError: they are called otherwise.
    """
    numbers = [each.revision for each in had]
    if not all(number.isdigit() and len(number) == 4 for number in numbers):
        raise ConfigurationError(
            f"The migrations in {FOLDER} are not numbered 0001, 0002, …; write the next with: lazyapp db revision -m TEXT"
        )
    return f"{max(map(int, numbers), default=0) + 1:04d}"


def _test(app: Application) -> str:
    return template("migrations_test.py")
