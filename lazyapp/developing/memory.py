"""What development remembers of a run: its last requests, errors and log lines. In this process, bounded, gone at its end.

Values only. `watch.py` writes down requests, `listening.py` lines and errors; everybody else reads. Each list has its newest at
its end; a deque forgets its oldest when a new one comes, and a copy is made before it is read, for threads log too.
"""

from collections import deque
from dataclasses import dataclass, field
from typing import Final, Literal

from lazyapp.debug_report import Report

REQUESTS: Final = 300
ERRORS: Final = 50
LINES: Final = 1000
#: Longer texts are cut: what a stranger sends must not fill the memory of whoever is working.
TEXT: Final = 4000

Pairs = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Request:
    """One request that was answered.

    Args:
        time: when it began, in seconds since 1970.
        kind: what of the application it was for.
        path: without its query.
        status: of the answer; 0 when the client left before there was one.
        ms: how long the answer took, its body included.
        call: the MCP method, `tools/call`; empty for pages.
        name: of the tool, the resource or the prompt; empty for what has none.
        query: names and values, secrets masked.
    """

    time: float
    kind: Literal["page", "mcp", "oauth"]
    method: str
    path: str
    status: int
    ms: float
    request_id: str
    call: str = ""
    name: str = ""
    query: Pairs = ()


@dataclass(frozen=True, slots=True)
class Failure:
    """One error that nobody expected.

    Args:
        id: under which it is found: what a model was told of a tool, the request's for a page.
        time: in seconds since 1970.
        kind: what failed.
        what: its name, as in `tool admin.user_count` or `GET /accounts`.
        report: the error, its causes, and where it passed.
        request_id: of the request in which it failed; empty outside one.
        arguments: of the call, as JSON, secrets masked; empty for pages.
    """

    id: str
    time: float
    kind: Literal["page", "tool", "resource", "prompt", "work"]
    what: str
    report: Report
    request_id: str = ""
    arguments: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the log, as it was written down there, what was raised left out."""

    time: float
    level: Literal["debug", "info", "warning", "error"]
    logger: str
    text: str
    request_id: str = ""
    failure_id: str = ""


@dataclass(frozen=True, slots=True)
class Memory:
    """The last of each."""

    requests: deque[Request] = field(default_factory=lambda: deque(maxlen=REQUESTS))
    errors: deque[Failure] = field(default_factory=lambda: deque(maxlen=ERRORS))
    lines: deque[Line] = field(default_factory=lambda: deque(maxlen=LINES))

    def request(self, request_id: str) -> Request | None:
        """The newest request of that id, if it is still known."""
        return next((each for each in reversed(self.requests.copy()) if each.request_id == request_id), None)

    def failure(self, id: str) -> Failure | None:  # noqa: A002
        """The error of that id, else the newest of the request of that id; None when it is not, or no longer, known."""
        newest = list(reversed(self.errors.copy()))
        return next((each for each in newest if each.id == id), None) or next(
            (each for each in newest if each.request_id == id), None
        )

    def lines_of(self, request_id: str) -> list[Line]:
        """What was logged while a request was answered."""
        return [line for line in self.lines.copy() if line.request_id == request_id]
