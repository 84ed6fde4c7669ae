"""The development page for an error: what was raised and where, the application's own lines first.

Everything is escaped; no local variable and nothing of the environment is shown, and what may be a secret in the request is masked.
"""

import linecache
import re
import sysconfig
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from traceback import walk_tb
from types import CodeType
from typing import Any
from urllib.parse import parse_qsl

from markupsafe import Markup, escape

from lazyview import TemplateError

_AROUND = 3
_OURS = ("lazyapp", "lazymcp", "lazyauth", "lazyoauth", "lazyview")
_SECRET = re.compile(r"auth|cookie|token|secret|pass|key|code|session|signature|credential", re.IGNORECASE)
_MASK = "•••"
_STYLE = Markup(
    "body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:64rem;padding:0 1rem;color-scheme:light dark}"
    "h1{font-size:1.3rem}pre{overflow-x:auto;padding:.75rem;border:1px solid #8886;border-radius:.5rem;font-size:.85rem}"
    "mark{background:#f5c54266;color:inherit}summary{cursor:pointer}"
    ".message{font:1rem/1.5 ui-monospace,monospace;white-space:pre-wrap;overflow-wrap:anywhere}"
    "th{text-align:left;padding-right:1rem;vertical-align:top}td{overflow-wrap:anywhere}"
)
_HEAD = Markup(
    '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{}</title>\n'
    '<meta name="viewport" content="width=device-width, initial-scale=1">\n<style nonce="{}">{}</style>\n'
    "</head>\n<body>\n<main>\n"
)


@dataclass(frozen=True, slots=True)
class Frame:
    """One line of a traceback with those around it."""

    file: str
    line: int
    function: str
    lines: tuple[tuple[int, str], ...]
    is_own: bool


def debug_page(error: BaseException, scope: Mapping[str, Any], nonce: str, root: Path) -> str:
    """A complete page about one error.

    Args:
        error: what was raised, with its traceback and causes.
        scope: the request that it ended.
        nonce: allows the page's style under our content security policy.
        root: the application's folder; code below it is the application's own.
    """
    title = f"{type(error).__name__} at {scope.get('method', '')} {scope.get('path', '')}"
    parts = [
        _HEAD.format(title, nonce, _STYLE),
        Markup("<p>{} {}</p>\n").format(scope.get("method", ""), scope.get("path", "")),
    ]
    chain = list(_chain(error))
    is_open = not any(frame.is_own for each in chain for frame in frames(each, root)) and not isinstance(error, TemplateError)
    for position, each in enumerate(chain):
        parts.append(_told(each, root, is_cause=position > 0, is_open=is_open))
    parts.append(_table("Query", parse_qsl(scope.get("query_string", b"").decode("latin-1"), keep_blank_values=True)))
    headers = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in scope.get("headers", ())]
    parts.append(_table("Headers", headers))
    parts.append(Markup("</main>\n</body>\n</html>\n"))
    return "".join(parts)


def frames(error: BaseException, root: Path) -> list[Frame]:
    """Where an error passed, innermost first, the application's own frames before all others.

    A template's error is followed through the templates too; the line that failed is left out, since the error has its excerpt.
    """
    steps = [(code.f_code, line) for code, line in walk_tb(error.__traceback__)]
    if isinstance(error, TemplateError) and error.__cause__ is not None:
        inside = [(code.f_code, line) for code, line in walk_tb(error.__cause__.__traceback__)]
        steps += [step for step in inside if not _is_place(error, *step)]
    found = [_frame(code.co_filename, line, code.co_name, root) for code, line in steps]
    found.reverse()
    return sorted(found, key=lambda frame: not frame.is_own)


def _is_place(error: TemplateError, code: CodeType, line: int) -> bool:
    return line == error.line and Path(code.co_filename).as_posix().endswith(f"/{error.template}")


def _frame(file: str, line: int, function: str, root: Path) -> Frame:
    first = max(line - _AROUND, 1)
    lines = tuple((number, linecache.getline(file, number).rstrip()) for number in range(first, line + _AROUND + 1))
    path = Path(file)
    shown = str(path.relative_to(root)) if path.is_relative_to(root) else file
    return Frame(shown, line, function, lines, _is_own(path, root))


def _is_own(path: Path, root: Path) -> bool:
    if not path.is_relative_to(root) or path.is_relative_to(sysconfig.get_path("purelib")):
        return False
    # In a checkout the framework lies beside the example application.
    return path.relative_to(root).parts[0] not in (*_OURS, ".venv", "venv")


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        if isinstance(error, TemplateError) and error.__cause__ is not None:
            error = error.__cause__  # Jinja's, which says the same in fewer words
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def _told(error: BaseException, root: Path, *, is_cause: bool, is_open: bool) -> Markup:
    message = error.message if isinstance(error, TemplateError) else str(error)
    text = "\n".join([message, *getattr(error, "__notes__", ())]).strip()
    heading = Markup("<h1>{}{}</h1>\n").format("Caused by " if is_cause else "", type(error).__name__)
    said = Markup('<p class="message">{}</p>\n').format(text) if text else Markup()
    found = frames(error, root)
    own = [_template(error)] if isinstance(error, TemplateError) else []
    own += [_code(frame) for frame in found if frame.is_own]
    rest = [_code(frame) for frame in found if not frame.is_own]
    hidden = Markup("<details{}><summary>{} frames of libraries</summary>\n{}</details>\n").format(
        Markup(" open") if is_open else "", len(rest), Markup().join(rest)
    )
    return heading + said + Markup().join(own) + hidden


def _code(frame: Frame) -> Markup:
    marked, plain = Markup("<mark>{:>5} {}</mark>"), Markup("{:>5} {}")
    lines = [(marked if number == frame.line else plain).format(number, text) for number, text in frame.lines]
    place = Markup("<p><code>{}:{}</code> in <code>{}</code></p>\n").format(frame.file, frame.line, frame.function)
    return place + Markup("<pre>{}</pre>\n").format(Markup("\n").join(lines))


def _template(error: TemplateError) -> Markup:
    marked, plain = Markup("<mark>{}</mark>"), Markup("{}")
    lines = [(marked if line.startswith(">") else plain).format(line) for line in error.excerpt.splitlines()]
    place = Markup("<p><code>{}</code>, line {}</p>\n").format(error.template, error.line)
    return place + (Markup("<pre>{}</pre>\n").format(Markup("\n").join(lines)) if lines else Markup())


def _table(title: str, pairs: Iterable[tuple[str, str]]) -> Markup:
    rows = [
        Markup("<tr><th scope=row>{}</th><td>{}</td></tr>\n").format(name, _MASK if _SECRET.search(name) else escape(value))
        for name, value in pairs
    ]
    return (
        Markup("<details><summary>{}</summary>\n<table>\n{}</table></details>\n").format(title, Markup().join(rows))
        if rows
        else Markup()
    )
