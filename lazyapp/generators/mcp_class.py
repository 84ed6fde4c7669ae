"""The class of an MCP module: found in the application's files, and given further methods.

Its file is changed only where that is certain: a new method stands at the end of the class, a new model right before it.
"""

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from lazyapp.errors import ConfigurationError
from lazyapp.generators.application import Application
from lazyapp.generators.edit import CannotEdit, body_of, checked, lines_of, tree_of
from lazyapp.generators.imports import Import, add
from lazyapp.generators.names import check_word
from lazymcp.names import module_name

_SUFFIXES = ("_tool", "_resource", "_prompt", "_skill", "_app")
_ENDING = re.compile(rf"({'|'.join(_SUFFIXES)})$")


@dataclass(frozen=True, slots=True)
class MCPClass:
    """One class of `app/mcps`.

    Args:
        module: what clients call it, `admin`.
        path: its file, relative to the application.
        name: of the class.
        members: what its body defines, and what those are published as.
    """

    module: str
    path: Path
    name: str
    members: frozenset[str]


def split(dotted: str, what: str) -> tuple[str, str]:
    """`shop.search` as module and name.

    Raises:
        ConfigurationError: it is malformed.
    """
    module, dot, name = dotted.partition(".")
    if not dot:
        raise ConfigurationError(
            f"{dotted!r} names no MCP module; write module and name with a dot between, such as shop.{dotted or 'search'}."
        )
    check_word(module, "an MCP module")
    check_word(name, what)
    if _ENDING.search(name):
        raise ConfigurationError(f"{name!r} ends in a word that lazymcp gives a meaning; call it {_ENDING.sub('', name)!r}.")
    return module, name


def find_class(app: Application, module: str) -> MCPClass:
    """The class that publishes a module.

    Raises:
        ConfigurationError: there is none, or a file cannot be read.
    """
    found = {each.module: each for each in classes(app)}
    if module not in found:
        has = f"there {'are' if len(found) > 1 else 'is'} {', '.join(sorted(found))}" if found else "there is none yet"
        raise ConfigurationError(
            f"There is no MCP module {module!r} under {app.folder(app.app)}/mcps ({has}); `lazyapp generate mcp {module}` makes it."
        )
    return found[module]


def classes(app: Application) -> Iterator[MCPClass]:
    """Every class of every module that `scope.discover` finds."""
    folder = app.root / app.folder(app.app) / "mcps"
    files = [path for path in sorted(folder.glob("*_mcp/__init__.py")) + sorted(folder.glob("*_mcp.py")) if path.is_file()]
    for path in files:
        relative = path.relative_to(app.root)
        try:
            tree = tree_of(path.read_text(encoding="utf-8"))
        except (CannotEdit, ValueError, OSError) as error:
            raise ConfigurationError(f"{relative} cannot be read: {error}.") from None
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and node.bases and (name := _published(node)):
                yield MCPClass(name, relative, node.name, frozenset(_members(node)))


def check_free(found: MCPClass, text: str, names: Sequence[str], classes: Sequence[str] = ()) -> None:
    """Refuse a name that the class or its file has already.

    Raises:
        ConfigurationError: it is taken.
    """
    for name in names:
        if name in found.members:
            raise ConfigurationError(f"{found.path} has {found.name}.{name} already, and was left as it is; choose another name.")
    for name in classes:
        if re.search(rf"^(class|def|async def)\s+{name}\b|^{name}\b|^from .*\b{name}\b", text, re.MULTILINE):
            raise ConfigurationError(f"{found.path} has {name} already, and was left as it is; choose another name.")


def extended(text: str, found: MCPClass, parts: tuple[Sequence[Import], str, str], app: Application) -> str:
    """The text of a module's file with a method more in its class.

    Args:
        text: as it is.
        found: the class.
        parts: imports that are needed; definitions that stand before the class, or ""; the method, indented.
        app: whose imports are sorted.

    Raises:
        ConfigurationError: where the class ends is not certain.
    """
    imports, before, method = parts
    tree = ast.parse(text)
    node = [each for each in tree.body if isinstance(each, ast.ClassDef) and each.name == found.name][-1]
    lines = lines_of(text)
    end = "\r\n" if lines[0].endswith("\r\n") else "\n"
    last = node.end_lineno or 0
    first_of_body = node.body[0]
    if first_of_body.lineno == node.lineno or first_of_body.col_offset != 4 or "\t" in lines[first_of_body.lineno - 1]:
        raise ConfigurationError(
            f"{found.path}: {found.name} is not laid out with four blanks; write its body on lines of its own."
        )
    while last < len(lines) and re.match(r"\s+#", lines[last]):
        last += 1
    if not lines[last - 1].endswith("\n"):
        lines[last - 1] += end
    lines.insert(last, f"\n{method}".replace("\n", end))
    if before:
        lines.insert(_begin(node, lines), f"{before}\n\n".replace("\n", end))
    place = tree.body.index(node)
    tree.body[place:place] = ast.parse(before).body
    node.body += body_of(method)
    try:
        return add(checked("".join(lines), tree), imports, app)
    except CannotEdit as reason:
        raise ConfigurationError(
            f"{found.path} was left as it is: {reason}. Write imports and {found.name} plainly, and run it again."
        ) from None


def _begin(node: ast.ClassDef, lines: Sequence[str]) -> int:
    """The line before which a definition can stand: above its decorators, and comments that touch it."""
    first = min([node.lineno, *(each.lineno for each in node.decorator_list)]) - 1
    while first and lines[first - 1].startswith("#"):
        first -= 1
    return first


def _published(node: ast.ClassDef) -> str:
    if not node.name.endswith("MCP") and not any(ast.unparse(base).split(".")[-1] == "Base" for base in node.bases):
        return ""
    for each in node.body:
        targets = each.targets if isinstance(each, ast.Assign) else [each.target] if isinstance(each, ast.AnnAssign) else []
        if any(isinstance(one, ast.Name) and one.id == "name" for one in targets):
            value = getattr(each, "value", None)
            return value.value if isinstance(value, ast.Constant) and isinstance(value.value, str) else ""
    return module_name(node.name)


def _members(node: ast.ClassDef) -> Iterator[str]:
    for each in node.body:
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield each.name
            yield each.name.rstrip("_")
            if _ENDING.search(each.name):
                yield _ENDING.sub("", each.name)
