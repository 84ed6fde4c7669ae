"""What is known about an error that kept the application from starting: for the page, the Markdown and the JSON of the stand-in.

Made in the process that failed, which has the error, and sent over the link. No local variable is in it, and no value that the
environment or `.env` gives under a secret's name.
"""

import contextlib
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from pydantic_settings import DotEnvSettingsSource

from lazyapp.debug_report import Frame, Told, debug_report
from lazyapp.errors import ConfigurationError
from lazyapp.secret_words import MASK, is_secret, without_passwords
from lazyapp.serving.causes import Cause, Place
from lazyapp.settings import Settings

AROUND, PLACES, SHORTEST_SECRET = 3, 6, 6


def causes_of(error: BaseException, root: Path) -> tuple[Cause, ...]:
    """The chain of an error.

    Args:
        error: what was raised while the application was imported or opened.
        root: the application's folder.
    """
    while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    secrets = sorted(_secrets(root), key=len, reverse=True)
    if isinstance(error, ConfigurationError) and error.__cause__ is None:
        return (Cause("", _without(str(error), secrets)),)  # a sentence that says what to do; no line of code is at fault
    chain = debug_report(error, {}, "", root).errors
    return tuple(_cause(told, each, root, secrets) for told, each in zip(chain, _chain(error, len(chain)), strict=True))


def _cause(told: Told, error: BaseException | None, root: Path, secrets: Sequence[str]) -> Cause:
    places = [_place(frame, secrets) for frame in told.own[:PLACES]]
    if isinstance(error, SyntaxError) and error.filename is not None and error.lineno is not None:
        places.insert(0, _unread(error.filename, error.lineno, root, secrets))
    if told.template is not None:
        lines = [_numbered(line) for line in told.template.excerpt.splitlines()]
        excerpt = tuple((number, _without(text, secrets)) for number, text in lines)
        places.insert(0, Place(told.template.file, told.template.line, "", excerpt))
    return Cause(told.kind, _without(told.message, secrets), tuple(places))


def _place(frame: Frame, secrets: Sequence[str]) -> Place:
    within = "" if frame.function == "<module>" else frame.function
    return Place(frame.file, frame.line, within, tuple((number, _without(text, secrets)) for number, text in frame.lines))


def _unread(file: str, line: int, root: Path, secrets: Sequence[str]) -> Place:
    """Where Python stopped to understand a file: no frame stands there, for nothing of it ran."""
    try:
        text = Path(file).read_text(errors="replace").splitlines()
    except OSError:
        text = []
    first = max(line - AROUND, 1)
    lines = tuple((number, _without(each, secrets)) for number, each in enumerate(text[first - 1 : line + AROUND], first))
    shown = Path(file).relative_to(root) if Path(file).is_relative_to(root) else Path(file)
    return Place(str(shown), line, "", lines)


def _chain(error: BaseException | None, length: int) -> Iterable[BaseException | None]:
    # As the report follows it, but for what it skips: only the first link of a syntax error is wanted.
    for _ in range(length):
        yield error
        error = error and (error.__cause__ or (None if error.__suppress_context__ else error.__context__))


def _numbered(line: str) -> tuple[int, str]:
    number, _, text = line.lstrip("> ").partition(" ")
    return (int(number), text.removeprefix("| ").removeprefix("|")) if number.isdigit() else (0, line)


def _secrets(root: Path) -> set[str]:
    """Values that no page shows, whoever printed them into a message; of a name that is given twice both."""
    given: list[tuple[str, str | None]] = [*os.environ.items()]
    for name in (".env", f".env.{os.environ.get('LAZYAPP_ENV', 'development')}"):
        with contextlib.suppress(UnicodeDecodeError):  # the settings refused it, so nothing of it came into the application
            given += DotEnvSettingsSource(Settings, env_file=root / name, case_sensitive=True).env_vars.items()
    known = {str(field.validation_alias) for field in Settings.model_fields.values() if "Secret" in str(field.annotation)}
    return {
        value for name, value in given if value and len(value) >= SHORTEST_SECRET and (name.upper() in known or is_secret(name))
    }


def _without(text: str, secrets: Sequence[str]) -> str:
    for secret in secrets:
        text = text.replace(secret, MASK)
    return without_passwords(text)
