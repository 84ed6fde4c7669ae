"""The examples that every command has in its help, and what they are good for: a wrong command line is answered with one.

In the docstring of a command, or the `help=` of a group, they are its last paragraph; `\\b` keeps its lines as they are:

    \\b
    Examples:
      lazyapp new shop
      lazyapp new shop --without-mcp
"""

import re
import shlex

_BLOCK = re.compile(r"^ *Examples:\n((?: +(?:[A-Z_]+=\S* )*lazyapp .*(?:\n|\Z))+)", re.MULTILINE)
_REST = re.compile(r"[|<>&;]")


def examples(text: str | None) -> list[str]:
    """The lines of the examples in a command's help, in order."""
    found = _BLOCK.search(text or "")
    return [line.strip() for line in found[1].splitlines()] if found else []


def words(example: str) -> list[str]:
    """An example as the command is given it: without what the shell does with the rest of the line."""
    typed = shlex.shlex(example, posix=True, punctuation_chars="|<>&;")
    typed.whitespace_split = True
    found: list[str] = []
    for word in typed:
        if _REST.fullmatch(word[:1]):
            break
        found.append(word)
    return found[found.index("lazyapp") :]  # what stands before it is set in its environment
