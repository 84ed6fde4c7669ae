"""A model of the application as its file says: read from the text, for the controller and the tests that need it."""

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lazyapp.errors import ConfigurationError
from lazyapp.generators.application import Application
from lazyapp.generators.edit import CannotEdit, tree_of
from lazyapp.generators.fields import KINDS, Field
from lazyapp.generators.imports import Import
from lazyapp.generators.layout import folded
from lazyapp.generators.names import camel, in_words, plural


@dataclass(frozen=True, slots=True)
class Model:
    """A model.

    Args:
        one: its name in small letters, `order_item`.
        fields: its columns but for the key; one of the kind `references` is called `customer` here and `customer_id` in the table.
    """

    one: str
    fields: tuple[Field, ...]

    @property
    def class_name(self) -> str:
        """`OrderItem`."""
        return camel(self.one)

    @property
    def many(self) -> str:
        """Its table, `order_items`."""
        return plural(self.one)

    @property
    def words(self) -> str:
        """`order item`."""
        return in_words(self.one)

    @property
    def label(self) -> str:
        """The column by which people know one from another."""
        return next((each.name for each in self.fields if each.kind == "str" and not each.is_optional), "id")


def model_path(app: Application, one: str) -> Path:
    """Where the file of a model stands, relative to the application."""
    return app.folder(app.app) / "models" / f"{one}.py"


def find_model(app: Application, one: str) -> Model | None:
    """The model of a name; None where there is none, or none that this can read."""
    try:
        tree = tree_of((app.root / model_path(app, one)).read_text(encoding="utf-8"))
    except (OSError, CannotEdit, ValueError):
        return None
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and node.name == camel(one):
            columns = [_column(each) for each in node.body if isinstance(each, ast.AnnAssign)]
            fields = [each for each in columns if each is not None]
            return Model(one, tuple(field for field in fields if field.name != "id"))
    return None


def check_reference(app: Application, field: Field) -> None:
    """Refuse a field that refers to a model which is not there.

    Raises:
        ConfigurationError: it does.
    """
    if field.kind == "references" and find_model(app, field.name) is None:
        path = model_path(app, field.name)
        raise ConfigurationError(f"There is no {path} to refer to; `lazyapp generate model {camel(field.name)}` makes it.")


def rows(app: Application, model: Model, seen: Sequence[str] = ()) -> list[str]:
    """The lines of a test that add one row and what it refers to; the session is `db`, and the row is called as its model."""
    lines, given = [], []
    for field in model.fields:
        if field.kind != "references":
            given.append(f"{field.name}={field.example}")
            continue
        other = find_model(app, field.name)
        if other is None or field.name in seen or field.name == model.one:
            continue
        lines += rows(app, other, (*seen, model.one))
        given.append(f"{field.name}_id={field.name}.id")
    lines += [*folded(f"{model.one} = {model.class_name}(", given, ")").splitlines(), f"db.add({model.one})", "await db.flush()"]
    return lines


def models_in(app: Application, model: Model, seen: Sequence[str] = ()) -> list[Import]:
    """The models that `rows` names, and what their examples need."""
    found = [Import(f"{app.app}.models", model.class_name)]
    for field in model.fields:
        if field.kind == "references":
            other = find_model(app, field.name)
            if other is not None and field.name not in seen and field.name != model.one:
                found += models_in(app, other, (*seen, model.one))
        elif field.kind != "choice":
            found += [each for each in KINDS[field.kind].imports if each.name in field.example]
    return found


def _column(node: ast.AnnAssign) -> Field | None:
    """A column as a field; None for what is none, or of a type that no form has."""
    if not isinstance(node.target, ast.Name) or not isinstance(node.annotation, ast.Subscript):
        return None
    if ast.unparse(node.annotation.value).split(".")[-1] != "Mapped":
        return None
    name, said = node.target.id, ast.unparse(node.annotation.slice)
    is_optional = said.endswith(" | None")
    bare = said.removesuffix(" | None")
    keywords = {each.arg: each.value for each in node.value.keywords} if isinstance(node.value, ast.Call) else {}
    default = ast.unparse(keywords["default"]).replace("'", '"') if "default" in keywords else None
    if isinstance(node.value, ast.Call) and any(ast.unparse(each).startswith("ForeignKey(") for each in node.value.args):
        return Field(name.removesuffix("_id"), "references", is_optional)
    if bare.startswith("Literal["):
        return Field(name, "choice", is_optional, default, tuple(ast.literal_eval(f"({bare[8:-1]},)")))
    return Field(name, bare, is_optional, default) if bare in KINDS else None
