"""What is known about each fault, and a fault that was found. The knowledge is data: `faults.toml`, dated, with sources."""

import tomllib
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any

MAX_SEEN = 240


class Severity(StrEnum):
    """How much a fault matters; in the order of the report."""

    BREAKS = "breaks"
    MAY_BREAK = "may break"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Fault:
    """One way in which a deployment fails its clients.

    Attributes:
        id: its name in `--json`, stable.
        title: what is wrong, in one line.
        clients: whom it hurts.
        fix: what to do, in one sentence.
        source: where it was reported or is ruled.
        read_on: when that was last looked at.
    """

    id: str
    severity: Severity
    title: str
    clients: str
    fix: str
    source: str
    read_on: date


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault of this deployment, and what was seen of it."""

    fault: Fault
    seen: str

    def to_dict(self) -> dict[str, str]:
        """One object of `--json`."""
        fault = self.fault
        return {
            "id": fault.id,
            "severity": fault.severity.value,
            "title": fault.title,
            "clients": fault.clients,
            "seen": self.seen,
            "fix": fault.fix,
            "source": fault.source,
            "read_on": fault.read_on.isoformat(),
        }


def found(fault_id: str, seen: str) -> Finding:
    """A finding.

    Args:
        fault_id: a name in `faults.toml`.
        seen: what the deployment said; cleaned here, for it goes to a terminal.
    """
    return Finding(faults()[fault_id], visible(seen))


@cache
def faults() -> Mapping[str, Fault]:
    """Everything the doctor knows to look for, by id."""
    data: dict[str, Any] = tomllib.loads(Path(__file__).with_name("faults.toml").read_text(encoding="utf-8"))
    read_on = data.pop("read_on")
    return {name: _fault(name, {"read_on": read_on, **entry}) for name, entry in data.items()}


def visible(text: str) -> str:
    """A stranger's text as a terminal may show it: one line, no control characters, not endless."""
    plain = "".join(character if not unicodedata.category(character).startswith("C") else " " for character in text)
    line = " ".join(plain.split())
    return line if len(line) <= MAX_SEEN else line[: MAX_SEEN - 1] + "…"


def _fault(name: str, entry: Mapping[str, Any]) -> Fault:
    return Fault(id=name, **{**entry, "severity": Severity(entry["severity"])})
