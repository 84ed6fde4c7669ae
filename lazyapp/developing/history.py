"""`/_lazy/requests`, `/_lazy/errors` and `/_lazy/log`: what happened last, the newest first, and what of it one asks for."""

from collections.abc import Mapping
from typing import Any, Final

from lazyapp.developing.memory import ERRORS, LINES, REQUESTS, Line, Memory, Request

KINDS: Final = {"page": "Pages", "mcp": "MCP", "oauth": "OAuth"}
STATUSES: Final = {"2": "2xx", "3": "3xx", "4": "4xx", "5": "5xx", "0": "left before the answer"}
LEVELS: Final = ("debug", "info", "warning", "error")
SHOWN: Final = 200


def requests(memory: Memory, query: Mapping[str, str]) -> dict[str, Any]:
    """The last requests, those of a `kind`, of a class of `status` and with a `word` in them where that is asked for."""
    kind, status, word = query.get("kind", ""), query.get("status", ""), query.get("word", "").strip()
    found = [each for each in reversed(memory.requests.copy()) if _fits(each, kind, status, word.lower())]
    return {
        "requests": found[:SHOWN],
        "count": len(found),
        "kept": REQUESTS,
        "any": bool(memory.requests),
        "kinds": KINDS,
        "statuses": STATUSES,
        "kind": kind,
        "status": status,
        "word": word,
        "failed": {each.request_id: each.id for each in memory.errors.copy()},
    }


def one_request(memory: Memory, request_id: str) -> dict[str, Any] | None:
    """One request with what was logged and what failed meanwhile; None when it is not, or no longer, known."""
    request = memory.request(request_id)
    if request is None:
        return None
    failures = [each for each in memory.errors.copy() if each.request_id == request_id]
    return {"request": request, "lines": memory.lines_of(request_id), "failures": failures}


def errors(memory: Memory) -> dict[str, Any]:
    """The last errors."""
    return {"errors": list(reversed(memory.errors.copy())), "kept": ERRORS}


def log(memory: Memory, query: Mapping[str, str]) -> dict[str, Any]:
    """The last lines of the log, from a `level` on and with a `word` in them where that is asked for."""
    level, word = query.get("level", ""), query.get("word", "").strip()
    least = LEVELS.index(level) if level in LEVELS else 0
    found = [line for line in reversed(memory.lines.copy()) if LEVELS.index(line.level) >= least and _has(line, word.lower())]
    return {
        "lines": found[:SHOWN],
        "count": len(found),
        "kept": LINES,
        "any": bool(memory.lines),
        "levels": LEVELS,
        "known": frozenset(each.request_id for each in memory.requests.copy()),
        "level": level,
        "word": word,
    }


def _fits(request: Request, kind: str, status: str, word: str) -> bool:
    told = f"{request.method} {request.path} {request.call} {request.name} {request.request_id} {request.status}".lower()
    return (not kind or request.kind == kind) and (not status or str(request.status)[:1] == status) and word in told


def _has(line: Line, word: str) -> bool:
    return word in f"{line.logger} {line.text} {line.request_id} {line.failure_id}".lower()
