"""What is known about an error that ended a request, for a developer: told as a page, as Markdown and as JSON alike.

No local variable and nothing of the environment is in it, and what may be a secret in the request is masked.
"""

import linecache
import re
import sysconfig
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from traceback import walk_tb
from types import CodeType
from typing import Any
from urllib.parse import parse_qsl

from lazyapp.secret_words import MASK, is_secret, without_passwords
from lazyview import TemplateError

_AROUND = 3
_OURS = ("lazyapp", "lazymcp", "lazyauth", "lazyoauth", "lazyview")
# In a query they bind one login (RFC 6749, section 10.12; OpenID Connect Core, 3.1.2.1); elsewhere the words are everyday ones.
_ONE_LOGIN = frozenset({"state", "nonce"})


@dataclass(frozen=True, slots=True)
class Frame:
    """One line of a traceback with those around it."""

    file: str
    line: int
    function: str
    lines: tuple[tuple[int, str], ...]
    is_own: bool


@dataclass(frozen=True, slots=True)
class Template:
    """The line of a template at which it failed; the file as a frame names it."""

    file: str
    line: int
    excerpt: str


@dataclass(frozen=True, slots=True)
class Told:
    """One error of a chain, the first what was raised and each other the cause of the one before it."""

    kind: str
    message: str
    template: Template | None
    frames: tuple[Frame, ...]

    @property
    def own(self) -> list[Frame]:
        """The frames of the application's code."""
        return [frame for frame in self.frames if frame.is_own]

    @property
    def others(self) -> list[Frame]:
        """Those of libraries, the framework's too."""
        return [frame for frame in self.frames if not frame.is_own]


@dataclass(frozen=True, slots=True)
class Report:
    """An error and the request that it ended.

    Args:
        request: its method and path.
        request_id: under which the log has it.
        errors: the chain, at least one.
        query: names and values, masked.
        headers: the same.
    """

    request: str
    request_id: str
    errors: tuple[Told, ...]
    query: tuple[tuple[str, str], ...]
    headers: tuple[tuple[str, str], ...]

    @property
    def title(self) -> str:
        """`RuntimeError at GET /notes`."""
        return f"{self.errors[0].kind} at {self.request}"

    def as_markdown(self) -> str:
        """The application's own lines, for an issue or for whoever helps; without headers. Frames of libraries are counted."""
        parts = [f"# {self.title}"]
        for position, told in enumerate(self.errors):
            parts += [f"## Caused by {told.kind}"] if position else []
            parts += [_fenced(told.message)] if told.message else []
            if told.template is not None:
                parts += [f"`{told.template.file}`, line {told.template.line}", _fenced(told.template.excerpt)]
            for frame in told.own:
                code = "\n".join(f"{'>' if number == frame.line else ' '} {number:>4} {text}" for number, text in frame.lines)
                parts += [f"`{frame.file}:{frame.line}` in `{frame.function}`", _fenced(code)]
            if told.others:
                parts.append(_counted(told.others))
        parts.append(f"Request {self.request_id}")
        return "\n\n".join(parts) + "\n"

    def as_json(self) -> list[dict[str, Any]]:
        """The chain, for a program."""
        return [
            {
                "type": told.kind,
                "message": told.message,
                **({"template": told.template.file, "line": told.template.line} if told.template else {}),
                "frames": [_place(each) for each in told.own],
                "library_frames": [_place(each) for each in told.others],
            }
            for told in self.errors
        ]


def debug_report(error: BaseException, scope: Mapping[str, Any], request_id: str, root: Path) -> Report:
    """All that is told about one error.

    Args:
        error: what was raised, with its traceback and causes.
        scope: the request that it ended.
        request_id: under which the log has it.
        root: the application's folder; code below it is the application's own.
    """
    headers = [_header(name.decode("latin-1"), value.decode("latin-1")) for name, value in scope.get("headers", ())]
    return Report(
        f"{scope.get('method', '')} {scope.get('path', '')}",
        request_id,
        tuple(_told(each, root) for each in _chain(error)),
        masked_pairs(parse_qsl(scope.get("query_string", b"").decode("latin-1"), keep_blank_values=True)),
        masked_pairs(headers),
    )


def frames(error: BaseException, root: Path) -> list[Frame]:
    """Where an error passed, innermost first, the application's own frames before all others.

    A template's error is followed through the templates too; the line that failed is left out, since the error has its excerpt.
    """
    steps = [(code.f_code, line) for code, line in walk_tb(error.__traceback__)]
    if isinstance(error, TemplateError) and error.__cause__ is not None:
        inside = [(code.f_code, line) for code, line in walk_tb(error.__cause__.__traceback__)]
        steps += [step for step in inside if not _is_place(error, *step)]
    steps.reverse()
    # A generator and the line that runs it are one place.
    places = [(code.co_filename, line) for code, line in steps]
    found = [
        _frame(*place, code.co_name, root)
        for (code, _), place, inner in zip(steps, places, [None, *places], strict=False)
        if place != inner
    ]
    return sorted(found, key=lambda frame: not frame.is_own)


def _is_place(error: TemplateError, code: CodeType, line: int) -> bool:
    return line == error.line and Path(code.co_filename).as_posix().endswith(f"/{error.template}")


def _frame(file: str, line: int, function: str, root: Path) -> Frame:
    first = max(line - _AROUND, 1)
    last = min(line + _AROUND, max(len(linecache.getlines(file)), line))
    lines = tuple((number, linecache.getline(file, number).rstrip()) for number in range(first, last + 1))
    return Frame(_shown(file, root), line, function, lines, _is_own(Path(file), root))


def _template(error: TemplateError, root: Path) -> Template:
    return Template(_shown(error.path, root) if error.path else error.template, error.line, error.excerpt)


def _shown(file: str, root: Path) -> str:
    """A file as it can be opened from the application's folder."""
    return str(Path(file).relative_to(root)) if Path(file).is_relative_to(root) else file


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


def _told(error: BaseException, root: Path) -> Told:
    template = _template(error, root) if isinstance(error, TemplateError) else None
    try:
        message = error.message if isinstance(error, TemplateError) else str(error)
    except Exception as broken:  # the page about an error must not fail
        message = f"(its text cannot be shown: {type(broken).__name__})"
    text = "\n".join([message, *getattr(error, "__notes__", ())]).strip()
    # Drivers name the address that they could not reach, password and all.
    return Told(type(error).__name__, without_passwords(text), template, tuple(frames(error, root)))


def masked_pairs(pairs: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Names and values of a query or of headers, the values gone whose names are those of secrets."""
    return tuple((name, MASK if is_secret(name) or name.lower() in _ONE_LOGIN else value) for name, value in pairs)


def _header(name: str, value: str) -> tuple[str, str]:
    # The page that a visitor comes from may have had a token in its query.
    return name, value.partition("?")[0] if name.lower() == "referer" else value


def _counted(others: Sequence[Frame]) -> str:
    """Frames of libraries in one line: whoever reads this pays for each, and needs the innermost at most."""
    count, inner = f"{len(others)} {'frame' if len(others) == 1 else 'frames'} of libraries", others[0]
    return f"{count}, the innermost `{inner.file}:{inner.line}` in `{inner.function}`"


def _place(frame: Frame) -> dict[str, Any]:
    return {"file": frame.file, "line": frame.line, "function": frame.function}


def _fenced(text: str) -> str:
    """A block of code that no line of its own can end. CommonMark, section 4.5."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(longest + 1, 3)
    return f"{fence}\n{text}\n{fence}"
