"""How generated code is laid out: as ruff leaves it, whatever length of lines an application has settled on.

What fits into 88 columns is one line; anything longer has a line for each part and a comma behind the last, which keeps it so.
"""

import re
from collections.abc import Sequence
from importlib.resources import files
from string import Template

from lazyapp.generators.application import Application
from lazyapp.generators.edit import lines_of
from lazyapp.generators.imports import Import, parse, render

_WIDTH = 88


def folded(head: str, parts: Sequence[str], tail: str) -> str:
    """`head`, the parts between commas, `tail`: on one line, or on a line each."""
    line = f"{head}{', '.join(parts)}{tail}"
    if len(line) <= _WIDTH or not parts:
        return line
    indent = " " * (len(head) - len(head.lstrip()))
    return f"{head}\n" + "".join(f"{indent}    {part},\n" for part in parts) + f"{indent}{tail}"


def template(name: str, /, **values: str) -> str:
    """A text from `templates/`, with the values where it has `$names`."""
    text = files("lazyapp.generators").joinpath("templates", f"{name}.tpl").read_text(encoding="utf-8")
    return Template(text).substitute(values)


def piece(name: str, /, **values: str) -> tuple[list[Import], str]:
    """A piece of Python from `templates/`: the imports that it begins with, and the rest."""
    return cut(template(name, **values))


def cut(text: str) -> tuple[list[Import], str]:
    """A piece of Python: the imports that it begins with, and the rest without the blank lines around it."""
    lines = lines_of(text)
    end = next((at for at, line in enumerate(lines) if line.strip() and not line.startswith(("import ", "from "))), len(lines))
    return parse("".join(lines[:end])), "".join(lines[end:]).strip("\n") + "\n"


def module(docstring: str, imports: Sequence[Import], bodies: Sequence[str], app: Application) -> str:
    """A new Python file; its bodies stand two lines apart."""
    head = [f'"""{docstring}"""\n', *filter(None, [render(imports, app)])]
    return "\n".join(head) + "".join(f"\n\n{body}" for body in bodies)


def render_block(imports: Sequence[Import], app: Application) -> str:
    """Imports and the blank line behind them; empty when there are none."""
    text = render(imports, app)
    return f"{text}\n" if text else ""


def sections(name: str, /, **values: str) -> dict[str, str]:
    """The parts of a text from `templates/`, by the names in its lines `### name`; each without the blank lines around it."""
    found = re.split(r"^### (\w+)\n", template(name, **values), flags=re.MULTILINE)[1:]
    return {part: text.strip("\n") + "\n" for part, text in zip(found[::2], found[1::2], strict=True)}
