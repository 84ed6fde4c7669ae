"""Errors as a person at a terminal reads them: one sentence where we know what to do, else the few lines of their own code."""

import os
import re
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path

from lazyapp.errors import ConfigurationError, LazyappError
from lazyapp.settings import Settings

EXIT_FAILED, EXIT_MISUSE = 1, 2
# What `serve.decide` writes into the environment itself, after it has checked it.
DECIDED = frozenset({"LAZYAPP_ENV", "LAZYAPP_ROOT", "ADDR", "PORT", "PUBLIC_URL", "WEB_CONCURRENCY"})
SETTINGS = frozenset(str(field.validation_alias) for field in Settings.model_fields.values()) - DECIDED


def exit_code(error: BaseException) -> int:
    """2 for a wrong setting or command, 1 for everything else that went wrong."""
    return EXIT_MISUSE if isinstance(_only(error), ConfigurationError) else EXIT_FAILED


def is_given(error: BaseException, environ: Mapping[str, str] = os.environ) -> bool:
    """Whether a setting is wrong that the environment gives: it goes before `.env`, so no change of a file mends that.

    The message of a ConfigurationError names its setting.
    """
    error = _only(error)
    named = SETTINGS.intersection(re.findall(r"[A-Z_]+", str(error)))
    return isinstance(error, ConfigurationError) and any(name in environ for name in named)


def describe(error: BaseException, root: Path) -> str:
    """What went wrong, for people: no framework frames, paths relative to the application.

    Args:
        error: what was raised while the application was imported, started or run.
        root: the application's folder; frames below it are shown.
    """
    error = _only(error)
    if isinstance(error, LazyappError):
        return "\n".join([str(error), *_lines(_own_frames(error.__cause__, root), root), *_unread(error.__cause__, root)])
    frames = _own_frames(error, root)
    if not frames and not isinstance(error, SyntaxError):  # that one names its own place
        frames = list(traceback.extract_tb(error.__traceback__)[-1:])
    last = "".join(traceback.TracebackException.from_exception(error).format_exception_only()).rstrip()
    return "\n".join([*_lines(frames, root), last])


def _only(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    return error


def _own_frames(error: BaseException | None, root: Path) -> list[traceback.FrameSummary]:
    frames = traceback.extract_tb(error.__traceback__) if error is not None else []
    return [frame for frame in frames if _is_own(Path(frame.filename), root)]


def _unread(error: BaseException | None, root: Path) -> list[str]:
    """Where Python stopped to understand a file: no frame stands there, for nothing of it ran."""
    if not isinstance(error, SyntaxError) or error.filename is None:
        return []
    place = f"{_relative(error.filename, root)}:{error.lineno}"
    return [place, f"    {error.text.strip()}"] if error.text else [place]


def _lines(frames: Sequence[traceback.FrameSummary], root: Path) -> list[str]:
    lines: list[str] = []
    for frame in frames:
        lines.append(f"{_relative(frame.filename, root)}:{frame.lineno} in {frame.name}")
        if frame.line:
            lines.append(f"    {frame.line}")
    return lines


def _is_own(path: Path, root: Path) -> bool:
    if not path.is_relative_to(root):
        return False
    inside = path.relative_to(root).parts
    # A virtualenv, and in the framework's own checkout the framework, also stand below the application's folder.
    return not inside[0].startswith(".") and not {"site-packages", "node_modules"} & set(inside) and not _is_framework(path)


def _is_framework(path: Path) -> bool:
    house = Path(__file__).parents[2]
    return any(path.is_relative_to(house / name) for name in ("lazyapp", "lazymcp", "lazyauth", "lazyoauth", "lazyview"))


def _relative(filename: str, root: Path) -> str:
    path = Path(filename)
    return str(path.relative_to(root)) if path.is_relative_to(root) else filename
