"""`lazyapp generate model`: a table as a class of SQLAlchemy, the migration that makes it, and a test that keeps a row in it."""

from collections.abc import Sequence
from pathlib import Path

from lazyapp.errors import ConfigurationError
from lazyapp.generators.application import Application
from lazyapp.generators.config_tables import hook_tables
from lazyapp.generators.edit import CannotEdit
from lazyapp.generators.fields import Field
from lazyapp.generators.imports import Import, add
from lazyapp.generators.layout import module as python_file
from lazyapp.generators.layout import template
from lazyapp.generators.mcp_test import CLIENT, path_of_test
from lazyapp.generators.migration import Columns, create_table, plan_file
from lazyapp.generators.model_class import Model, check_reference, model_path, models_in, rows
from lazyapp.generators.model_column import column
from lazyapp.generators.models_list import with_model
from lazyapp.generators.names import a_or_an, check_free_word, snake
from lazyapp.generators.plan import Plan

# What SQLAlchemy keeps for itself on a class, and the key that each table has.
_TAKEN = frozenset({"id", "metadata", "registry"})
# What a view calls otherwise: a row's variable would hide it.
_OF_VIEWS = frozenset({"base", "content", "current_user", "field", "flash", "form", "partial", "title"})


def plan_model(app: Application, name: str, fields: Sequence[Field]) -> Plan:
    """A model in a file of its own, listed in `app/models`, with its migration.

    Args:
        app: whose.
        name: in the singular, `Order` or `order_item`.
        fields: its columns.

    Raises:
        ConfigurationError: a name is unusable or taken, or a field refers to a model that is not there.
    """
    one = snake(name)
    check_free_word(one, "a model")
    model = Model(one, tuple(fields))
    _check(app, model)
    plan = Plan(app.root)
    models = app.folder(app.app) / "models"
    base = f"{app.app}.models.base"
    plan.provide(models / "__init__.py", _package(app))
    plan.provide(models / "base.py", template("model_base.py"))
    plan.create(model_path(app, one), model_file(app, model))
    _list(plan, app, models / "__init__.py", Import(f"{app.app}.models.{one}", model.class_name))
    hook_tables(plan, app, Import(f"{app.app}.models", "Base"), base)
    migration = plan_file(plan, app, f"make_{model.many}", create_table(Columns(model.many, model.fields)))
    plan.create(path_of_test(one, "model"), _test(app, model))
    plan.next += [f"Look at {migration}, then run: lazyapp db upgrade", f"Pages for it: lazyapp generate controller {model.many}"]
    return plan


def model_file(app: Application, model: Model) -> str:
    """The text of a model's file."""
    imports = [
        Import("sqlalchemy.orm", "Mapped"),
        Import("sqlalchemy.orm", "mapped_column"),
        Import(f"{app.app}.models.base", "Base"),
    ]
    lines = []
    for field in model.fields:
        needed, line = column(field)
        imports += needed
        lines.append(line)
    said = a_or_an(model.words)
    body = template(
        "model.py", class_name=model.class_name, said=said[:1].upper() + said[1:], table=model.many, columns="\n".join(lines)
    )
    return python_file(f"{said[:1].upper() + said[1:]}, as the database keeps it.", imports, [body.rstrip("\n") + "\n"], app)


def _check(app: Application, model: Model) -> None:
    if model.one in _OF_VIEWS:
        raise ConfigurationError(f"{model.one!r} has a meaning in views; choose another name, such as {model.one}_entry.")
    for field in model.fields:
        column = f"{field.name}_id" if field.kind == "references" else field.name
        if column in _TAKEN:
            raise ConfigurationError(f"{column!r} is a column that every model has, or SQLAlchemy's own; choose another name.")
        if field.name != model.one:
            check_reference(app, field)
        if field.kind == "references" and field.name == model.one and not field.is_optional:
            raise ConfigurationError(f"The first of the {model.many} could not refer to another; write {field.name}:references?.")


def _package(app: Application) -> str:
    head = '"""The tables of this application, a file each. `Base.metadata` is what the database should have."""\n\n'
    return f'{head}from {app.app}.models.base import Base\n\n__all__ = ["Base"]\n'


def _list(plan: Plan, app: Application, path: Path, needed: Import) -> None:
    text = plan.read(path)
    new = with_model(text, needed.name)
    lines = f'from {needed.module} import {needed.name}\n__all__ = [..., "{needed.name}"]'
    if new is None:
        plan.by_hand.append((path, "its __all__ is no list of names" if "__all__" in text else "it has no __all__", lines))
    else:
        try:
            plan.change(path, add(new, [needed], app))
        except CannotEdit as reason:
            plan.by_hand.append((path, str(reason), lines))


def _test(app: Application, model: Model) -> str:
    imports = [CLIENT, Import("sqlalchemy", "select"), *models_in(app, model)]
    imports += [Import("lazyapp.database", "AsyncEngine"), Import("lazyapp.database", "AsyncSession")]
    compared = [each for each in model.fields if each.kind not in {"references", "datetime"}]
    body = template(
        "model_test.py",
        said=a_or_an(model.words).replace(" ", "_"),
        one=model.one,
        class_name=model.class_name,
        rows="\n".join(f"        {line}" for line in rows(app, model)),
        compared="\n".join(_compared(model.one, each) for each in compared) or f"    assert {model.one}.id == 1",
    )
    return python_file(f"The {model.many.replace('_', ' ')}, as the database keeps them.", imports, [body], app)


def _compared(one: str, field: Field) -> str:
    if field.kind == "bool":
        return f"    assert {one}.{field.name}"
    return f"    assert {one}.{field.name} == {field.example}"
