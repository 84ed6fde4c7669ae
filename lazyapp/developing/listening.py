"""Remembers what is logged, and of an error all that a developer wants to know.

A handler on the root logger for the time of a run: what reaches it is what the log of the process shows. It runs in the thread
and the context of whoever logs, so it knows the request that was being answered.
"""

import json
import logging
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, Literal, cast

from lazyapp.current import current
from lazyapp.debug_report import Report, debug_report
from lazyapp.developing.memory import TEXT, Failure, Line, Memory
from lazyapp.developing.watch import asked
from lazyapp.request_ids import request_id
from lazyapp.secret_words import masked, without_passwords

_KINDS: Final = ("tool", "resource", "prompt")
_FRAMES: Final = 60
_CHAIN: Final = 10
_LEVELS: Final = ((logging.ERROR, "error"), (logging.WARNING, "warning"), (logging.INFO, "info"), (0, "debug"))
_ID: Final = re.compile(r"[A-Za-z0-9._:=+/-]{1,128}")
_FAILED: Final = re.compile(r"^request \S+: | failed \[\w+\]$")


class Listening(logging.Handler):
    """Notes each record.

    Args:
        memory: gets a `Line` for each, and a `Failure` for each that carries an error.
        root: the application's folder.
    """

    def __init__(self, memory: Memory, root: Path) -> None:
        super().__init__()
        self._memory = memory
        self._root = root

    def emit(self, record: logging.LogRecord) -> None:
        """Remember one record. Nothing that is in it makes this fail: the application logs on."""
        if record.name == "uvicorn.access":  # tells queries; the list of requests tells the rest
            return
        failure_id = getattr(record, "failure_id", "")
        error, is_page = _raised(record)
        if error is not None and record.levelno >= logging.ERROR:
            with suppress(Exception):
                failure = self._failure(record, error, is_page=is_page)
                self._memory.errors.append(failure)
                failure_id = failure.id
        with suppress(Exception):
            self._memory.lines.append(_line(record, failure_id))

    def _failure(self, record: logging.LogRecord, error: BaseException, *, is_page: bool) -> Failure:
        here = asked.get()
        scope = here.scope if here else {"method": "", "path": ""}
        found = request_id() or ""
        id = getattr(record, "failure_id", None)  # noqa: A001
        what = _FAILED.sub("", record.getMessage())
        kind: Literal["page", "tool", "resource", "prompt", "work"] = "work"
        arguments = ""
        if id is not None:
            kind = cast("Any", what.partition(" ")[0]) if what.startswith(_KINDS) else "work"
            arguments = _arguments(here.call()[1].get("arguments")) if here else ""
        elif is_page:
            kind, what = "page", f"{scope['method']} {scope['path']}"
        id = id or (found if is_page and _ID.fullmatch(found) else secrets.token_hex(4))  # noqa: A001
        report = _bounded(debug_report(error, scope, found, self._root))
        return Failure(id, record.created, kind, what[:TEXT], report, found, arguments)


def _raised(record: logging.LogRecord) -> tuple[BaseException | None, bool]:
    """The error that a record tells of, and whether it ended a page.

    Of a template's error the log has the place and not the error itself: the page that it ended knows it.
    """
    given = record.exc_info[1] if record.exc_info else None
    page, here = current.get(), asked.get()
    reported = page.reported if page is not None and record.name == "lazyapp" else None
    if reported is None or here is None or here.reported is reported or given not in (None, reported):
        return given, False
    here.reported = reported
    return reported, True


@contextmanager
def listening(memory: Memory, root: Path) -> Iterator[None]:
    """Remember what is logged for as long as the block runs."""
    handler = Listening(memory, root)
    logging.getLogger().addHandler(handler)
    try:
        yield
    finally:
        logging.getLogger().removeHandler(handler)


def _line(record: logging.LogRecord, failure_id: str) -> Line:
    level = cast("Any", next(name for least, name in _LEVELS if record.levelno >= least))
    found = getattr(record, "request_id", None) or request_id() or ""
    text = without_passwords(record.getMessage()[:TEXT])
    return Line(record.created, level, record.name[:200], text, found, failure_id)


def _bounded(report: Report) -> Report:
    """The report without what a recursion, or a message of megabytes, would make of it."""
    told = [replace(each, message=each.message[:TEXT], frames=each.frames[:_FRAMES]) for each in report.errors[:_CHAIN]]
    return replace(report, errors=tuple(told), request=report.request[:TEXT])


def _arguments(sent: object) -> str:
    return json.dumps(masked(sent), indent=2, ensure_ascii=False)[:TEXT] if isinstance(sent, dict) else ""
