"""What a process counts about itself, and the text in which Prometheus reads it.

It is written here because it is a page of text: name, labels, number. A process counts for itself; the supervisor adds up what its
processes say. Nothing that a client chooses becomes a label, so no client can make the list longer.

State: one `Metrics` belongs to one application. Only its event loop's thread changes it.
"""

import logging
import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})

Snapshot = dict[str, dict[str, float]]
"""The samples of each family, by their labels as Prometheus writes them."""


Gauges = dict[tuple[str, str], Callable[[], float]]
"""What gives a number when it is asked for, by its name and labels."""


class Family(NamedTuple):
    """A name that is told, and what it means."""

    kind: str
    meaning: str


FAMILIES: Mapping[str, Family] = {
    "lazyapp_requests_total": Family("counter", "Answers begun, by method and class of status."),
    "lazyapp_requests_in_flight": Family("gauge", "Requests that are being answered, open streams among them."),
    "lazyapp_connections": Family("gauge", "Open connections."),
    "lazyapp_open_streams": Family("gauge", "Event streams that are open, by kind."),
    "lazyapp_tool_calls_total": Family("counter", "Calls of MCP tools, by outcome."),
    "lazyapp_workers": Family("gauge", "Serving processes that are up."),
    "process_start_time_seconds": Family("gauge", "When the process started, in seconds since 1970."),
}


class Metrics:
    """The counts of one application. `gauges` are asked when a snapshot is taken; whoever serves it adds its own."""

    def __init__(self) -> None:
        self.requests: Counter[tuple[str, str]] = Counter()
        self.gauges: Gauges = {}

    def hear(self, record: logging.LogRecord) -> bool:
        """A filter of the access log that counts each record: there is one for each answer, and it costs no answer anything."""
        if isinstance(record.args, tuple) and len(record.args) == 5:
            method, status = str(record.args[1]), record.args[4]
            self.requests[method if method in METHODS else "other", f"{str(status)[:1]}xx"] += 1
        return True

    def snapshot(self) -> Snapshot:
        """Everything, as it is now."""
        found: Snapshot = {"lazyapp_requests_total": {}}
        for (method, status), count in self.requests.items():
            found["lazyapp_requests_total"][f'method="{method}",status="{status}"'] = count
        for (name, labels), gauge in self.gauges.items():
            found.setdefault(name, {})[labels] = gauge()
        return found


def added(snapshots: Iterable[Snapshot]) -> Snapshot:
    """The sums of several snapshots."""
    total: Snapshot = {}
    for snapshot in snapshots:
        for name, samples in snapshot.items():
            sums = total.setdefault(name, {})
            for labels, value in samples.items():
                sums[labels] = sums.get(labels, 0) + value
    return total


def exposition(snapshot: Snapshot) -> str:
    """The text format of Prometheus, version 0.0.4."""
    lines: list[str] = []
    for name, family in FAMILIES.items():
        if samples := snapshot.get(name):
            lines += [f"# HELP {name} {family.meaning}", f"# TYPE {name} {family.kind}"]
            lines += [f"{name}{{{labels}}} {value:.15g}" if labels else f"{name} {value:.15g}" for labels, value in samples.items()]
    return "\n".join([*lines, ""])


def started_at() -> Snapshot:
    """When this process started; close to it, where the machine does not tell."""
    return {"process_start_time_seconds": {"": _STARTED_AT}}


def _start_time() -> float:
    try:
        # proc(5): the 22nd field, counted from the machine's start; the second may hold spaces, and ends with the last bracket.
        ticks = float(Path("/proc/self/stat").read_bytes().rpartition(b")")[2].split()[19])
        up_s = float(Path("/proc/uptime").read_bytes().split()[0])
        return time.time() - up_s + ticks / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError):
        return time.time()


_STARTED_AT = _start_time()
