"""How a line of the log is written: as text for people, or as JSON for what collects logs, each with the request it belongs to.

Which loggers speak, and where to, is decided in `serving/log_lines.py`.
"""

import json
import logging
from datetime import UTC, datetime
from typing import Any, Final

from lazyapp.request_ids import request_id

__all__ = ["JSONLine", "TextLine", "WithRequest", "access_of"]

# What a record may carry besides: the request, the id that a client was shown of what failed, and the trace.
_MORE: Final = ("request_id", "failure_id", "trace_id", "span_id")


class WithRequest(logging.Filter):
    """Notes on each record which request it belongs to; on a handler, so that every logger's records pass it.

    Only a record that is written asks: a request that logs nothing pays nothing.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        """Keep the record, its request noted."""
        if getattr(record, "request_id", None) is None:
            record.request_id = request_id()
        return True


# What steers a terminal: an escape in what a stranger sent would move, colour or hide the lines of whoever reads along.
_STEERING: Final = {code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160)) if chr(code) not in "\t\n"}


class TextLine(logging.Formatter):
    """The text of a format, the id of the request at its end."""

    def format(self, record: logging.LogRecord) -> str:
        """The whole entry, control characters shown and not obeyed."""
        return super().format(record).translate(_STEERING)

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802  # logging calls it so
        """One line; what was raised follows below it."""
        found = getattr(record, "request_id", None)
        return super().formatMessage(record) + (f"  [{found}]" if found else "")


class JSONLine(logging.Formatter):
    """One JSON object a line: `time`, `level`, `logger`, `message`, and where there is one `request_id`, `failure_id`, `error`.

    A line of an access log has `client`, `method`, `path` and `status` instead of the server's own sentence.
    """

    def format(self, record: logging.LogRecord) -> str:
        """One line. What is not ASCII is escaped, so that no encoding of a terminal or a line end in a message breaks it."""
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
        }
        if access := access_of(record):
            line |= {"message": f"{access['method']} {access['path']} {access['status']}", **access}
        else:
            line["message"] = record.getMessage()
        line |= {name: value for name in _MORE if (value := getattr(record, name, None))}
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        if record.stack_info:
            line["stack"] = record.stack_info
        return json.dumps(line, default=str)


def access_of(record: logging.LogRecord) -> dict[str, Any]:
    """What uvicorn says of a request that it answered; nothing for any other record."""
    if record.name != "uvicorn.access" or not isinstance(record.args, tuple) or len(record.args) != 5:
        return {}
    client, method, path, _, status = record.args
    return {"client": client, "method": method, "path": path, "status": status}
