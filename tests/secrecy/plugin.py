"""The part of pytest: every test runs at DEBUG, and fails when a secret that crossed its wire was logged in its time.

A process that a test serves has its own ledger, which `tests/flows/serving.py` checks when the process has ended.
"""

import logging
from collections.abc import Callable, Generator
from typing import Any

import pytest

from lazyapp.app import App
from lazyoauth.bearer import BearerGuard
from lazyoauth.http import Endpoint
from tests.secrecy.crossing import watch
from tests.secrecy.ledger import Ledger, looked_at

#: Who calls the server from within the same process. They log what they get, as is their right: it is theirs.
CLIENTS = ("httpx2", "httpcore2", "mcp.client", "client", "fastmcp")
#: For all of lazyapp, of lazyoauth alone, and of its guard.
DOORS = (App, Endpoint, BearerGuard)

LEDGER = pytest.StashKey[Ledger]()
hears_of: list[Ledger] = []


def open_eyes(keep: Callable[[str, str], None]) -> list[Callable[[], None]]:
    return [watch(door, keep) for door in DOORS]


def keep(kind: str, secret: str) -> None:
    for ledger in hears_of:
        ledger.keep(kind, secret)


def is_enabled_for(self: logging.Logger, level: int) -> bool:
    """In place of `logging.Logger.isEnabledFor`: as if the root logger were at DEBUG; who has a level of its own keeps it.

    The level itself stays as it is, for tests look at what is logged at the usual one.
    """
    return usually_enabled(self, level) or (bool(hears_of) and _is_ruled_by_root(self) and self.manager.disable < level)


def call_handlers(self: logging.Logger, record: logging.LogRecord) -> None:
    """In place of `logging.Logger.callHandlers`, where the filters have been: tests exchange handlers, and some are not root's."""
    if not record.name.startswith(CLIENTS):
        for ledger in hears_of:
            ledger.hear(record)
    if usually_enabled(self, record.levelno):
        usually_call(self, record)


def _is_ruled_by_root(logger: logging.Logger) -> bool:
    each: logging.Logger | None = logger
    while each is not None and not each.level:
        each = each.parent
    return each is None or each is logger.root


usually_enabled, usually_call = logging.Logger.isEnabledFor, logging.Logger.callHandlers


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "leaks: this test logs a secret on purpose, to see that it is found")


def pytest_sessionstart(session: pytest.Session) -> None:
    open_eyes(keep)
    logging.Logger.isEnabledFor = is_enabled_for  # type: ignore[method-assign]
    logging.Logger.callHandlers = call_handlers  # type: ignore[method-assign]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, Any, Any]:
    item.stash[LEDGER] = Ledger()
    hears_of.append(item.stash[LEDGER])
    try:
        return (yield)
    finally:
        hears_of.pop()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, None, None]:
    yield
    ledger = item.stash[LEDGER]
    if item.get_closest_marker("leaks") is None:
        ledger.check()


def pytest_sessionfinish(session: pytest.Session) -> None:
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["secrecy"] = dict(looked_at)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """xdist's: a worker has ended."""
    looked_at.update(getattr(node, "workeroutput", {}).get("secrecy", {}))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    terminalreporter.write_line(f"secrecy: {looked_at['secrets']} secrets looked for in {looked_at['lines']} lines of logs")
