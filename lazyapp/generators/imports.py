"""The imports at the top of a Python file: read, added to, and written in the order that ruff and isort give them.

A block that stands in that order is written anew with what is added. Any other block is somebody's own: it is left as it is, and
what is added follows it on a line of its own.
"""

import ast
import io
import re
import sys
import tokenize
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from lazyapp.generators.application import Application
from lazyapp.generators.edit import CannotEdit, check_same, lines_of, tree_of

_MAX_NEW = 88
_UNCERTAIN = "where an import belongs is not certain"


class Import(NamedTuple):
    """One imported name: `import module`, or `from module import name`."""

    module: str
    name: str = ""
    alias: str = ""


@dataclass(frozen=True, slots=True)
class Statement:
    """One import statement; `is_open` when its names stand on lines of their own."""

    module: str
    names: tuple[tuple[str, str], ...] = ()
    alias: str = ""
    is_open: bool = False


def parse(text: str) -> list[Import]:
    """The imports of a piece of Python."""
    found = []
    for node in ast.parse(text).body:
        if isinstance(node, ast.Import):
            found += [Import(each.name, "", each.asname or "") for each in node.names]
        elif isinstance(node, ast.ImportFrom):
            found += [Import(node.module or "", each.name, each.asname or "") for each in node.names]
    return found


def render(imports: Iterable[Import], app: Application) -> str:
    """A block of imports for a new file; empty when there are none."""
    return _written(_merged((), imports), app, min(app.line_length, _MAX_NEW))


def add(text: str, imports: Iterable[Import], app: Application) -> str:
    """A file with further imports at its top; those that it has are not repeated.

    Raises:
        CannotEdit: it would say something else than before, besides the imports.
    """
    tree = tree_of(text)
    nodes = _top(tree)
    had = {each for node in nodes for each in parse(ast.unparse(node))}
    lacking = [each for each in dict.fromkeys(imports) if each not in had]
    if not lacking:
        return text
    lines = lines_of(text)
    end = "\r\n" if lines and lines[0].endswith("\r\n") else "\n"
    if not nodes:
        return _checked(_below_the_docstring(tree, lines, render(lacking, app), end), tree, lacking)
    first, last = nodes[0].lineno - 1, nodes[-1].end_lineno or 0
    block = "".join(lines[first:last])
    statements = [_statement(node) for node in nodes]
    ours = _written(statements, app, app.line_length)
    if "#" in _comments(block) or ours.rstrip("\n") != block.replace("\r\n", "\n").rstrip("\n"):
        new = "".join(f"{_line(each, app.line_length)}\n" for each in _merged((), lacking))
        own = "" if lines[last - 1].endswith("\n") else "\n"
        return _checked("".join([*lines[:last], own, new.replace("\n", end), *lines[last:]]), tree, lacking)
    new = _written(_merged(statements, lacking), app, app.line_length)
    return _checked("".join([*lines[:first], new.replace("\n", end), *lines[last:]]), tree, lacking)


def _checked(text: str, before: ast.Module, lacking: Sequence[Import]) -> str:
    """The text, when it has the imports of before and those that were lacking, in whatever order, and is the same below them."""
    wanted = {*_names(before), *((0, each.module, each.name, each.alias) for each in lacking)}
    try:
        after = ast.parse(text)
    except (SyntaxError, ValueError):
        raise CannotEdit(_UNCERTAIN) from None
    if _names(after) != wanted:
        raise CannotEdit(_UNCERTAIN)
    tops = _top(before), _top(after)
    rests = [
        ast.Module([each for each in tree.body if each not in top], []) for tree, top in zip((before, after), tops, strict=True)
    ]
    check_same(rests[1], rests[0])
    return text


def _names(tree: ast.Module) -> set[tuple[int, str, str, str]]:
    """What the file's top imports: the dots before the module, the module, the name, and what it is called here."""
    found = set()
    for node in _top(tree):
        for each in node.names:
            alias = each.asname or ""
            if isinstance(node, ast.Import):
                found.add((0, each.name, "", alias))
            else:
                found.add((node.level, node.module or "", each.name, alias))
    return found


