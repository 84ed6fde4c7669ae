"""Changes to a Python file that somebody wrote: one statement at the end of a function, one keyword of a call.

A change is made only where the syntax tree leaves no doubt of what it does; anything else is `CannotEdit`, and the line is told
instead.
"""

import ast
import re
from collections.abc import Callable, Iterator

_CONFIG = "Config"


class CannotEdit(Exception):
    """A change is not certain; the message says why, in a few words."""


def tree_of(text: str) -> ast.Module:
    """The syntax tree.

    Raises:
        CannotEdit: there is a syntax error.
    """
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError) as error:
        raise CannotEdit(f"it has a syntax error in line {getattr(error, 'lineno', '?')}") from None


def with_statement(text: str, kind: str, statement: Callable[[str], str]) -> str:
    """The text with a statement more at the end of a function.

    Args:
        text: of the file.
        kind: the function is the one with a parameter of this type, `Routes`.
        statement: is given the parameter's name and answers its line, or lines of a block.

    Raises:
        CannotEdit: there is no such function, or several, or what follows its last line might not run.
    """
    tree = tree_of(text)
    function, parameter = _function(tree, kind)
    lines = text.splitlines(keepends=True)
    first = function.body[0]
    indent = lines[first.lineno - 1][: first.col_offset]
    if first.lineno == function.lineno or indent.strip():
        raise CannotEdit(f"{function.name} stands on one line")
    if any(isinstance(node, ast.Return | ast.Yield | ast.YieldFrom) for node in _own(function)) or isinstance(
        function.body[-1], ast.Raise
    ):
        raise CannotEdit(f"{function.name} returns before its end")
    if any(isinstance(node, ast.Name) and node.id == parameter and isinstance(node.ctx, ast.Store) for node in _own(function)):
        raise CannotEdit(f"{parameter} is another thing at the end of {function.name}")
    last = function.end_lineno or 0
    end = "\r\n" if lines[0].endswith("\r\n") else "\n"
    if not lines[last - 1].endswith("\n"):
        lines[last - 1] += end
    lines[last:last] = [f"{indent}{line}{end}" for line in statement(parameter).splitlines()]
    return "".join(lines)


def calls(text: str, method: str) -> Iterator[ast.Call]:
    """Every call of a method of this name; none where the text cannot be read."""
    try:
        tree = tree_of(text)
    except CannotEdit:
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == method:
            yield node


def binds(text: str, name: str) -> bool:
    """Whether a file gives a name of its own a meaning: by an import, a definition or an assignment."""
    for node in ast.walk(tree_of(text)):
        if isinstance(node, ast.alias) and (node.asname or node.name) == name:
            return True
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and node.name == name:
            return True
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store):
            return True
    return False


def with_keyword(text: str, keyword: str, value: str, line_length: int) -> str:
    """The text with a keyword more in its call of `Config`.

    Raises:
        CannotEdit: there is not exactly one such call, it has the keyword, or where it would stand is not certain.
    """
    found = [node for node in ast.walk(tree_of(text)) if isinstance(node, ast.Call) and _called(node) == _CONFIG]
    if len(found) != 1:
        raise CannotEdit(f"it makes {'no' if not found else 'more than one'} Config")
    [call] = found
    if not call.keywords or any(each.arg in (None, keyword) for each in call.keywords):
        raise CannotEdit(f"its Config has {keyword} or ** already" if call.keywords else "its Config is empty")
    last = call.keywords[-1]
    lines = text.splitlines(keepends=True)
    at = (last.value.end_lineno or 0) - 1
    # The tree counts bytes.
    line = lines[at].encode()
    before, rest = line[: last.value.end_col_offset].decode(), line[last.value.end_col_offset :].decode()
    own = lines[last.lineno - 1][: last.col_offset]
    if call.end_lineno == at + 1 and rest.startswith(")"):
        lines[at] = f"{before}, {keyword}={value}{rest}"
        if len(lines[at].rstrip()) > line_length:
            raise CannotEdit("the line with its Config is full")
    elif re.fullmatch(r"\s*,\s*(#.*)?\s*", rest) and not own.strip():
        end = "\r\n" if rest.endswith("\r\n") else "\n"
        lines.insert(at + 1, f"{own}{keyword}={value},{end}")
    else:
        raise CannotEdit("its Config is laid out in its own way")
    return "".join(lines)


def _function(tree: ast.Module, kind: str) -> tuple[ast.FunctionDef | ast.AsyncFunctionDef, str]:
    found = [
        (node, parameter.arg)
        for node in tree.body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for parameter in node.args.args
        if parameter.annotation is not None and ast.unparse(parameter.annotation).strip("'\"").split(".")[-1] == kind
    ]
    if len(found) != 1:
        raise CannotEdit(f"it has {'no' if not found else 'more than one'} function that takes {kind}")
    return found[0]


def _own(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[ast.AST]:
    """What is in a function, but not in functions inside it."""
    todo: list[ast.AST] = list(function.body)
    while todo:
        node = todo.pop()
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            todo += ast.iter_child_nodes(node)


def _called(call: ast.Call) -> str:
    return ast.unparse(call.func).split(".")[-1]
