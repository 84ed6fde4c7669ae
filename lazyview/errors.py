"""What can go wrong between a view's name and its text."""

from collections.abc import Iterable

AROUND = 2  # lines of a template shown before and after the one in question


class ViewError(Exception):
    """Base of all errors of lazyview: a name that cannot be a view's, a folder that is not there, a block that a view lacks."""


class ViewNotFound(ViewError):
    """No root holds the view, layout or partial. The message lists every path that was tried, in order.

    Attributes:
        name: what was asked for.
        tried: the paths, relative to the working directory where they lie below it.
    """

    def __init__(self, name: str, tried: Iterable[str], asked_by: str = "") -> None:
        self.name = name
        self.tried = tuple(tried)
        paths = "".join(f"\n  {path}" for path in self.tried)
        super().__init__(f"no template for {name!r}{asked_by}; tried{paths}")


class TemplateError(ViewError):
    """A template cannot be read, compiled or rendered; Jinja's own error is the cause.

    Attributes:
        template: the template's path within its root, as in `accounts/index.html.j2`.
        path: where the file lies, for whoever opens it; empty where that is not known.
        line: counted from 1.
        message: one sentence without the place.
        excerpt: the lines around it, numbered, the line in question marked.
    """

    def __init__(self, template: str, line: int, message: str, excerpt: str = "", path: str = "") -> None:
        self.template = template
        self.line = line
        self.message = message
        self.excerpt = excerpt
        self.path = path
        super().__init__(f"{template}, line {line}: {message}" + (f"\n\n{excerpt}" if excerpt else ""))


def excerpt(source: str, line: int) -> str:
    """The lines of a template around one of them, numbered from 1, that one marked."""
    lines = source.splitlines()
    first, last = max(line - AROUND, 1), min(line + AROUND, len(lines))
    width = len(str(last))
    return "\n".join(f"{'>' if n == line else ' '} {n:{width}} | {lines[n - 1]}".rstrip() for n in range(first, last + 1))