def _top(tree: ast.Module) -> list[ast.Import | ast.ImportFrom]:
    """The import statements that the file begins with, behind its docstring."""
    found: list[ast.Import | ast.ImportFrom] = []
    for place, node in enumerate(tree.body):
        if isinstance(node, ast.Import | ast.ImportFrom):
            found.append(node)
        elif not (place == 0 and isinstance(node, ast.Expr)):
            break
    return found


def _statement(node: ast.Import | ast.ImportFrom) -> Statement:
    is_open = node.end_lineno != node.lineno
    if isinstance(node, ast.Import):
        # `import a, b` is never written so by us, and makes the block somebody's own.
        return Statement(",".join(each.name for each in node.names), (), node.names[0].asname or "", is_open)
    names = tuple((each.name, each.asname or "") for each in node.names)
    return Statement("." * node.level + (node.module or ""), names, "", is_open)


def _merged(statements: Sequence[Statement], imports: Iterable[Import]) -> list[Statement]:
    """The statements with more names in them, or more statements."""
    found = list(statements)
    for each in imports:
        same = next((place for place, one in enumerate(found) if each.name and one.names and one.module == each.module), None)
        if same is not None:
            names = dict.fromkeys([*found[same].names, (each.name, each.alias)])
            found[same] = Statement(each.module, tuple(names), "", found[same].is_open)
        elif each.name:
            found.append(Statement(each.module, ((each.name, each.alias),)))
        elif Statement(each.module, (), each.alias) not in found:
            found.append(Statement(each.module, (), each.alias))
    return found


def _written(statements: Sequence[Statement], app: Application, width: int) -> str:
    sections: dict[int, list[Statement]] = {}
    for each in statements:
        sections.setdefault(_section(each.module, app), []).append(each)
    ordered = [sorted(sections[number], key=lambda one: (bool(one.names), one.module.lower())) for number in sorted(sections)]
    return "\n".join("".join(f"{_line(each, width)}\n" for each in section) for section in ordered)


def _line(statement: Statement, width: int) -> str:
    if not statement.names:
        return f"import {statement.module}" + (f" as {statement.alias}" if statement.alias else "")
    names = [f"{name} as {alias}" if alias else name for name, alias in sorted(statement.names, key=lambda one: _rank(one[0]))]
    line = f"from {statement.module} import {', '.join(names)}"
    if len(line) <= width and not statement.is_open:
        return line
    return f"from {statement.module} import (\n" + "".join(f"    {name},\n" for name in names) + ")"


def _rank(name: str) -> tuple[int, str]:
    """Constants, then classes, then the rest: isort's `order_by_type`."""
    if len(name) > 1 and name.isupper():
        return 0, name
    return (1 if name[:1].isupper() else 2), name


def _section(module: str, app: Application) -> int:
    top = module.split(".")[0]
    if top == "__future__":
        return 0
    if top == "":
        return 4
    if top in app.first_party or (app.root / f"{top}.py").is_file():
        return 3
    return 1 if top in sys.stdlib_module_names else 2


def _comments(block: str) -> str:
    try:
        return "".join(
            token.string for token in tokenize.generate_tokens(io.StringIO(block).readline) if token.type == tokenize.COMMENT
        )
    except (tokenize.TokenError, SyntaxError):
        return "#"


def _below_the_docstring(tree: ast.Module, lines: list[str], block: str, end: str) -> str:
    if ast.get_docstring(tree) is not None:
        at = tree.body[0].end_lineno or 0
        rest = "".join(lines[at:])
        head = "".join(lines[:at])
        new = f"{'' if head.endswith(end) else end}{end}{block.replace(chr(10), end)}"
        return head + new + (rest if re.match(r"\s*\n", rest) or not rest else f"{end}{end}{rest}")
    # Comments that the file begins with, such as its licence, stay at its top.
    at = next((number for number, line in enumerate(lines) if line.strip() and not line.startswith("#")), len(lines))
    rest = "".join(lines[at:])
    return "".join(lines[:at]) + block.replace("\n", end) + (f"{end}{end}{rest}" if rest else "")
