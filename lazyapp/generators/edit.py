"""Changes to a Python file that somebody wrote: one statement at the end of a function, one keyword of a call.

A change is made only where the syntax tree leaves no doubt of what it does; anything else is `CannotEdit`, and the line is told
instead. Every changed text is read again and must be the old tree with exactly what was meant: `checked`.
"""

import ast
import io
import re
from collections.abc import Callable, Iterator, Sequence

_CONFIG = "Config"
_TOO_DEEP = "it is nested too deeply"
_UNCERTAIN = "where the change belongs is not certain"


class CannotEdit(Exception):
    """A change is not certain; the message says why, in a few words."""


def tree_of(text: str) -> ast.Module:
    """The syntax tree.

    Raises:
        CannotEdit: there is a syntax error, or what no parser follows, such as a thousand brackets in each other.
    """
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None)
        raise CannotEdit("it has a syntax error" + (f" in line {line}" if line else "")) from None
    except (MemoryError, RecursionError):
        raise CannotEdit(_TOO_DEEP) from None


def lines_of(text: str) -> list[str]:
    """The lines as the tree counts them, with their ends.

    `str.splitlines` also ends a line at a form feed, U+2028 and others, which may stand in a comment.
    """
    return list(io.StringIO(text, newline=""))


def body_of(text: str) -> list[ast.stmt]:
    """The statements of a piece of a class, indented as it stands there."""
    [found] = ast.parse(f"class _:\n{text}").body
    return found.body if isinstance(found, ast.ClassDef) else []


def checked(text: str, meant: ast.Module) -> str:
    """The changed text, when it says what was meant.

    Args:
        text: changed.
        meant: the tree of the text before, with what was to be changed in it.

    Raises:
        CannotEdit: it says something else.
    """
    try:
        check_same(ast.parse(text), meant)
    except (SyntaxError, ValueError):
        raise CannotEdit(_UNCERTAIN) from None
    return text


def check_same(found: ast.Module, meant: ast.Module) -> None:
    """Refuse what says something else, wherever it stands.

    Raises:
        CannotEdit: it does, or is nested too deeply to tell.
    """
    try:
        is_same = ast.dump(found) == ast.dump(meant)
    except RecursionError:
        raise CannotEdit(_TOO_DEEP) from None
    if not is_same:
        raise CannotEdit(_UNCERTAIN)


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
    lines = lines_of(text)
    first = function.body[0]
    indent = lines[first.lineno - 1][: first.col_offset]
    if first.lineno == function.lineno or indent.strip():
        raise CannotEdit(f"{function.name} stands on one line")
    if any(isinstance(node, ast.Return | ast.Yield | ast.YieldFrom) for node in _own(function)) or isinstance(
        function.body[-1], ast.Raise
    ):
        raise CannotEdit(f"{function.name} returns before its end")
    if any(parameter in _named(node) for node in _own(function)) or any(
        isinstance(node, ast.Nonlocal) and parameter in node.names for node in ast.walk(function)
    ):
        raise CannotEdit(f"{parameter} is another thing at the end of {function.name}")
    last = function.end_lineno or 0
    end = "\r\n" if lines[0].endswith("\r\n") else "\n"
    if not lines[last - 1].endswith("\n"):
        lines[last - 1] += end
    said = statement(parameter)
    lines[last:last] = [f"{indent}{line}{end}" for line in said.split("\n")]
    function.body += tree_of(said).body
    return checked("".join(lines), tree)


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
    return any(name in _named(node) for node in ast.walk(tree_of(text)))


def with_keyword(text: str, keyword: str, value: str, line_length: int) -> str:
    """The text with a keyword more in its call of `Config`.

    Raises:
        CannotEdit: there is not exactly one such call, it has the keyword, or where it would stand is not certain.
    """
    tree = tree_of(text)
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and _called(node) == _CONFIG]
    if len(found) != 1:
        raise CannotEdit(f"it makes {'no' if not found else 'more than one'} Config")
    [call] = found
    if not call.keywords or any(each.arg in (None, keyword) for each in call.keywords):
        raise CannotEdit(f"its Config has {keyword} or ** already" if call.keywords else "its Config is empty")
    last = call.keywords[-1]
    lines = lines_of(text)
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
    call.keywords.append(ast.keyword(keyword, ast.parse(value, mode="eval").body))
    return checked("".join(lines), tree)


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
    [(function, parameter)] = found
    if any(function.name in _named(node) for node in _own(tree) if node is not function):
        raise CannotEdit(f"it has another {function.name}")
    return function, parameter


def _named(node: ast.AST) -> Sequence[str | None]:
    """The names that a part of a tree gives a meaning, or takes it from."""
    if isinstance(node, ast.Name):
        return () if isinstance(node.ctx, ast.Load) else (node.id,)
    if isinstance(node, ast.alias):
        return ((node.asname or node.name).partition(".")[0],)
    if isinstance(node, ast.MatchMapping):
        return (node.rest,)
    named = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.ExceptHandler | ast.MatchAs | ast.MatchStar
    return (node.name,) if isinstance(node, named) else ()


def _own(scope: ast.FunctionDef | ast.AsyncFunctionDef | ast.Module) -> Iterator[ast.AST]:
    """What is in a function or a file, but not in functions and classes inside it."""
    todo: list[ast.AST] = list(scope.body)
    while todo:
        node = todo.pop()
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            todo += ast.iter_child_nodes(node)


def _called(call: ast.Call) -> str:
    function = call.func
    return function.id if isinstance(function, ast.Name) else function.attr if isinstance(function, ast.Attribute) else ""
