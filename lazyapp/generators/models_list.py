"""`app/models/__init__.py`, which lists the models: importing it makes all of them known."""

import ast

from lazyapp.generators.edit import CannotEdit, checked, lines_of, tree_of
from lazyapp.generators.layout import folded


def with_model(text: str, name: str) -> str | None:
    """The text with a name more in its `__all__`, in order; None where that is no plain list of names."""
    try:
        tree = tree_of(text)
    except CannotEdit:
        return None
    for node in tree.body:
        if isinstance(node, ast.Assign) and [ast.unparse(each) for each in node.targets] == ["__all__"]:
            names = _names(node.value)
            lines = lines_of(text)
            said = "".join(lines[node.lineno - 1 : node.end_lineno])
            if names is None or "#" in said or not said.startswith("__all__ = ["):
                return None
            quoted = [f'"{each}"' for each in sorted({*names, name})]
            new = folded("__all__ = [", quoted, "]") + "\n"
            changed = "".join([*lines[: node.lineno - 1], new, *lines[node.end_lineno or 0 :]])
            node.value = ast.parse(f"[{', '.join(quoted)}]", mode="eval").body
            try:
                return checked(changed, tree)
            except CannotEdit:
                return None
    return None


def _names(value: ast.expr) -> list[str] | None:
    try:
        found = ast.literal_eval(value)
    except ValueError:
        return None
    return found if isinstance(found, list) and all(isinstance(each, str) for each in found) else None
