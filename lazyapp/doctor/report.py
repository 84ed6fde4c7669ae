"""A report as people read it in a terminal, and as programs read it."""

import textwrap
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from lazyapp.doctor.examine import Report
from lazyapp.doctor.finding import Finding, Severity, visible

_HEADINGS = {Severity.BREAKS: "Breaks logins", Severity.MAY_BREAK: "May break logins", Severity.NOTE: "Worth knowing"}
_MARKS = {Severity.BREAKS: ("✗", "31"), Severity.MAY_BREAK: ("!", "33"), Severity.NOTE: ("·", "36")}
_COUNTED = {Severity.BREAKS: "that break logins", Severity.MAY_BREAK: "that may", Severity.NOTE: "worth knowing"}
_LABELS = ("Seen", "Hurts", "Fix", "Source")


def to_dict(report: Report) -> dict[str, Any]:
    """The object of `--json`."""
    return {
        "url": report.url,
        "issuer": report.issuer,
        "healthy": report.is_healthy,
        "complete": report.is_complete,
        "registered": list(report.registered),
        "requests": report.asked,
        "findings": [finding.to_dict() for finding in report.findings],
    }


def lines(report: Report, *, width: int = 100, colour: bool = False) -> Iterator[str]:
    """The report, line by line.

    Args:
        width: where sentences break; URLs never do.
        colour: whether the terminal shows it.
    """
    yield f"  MCP endpoint   {report.url}"
    if report.issuer:
        yield f"  Login at       {visible(report.issuer)}"
    if report.registered:
        yield f"  Registered as  {', '.join(report.registered)}"
    for severity, group in groupby(report.findings, key=lambda finding: finding.fault.severity):
        yield ""
        yield _bold(f"  {_HEADINGS[severity]}", colour)
        for fault_id, same in groupby(group, key=lambda finding: finding.fault.id):
            yield from _told(list(same), width, colour, fault_id)
    yield ""
    yield f"  {_verdict(report)}"


def _told(same: Sequence[Finding], width: int, colour: bool, fault_id: str) -> Iterator[str]:
    fault = same[0].fault
    mark, shade = _MARKS[fault.severity]
    yield ""
    yield f"  {_shaded(mark, shade, colour)} {_bold(fault.title, colour)}  {_shaded(fault_id, '2', colour)}"
    source = f"{fault.source} ({fault.read_on.isoformat()})"
    values = {"Seen": [finding.seen for finding in same], "Hurts": [fault.clients], "Fix": [fault.fix], "Source": [source]}
    for label in _LABELS:
        for position, value in enumerate(values[label]):
            yield from _paragraph(label if position == 0 else "", value, width)


def _paragraph(label: str, text: str, width: int) -> Iterator[str]:
    parts = textwrap.wrap(text, max(width - 14, 30), break_long_words=False, break_on_hyphens=False)
    for position, part in enumerate(parts):
        yield f"      {label if position == 0 else '':<7} {part}"


def _verdict(report: Report) -> str:
    asked = f"{report.asked} requests"
    if not report.is_complete:
        asked += "; not everything could be asked within the limits"
    if not report.findings and not report.is_complete:
        return f"Nothing found so far. ({asked})"
    if not report.findings:
        return f"Nothing found: every client known here can log in. ({asked})"
    counts = {
        severity: len({finding.fault for finding in report.findings if finding.fault.severity is severity}) for severity in Severity
    }
    told = [f"{counts[severity]} {word}" for severity, word in _COUNTED.items() if counts[severity]]
    return f"Faults: {', '.join(told)}. ({asked})"


def _bold(text: str, colour: bool) -> str:
    return _shaded(text, "1", colour)


def _shaded(text: str, shade: str, colour: bool) -> str:
    return f"\x1b[{shade}m{text}\x1b[0m" if colour else text
