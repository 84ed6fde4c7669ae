"""A column of a model, and further columns in a model that somebody wrote."""

import ast
from collections.abc import Sequence

from lazyapp.generators.application import Application
from lazyapp.generators.edit import CannotEdit, body_of, checked, lines_of, tree_of
from lazyapp.generators.fields import Field
from lazyapp.generators.imports import Import, add
from lazyapp.generators.layout import folded
from lazyapp.generators.names import plural

_SQL_TYPES = {
    "Decimal": ("Numeric", "Numeric(12, 2)"),
    "datetime": ("DateTime", "DateTime(timezone=True)"),
    "list[str]": ("JSON", "JSON"),
}


def column(field: Field) -> tuple[list[Import], str]:
    """What a column needs imported, and its line in the body of a model."""
    if field.kind == "references":
        table = plural(field.name)
        bare = "int | None" if field.is_optional else "int"
        line = folded(f"    {field.name}_id: Mapped[{bare}] = mapped_column(", [f'ForeignKey("{table}.id")', "index=True"], ")")
        return [Import("sqlalchemy", "ForeignKey")], line
    imports, parts = list(field.imports), []
    if field.kind in _SQL_TYPES:
        name, said = _SQL_TYPES[field.kind]
        imports.append(Import("sqlalchemy", name))
        parts.append(said)
    if field.default is not None:
        parts.append(f"default={field.default}")
    elif field.kind == "list[str]" and not field.is_optional:
        parts.append("default=list")
    head = f"    {field.name}: Mapped[{field.annotation}]"
    return imports, folded(f"{head} = mapped_column(", parts, ")") if parts else head


def with_columns(text: str, class_name: str, columns: Sequence[tuple[list[Import], str]], app: Application) -> str:
    """The text of a model's file with columns more, below the last; those that it has are not repeated.

    Raises:
        CannotEdit: there is no such class, or where its columns end is not certain.
    """
    tree = tree_of(text)
    found = [node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == class_name]
    mapped = [node for each in found for node in each.body if isinstance(node, ast.AnnAssign) and "Mapped[" in ast.unparse(node)]
    if len(found) != 1 or not mapped or any(node.col_offset != 4 for node in mapped):
        raise CannotEdit(f"it has no class {class_name} with columns")
    names = {ast.unparse(node.target) for node in mapped}
    columns = [(needed, line) for needed, line in columns if line.split(":")[0].strip() not in names]
    lines, last = lines_of(text), mapped[-1].end_lineno or 0
    end = "\r\n" if lines[0].endswith("\r\n") else "\n"
    if not lines[last - 1].endswith("\n"):
        lines[last - 1] += end
    lines[last:last] = [f"{line}\n".replace("\n", end) for _, line in columns]
    body, at = found[0].body, found[0].body.index(mapped[-1]) + 1
    body[at:at] = body_of("".join(f"{line}\n" for _, line in columns)) if columns else []
    return add(checked("".join(lines), tree), [each for needed, _ in columns for each in needed], app)
