"""How a serving process logs: short lines on stderr, and never a query string, for OAuth's codes travel there."""

import asyncio
import logging
import sys
from typing import Any

from lazyapp.logs import JSONLine, TextLine, WithRequest, access_of

ACCESS, SERVER = "uvicorn.access", "uvicorn.error"
# They tell much for those who work on them; those of the database also the parameters of statements, those of HTTP clients whole
# addresses and the headers of answers, Authlib the PKCE verifier of a sign-in: the application's secrets. Each has a level of its
# own, so that a root logger at DEBUG does not make them speak.
QUIET = (
    *("aiosqlite", "asyncpg", "sqlalchemy", "sqlalchemy.dialects", "sqlalchemy.engine", "sqlalchemy.orm", "sqlalchemy.pool"),
    *("alembic", "asyncio", "authlib", "httpcore", "httpcore2", "httpx", "httpx2", "watchfiles"),
)


REFRESHES = ("/_lazy/changes", "/_lazy/refresh.js")


class WithoutQuery(logging.Filter):
    """Cuts the query string off every access record, so no handler ever sees it (RFC 9700 2.4: codes in logs are codes lost)."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Keep the record, less its query."""
        if isinstance(record.args, tuple) and len(record.args) == 5:
            client, method, path, version, status = record.args
            record.args = (client, method, str(path).partition("?")[0], version, status)
        return True


class WithoutRefreshes(logging.Filter):
    """Drops the lines of requests that a page makes by itself, to be refreshed (`developing/refresh.py`): they are nobody's."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the record is worth a line."""
        access = access_of(record)
        return not access or access["path"] not in REFRESHES


class WithoutCancellations(logging.Filter):
    """Drops what uvicorn says about requests that were cut at the end of a run: that they were is the point."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the record is worth a line."""
        cancelled = record.exc_info is not None and isinstance(record.exc_info[1], asyncio.CancelledError)
        return not cancelled and not str(record.msg).startswith("Cancel %s running task(s)")


class AccessLine(logging.Formatter):
    """`12:04:11  GET  200  /accounts`; in production with the client's address and the id of the request."""

    def __init__(self, *, shows_client: bool) -> None:
        super().__init__(datefmt="%Y-%m-%dT%H:%M:%S%z" if shows_client else "%H:%M:%S")
        self._shows_client = shows_client

    def format(self, record: logging.LogRecord) -> str:
        """One line."""
        if not (access := access_of(record)):
            return super().format(record)
        start = f"  {self.formatTime(record, self.datefmt)}"
        line = f"  {access['method']:<6} {access['status']}  {access['path']}"
        if not self._shows_client:
            return start + line
        found = getattr(record, "request_id", None)
        return f"{start}  {access['client']}{line}" + (f"  [{found}]" if found else "")


def log_config(*, in_development: bool, as_json: bool = False, level: str = "info") -> dict[str, Any]:
    """A `logging.config` table for one serving process: the application's own loggers from `level`, the server's from WARNING.

    Args:
        in_development: whether a person reads along, who needs no dates.
        as_json: whether each line is a JSON object.
        level: of the application's loggers and of the lines about requests, by its name in lower case.
    """
    plain = "  %(asctime)s  %(levelname)s  %(name)s: %(message)s"
    handler = {"class": "logging.StreamHandler", "filters": ["request"]}
    quiet = ["request", "refreshes"] if in_development else ["request"]
    when = "%H:%M:%S" if in_development else "%Y-%m-%dT%H:%M:%S%z"
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "filters": {
            "query": {"()": WithoutQuery},
            "cancellations": {"()": WithoutCancellations},
            "request": {"()": WithRequest},
            "refreshes": {"()": WithoutRefreshes},
        },
        "formatters": {
            "plain": {"()": TextLine, "fmt": plain, "datefmt": when},
            "access": {"()": AccessLine, "shows_client": not in_development},
            "json": {"()": JSONLine},
        },
        "handlers": {
            "plain": {**handler, "formatter": "json" if as_json else "plain"},
            # The level is the handler's: who counts requests at the logger hears of each.
            "access": {**handler, "filters": quiet, "formatter": "json" if as_json else "access", "level": level.upper()},
        },
        "root": {"level": level.upper(), "handlers": ["plain"]},
        "loggers": {
            ACCESS: {"level": "INFO", "handlers": ["access"], "filters": ["query"], "propagate": False},
            # Whoever configured the parent before, its records go to the root handler, once.
            "uvicorn": {"level": "NOTSET", "handlers": [], "propagate": True},
            SERVER: {"level": "WARNING", "filters": ["cancellations"], "propagate": True},
            **{name: {"level": "WARNING"} for name in QUIET},
        },
    }


def log_to_stderr(*, as_json: bool = False, level: str = "info") -> None:
    """The same for a process that is no server, and whose stdout may be a protocol's; it may be said again.

    Args:
        as_json: whether each line is a JSON object.
        level: of the application's loggers, by its name in lower case.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JSONLine() if as_json else TextLine("%(levelname)s  %(name)s: %(message)s"))
    handler.addFilter(WithRequest())
    logging.basicConfig(handlers=[handler], level=level.upper(), force=True)
    quieten()


def quieten() -> None:
    """The same for a process whose logging is set up otherwise."""
    for name in QUIET:
        logging.getLogger(name).setLevel(logging.WARNING)
