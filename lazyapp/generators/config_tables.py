"""`Config(tables=…)`: told of the application's models, beside what it names already."""

import ast

from lazyapp.generators.application import Application
from lazyapp.generators.edit import CannotEdit, binds, checked, lines_of, tree_of, with_keyword
from lazyapp.generators.imports import Import, add
from lazyapp.generators.plan import Plan


def hook_tables(plan: Plan, app: Application, base: Import, module: str) -> None:
    """Plan that `Config(tables=…)` names `Base.metadata`; nothing to do where it does.

    Args:
        plan: is given the change, or the line to add by hand.
        app: whose.
        base: how the configuration imports `Base`.
        module: where it is defined.
    """
    text = plan.read(app.config)
    value = f"{base.name}.metadata"
    try:
        if any(_is_metadata(each, base.name) for each in ast.walk(tree_of(text))):
            return
        if binds(text, base.name):
            raise CannotEdit(f"it has another {base.name}")
        length = app.line_length
        new = _beside(text, value, length) if app.says("tables") else with_keyword(text, "tables", value, length)
        plan.change(app.config, add(new, [base], app))
    except CannotEdit as reason:
        lines = f"from {base.module} import {base.name}  # of {module}\nlazyapp.Config(…, tables={value})"
        plan.by_hand.append((app.config, str(reason), lines))


def _is_metadata(node: ast.AST, base: str) -> bool:
    return (
        isinstance(node, ast.Attribute) and node.attr == "metadata" and isinstance(node.value, ast.Name) and node.value.id == base
    )


def _beside(text: str, value: str, line_length: int) -> str:
    """`tables=metadata` becomes a list of both."""
    tree = tree_of(text)
    found = [node for node in ast.walk(tree) if isinstance(node, ast.keyword) and node.arg == "tables"]
    if len(found) != 1 or found[0].value.lineno != found[0].value.end_lineno:
        raise CannotEdit("its tables=… is laid out in its own way")
    given = found[0].value
    if isinstance(given, ast.Name | ast.Attribute):
        said = f"[{ast.unparse(given)}, {value}]"
    elif isinstance(given, ast.List | ast.Tuple) and given.elts:
        said = f"[{', '.join(map(ast.unparse, given.elts))}, {value}]"
    else:
        raise CannotEdit("its tables=… is laid out in its own way")
    lines = lines_of(text)
    line = lines[given.lineno - 1].encode()
    new = line[: given.col_offset] + said.encode() + line[given.end_col_offset :]
    if len(new.decode().rstrip()) > line_length:
        raise CannotEdit("the line with its tables=… is full")
    lines[given.lineno - 1] = new.decode()
    found[0].value = ast.parse(said, mode="eval").body
    return checked("".join(lines), tree)
