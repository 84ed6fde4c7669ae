"""What the doctor knows, as data: dated, with sources, in words."""

import datetime as dt
import re

import pytest

from lazyapp.doctor.finding import MAX_SEEN, Severity, faults, found, visible


def test_each_fault_says_whom_it_hurts_what_to_do_and_where_that_stands() -> None:
    assert len(faults()) >= 60
    for fault in faults().values():
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)+", fault.id)
        assert fault.source.startswith("https://")
        assert fault.fix.endswith(".")
        assert fault.clients
        assert not fault.title.endswith(".")
        assert isinstance(fault.read_on, dt.date)


def test_every_severity_is_in_use() -> None:
    assert {fault.severity for fault in faults().values()} == set(Severity)


@pytest.mark.parametrize("text", ["a\x1b[31mb", "a\r\nb", "a\u202eb", "a\x00b", "a\u200bb"])
def test_what_a_stranger_wrote_cannot_move_the_cursor_or_turn_the_line(text: str) -> None:
    assert visible(text).isprintable()


def test_it_is_not_endless() -> None:
    assert len(visible("x" * 10_000)) == MAX_SEEN


def test_a_finding_says_all_of_it() -> None:
    told = found("page-form-action", "Content-Security-Policy: form-action 'self'").to_dict()
    assert told.keys() == {"id", "severity", "title", "clients", "seen", "fix", "source", "read_on"}
    assert told["severity"] == "breaks"
