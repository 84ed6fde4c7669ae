"""What crossed the wire, what was logged, and whether the one stands in the other."""

import hashlib
import json
import logging
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path

from tests.secrecy.crossing import spellings

FOLDER = Path(__file__).parent
#: Of this process: how many secrets were looked for, and in how many lines.
looked_at: Counter[str] = Counter()
_FORMAT = logging.Formatter("%(message)s")


class Leaks(AssertionError):
    """Secrets stand in logs. It names the logger, the kind of the secret and a digest, never the secret."""

    def __init__(self, leaks: Iterable[str]) -> None:
        super().__init__("what crossed the wire stands in a log:\n" + "\n".join(sorted(set(leaks))))


class Ledger:
    """The secrets and the log lines of one stretch of a process."""

    def __init__(self) -> None:
        self.secrets: dict[str, str] = {}
        self.lines: defaultdict[str, list[str]] = defaultdict(list)

    def keep(self, kind: str, secret: str) -> None:
        self.secrets.setdefault(secret, kind)

    def hear(self, record: logging.LogRecord) -> None:
        """Keep a record as a handler would print it, its traceback too."""
        self.lines[record.name].append(_FORMAT.format(record))

    def check(self) -> None:
        """Look for all of them.

        Raises:
            Leaks: a secret was logged.
        """
        check(self.secrets, {name: "\n".join(lines) for name, lines in self.lines.items()})


def check(secrets: Mapping[str, str], logs: Mapping[str, str]) -> None:
    """Look for every secret in every log.

    Args:
        secrets: their kinds, by secret.
        logs: texts, by the name of who wrote them.

    Raises:
        Leaks: there is one.
    """
    all_logs = "\0".join(logs.values())
    looked_at.update(secrets=len(secrets), lines=all_logs.count("\n") + len(logs))
    forms = [(kind, secret, each) for secret, kind in secrets.items() for each in spellings(secret)]
    found = [(kind, secret, each) for kind, secret, each in forms if each in all_logs]
    leaks = [
        f"  {name}: {kind} {hashlib.sha256(secret.encode()).hexdigest()[:12]}"
        for kind, secret, each in found
        for name, text in logs.items()
        if each in text
    ]
    if leaks:
        raise Leaks(leaks)


def read_secrets(file: Path) -> dict[str, str]:
    """What a served process has seen so far."""
    if not file.exists():
        return {}
    return {secret: kind for kind, secret in map(json.loads, file.read_text().splitlines())}


def talkative(file: Path) -> dict[str, str]:
    """The variables that make a process of lazyapp log at DEBUG, and write what crosses its wire to a file."""
    return {"PYTHONPATH": str(FOLDER), "SECRETS_SEEN": str(file)}
