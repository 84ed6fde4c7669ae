"""Jinja, configured once: what every template may rely on, and its errors with their place.

Escaping is decided by the format in the file's name, not by its ending: Jinja's own `select_autoescape` looks at the end, finds
`.j2` and leaves HTML unescaped. Every format is escaped except those known to be plain text.
"""

import difflib
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from traceback import walk_tb
from typing import Any, NoReturn

import jinja2
from jinja2 import nodes

from lazyview import lookup
from lazyview.errors import TemplateError, ViewError, ViewNotFound, excerpt
from lazyview.lookup import Lookup

PLAIN = frozenset({"txt", "text", "md", "csv", "json", "js", "css"})


class Engine:
    """One Jinja environment over the files of a `Lookup`. Safe to use from several threads."""

    def __init__(self, files: Lookup, *, reload: bool) -> None:
        self._files = files
        self._environment = jinja2.Environment(
            loader=_Loader(files),
            autoescape=escapes,  # noqa: S701 (it is on, for all but plain text)
            undefined=jinja2.StrictUndefined,
            auto_reload=reload,
            cache_size=-1,  # there are as many as there are files
            trim_blocks=True,
            lstrip_blocks=True,
        )

    def install(self, helpers: Mapping[str, Callable[..., Any]]) -> None:
        """Give these functions to every template. Before the first render."""
        self._environment.globals.update(helpers)

    def render(self, file: str, variables: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        """A template's text, and the names that it set at its top level."""
        try:
            template = self._environment.get_template(file)
            context = self._context(template, variables)
            return "".join(template.root_render_func(context)), context.get_exported()
        except Exception as error:
            self._fail(error, variables)

    def render_block(self, file: str, block: str, variables: Mapping[str, Any]) -> str:
        """The text of one block of a template, and of nothing around it."""
        try:
            template = self._environment.get_template(file)
            if block not in template.blocks:
                raise ViewError(f"{file} has no block {block!r}; its blocks are: {', '.join(sorted(template.blocks)) or 'none'}")
            return "".join(template.blocks[block](self._context(template, variables)))
        except Exception as error:
            self._fail(error, variables)

    def _context(self, template: jinja2.Template, variables: Mapping[str, Any]) -> jinja2.runtime.Context:
        # Made here, for Jinja's own way goes through the helpers one by one in a chain of mappings, which costs more than a layout
        # does. It notes them for templates that bring globals of their own; ours are given to all.
        environment = self._environment
        return environment.context_class(environment, {**environment.globals, **variables}, template.name, template.blocks)

    def check(self, file: str, path: Path) -> None:
        """Compile one template, which may be hidden by another of its name, and look for those that it names.

        Raises:
            TemplateError: it does not compile.
            ViewNotFound: what it extends, includes or imports is in no root.
        """
        try:
            tree = self._environment.parse(_read(file, path), file, str(path))
            named = list(_named(tree))
            self._environment.compile(tree, file, str(path))
        except jinja2.TemplateSyntaxError as error:
            raise _syntax_error(error) from error
        for line, name in named:
            if self._files.path(name) is None:
                raise ViewNotFound(name, self._files.paths([name]), asked_by=f", asked for by {file}, line {line}")

    def _fail(self, error: Exception, variables: Mapping[str, Any]) -> NoReturn:
        """Raise what a reader of the template can use: Jinja's errors as ours, all others as they are, with a note of the place."""
        if isinstance(error, ViewError):
            raise error
        with suppress(Exception):  # it raises the error again, its traceback now made of the templates' own lines
            self._environment.handle_exception()
        if isinstance(error, jinja2.TemplateSyntaxError):
            raise _syntax_error(error) from error
        file, path, line = self._place(error)
        if isinstance(error, jinja2.TemplateNotFound):
            asked_by = f", asked for by {file}, line {line}" if file else ""
            raise ViewNotFound(str(error.name), self._files.paths([str(name) for name in error.templates]), asked_by) from error
        if isinstance(error, jinja2.TemplateError):
            message = f"{error.message or type(error).__name__}{self._meant(error, variables)}"
            raise _template_error(file, path, line, message) from error
        if file:
            error.add_note(f"in {file}, line {line}")
        raise error

    def _place(self, error: Exception) -> tuple[str, Path, int]:
        """The innermost line of a template in a traceback: name within its root, path, line."""
        for frame, line in reversed(list(walk_tb(error.__traceback__))):
            path = frame.f_code.co_filename
            if file := self._files.name(path):
                return file, Path(path), line
        return "", Path(), 0

    def _meant(self, error: jinja2.TemplateError, variables: Mapping[str, Any]) -> str:
        """The name that was probably meant by one that is not defined."""
        found = re.fullmatch(r"'(\w+)' is undefined", error.message or "")
        if not found:
            return ""
        names = {*variables, *self._environment.globals, *self._in_scope(error)} - {found[1]}
        close = difflib.get_close_matches(found[1], sorted(names), n=1)
        return f"; did you mean {close[0]!r}?" if close else ""

    def _in_scope(self, error: jinja2.TemplateError) -> list[str]:
        """The names that the innermost template had at its line, those of its loops and `set` too."""
        scopes = [frame.f_locals for frame, _ in walk_tb(error.__traceback__) if self._files.name(frame.f_code.co_filename)]
        return [name for name in scopes[-1] if name.isidentifier()] if scopes else []


class _Loader(jinja2.BaseLoader):
    """Reads what the lookup finds. Jinja asks it for each name that a template extends, includes or imports."""

    def __init__(self, files: Lookup) -> None:
        self._files = files

    def get_source(self, environment: jinja2.Environment, template: str) -> tuple[str, str, Callable[[], bool]]:
        path = self._files.path(template)
        if path is None:
            raise jinja2.TemplateNotFound(template)
        state = _state(path)

        def is_current() -> bool:  # not only unchanged: a file put into an earlier root since then hides this one
            return self._files.path(template) == path and _state(path) == state

        return _read(template, path), str(path), is_current


@lru_cache(maxsize=4096)  # asked twice a render
def escapes(file: str | None) -> bool:
    """Whether the values in a template of this name are escaped for HTML."""
    return file is None or lookup.split(file)[1] not in PLAIN


def _state(path: Path) -> tuple[int, int]:
    stat = path.stat()
    return stat.st_mtime_ns, stat.st_size


def _read(file: str, path: Path) -> str:
    data = path.read_bytes()
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise jinja2.TemplateSyntaxError("the file is not UTF-8 text", line, file, str(path)) from error


def _named(tree: nodes.Template) -> Iterator[tuple[int, str]]:
    """The templates that one names outright, with the line; names that are computed, or may be missing, are left to the render."""
    for node in tree.find_all((nodes.Extends, nodes.Include, nodes.Import, nodes.FromImport)):
        optional = isinstance(node, nodes.Include) and node.ignore_missing
        name = getattr(node, "template", None)
        if isinstance(name, nodes.Const) and isinstance(name.value, str) and not optional:
            yield node.lineno, name.value


def _syntax_error(error: jinja2.TemplateSyntaxError) -> TemplateError:
    return _template_error(error.name or "", Path(error.filename or ""), error.lineno, error.message or "syntax error")


def _template_error(file: str, path: Path, line: int, message: str) -> TemplateError:
    source = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
    return TemplateError(file, line, message, excerpt(source, line), str(path) if path.is_file() else "")
