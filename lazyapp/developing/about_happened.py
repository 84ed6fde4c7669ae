"""What a run did lately, as a coding agent reads it: errors, requests and log lines out of the memory of development."""

from datetime import UTC, datetime

from pydantic import BaseModel, Field

from lazyapp.developing.memory import Failure, Memory

NOT_HERE = (
    "This process serves nobody, so it has seen no requests, errors or log lines: those are told by {url} while `lazyapp serve` "
    "runs, and in its terminal."
)


class Error(BaseModel):
    """One error, in a line."""

    id: str
    time: str
    kind: str = Field(description="page, tool, resource, prompt or work.")
    what: str
    error: str
    place: str = Field("", description="The innermost line of the application's own code.")


class Request(BaseModel):
    """One request that was answered."""

    time: str
    kind: str
    method: str
    path: str
    status: int
    ms: float
    request_id: str
    call: str = Field("", description="For MCP its method and what it was for: tools/call admin.user_count.")


class Line(BaseModel):
    """One line of the log."""

    time: str
    level: str
    logger: str
    text: str
    request_id: str = ""


def errors(memory: Memory, limit: int) -> list[Error]:
    """The newest errors first."""
    return [_error(each) for each in list(reversed(memory.errors.copy()))[:limit]]


def error(memory: Memory, id: str) -> str:  # noqa: A002
    """One error as Markdown, with its traceback and what was logged meanwhile.

    Raises:
        LookupError: it is not, or no longer, known.
    """
    found = memory.failure(id)
    if found is None:
        known = ", ".join(each.id for each in errors(memory, 10))
        raise LookupError(f"No error {id!r} is remembered; {f'there are {known}' if known else 'there is none'}.")
    parts = [found.report.as_markdown()]
    if found.kind != "page":
        parts.insert(0, f"`{found.what}` failed at {_time(found.time)}.\n")
    if found.arguments:
        parts.append(f"Arguments:\n\n```json\n{found.arguments}\n```\n")
    if found.request_id and (logged := memory.lines_of(found.request_id)):
        shown = "\n".join(f"{line.level:<7} {line.logger}: {line.text}" for line in logged[-20:])
        parts.append(f"Logged meanwhile:\n\n```\n{shown}\n```\n")
    return "\n".join(parts)


def requests(memory: Memory, limit: int, grep: str, errors_only: bool) -> list[Request]:
    """The newest requests first."""
    found = [
        Request(
            time=_time(each.time),
            kind=each.kind,
            method=each.method,
            path=each.path,
            status=each.status,
            ms=round(each.ms, 1),
            request_id=each.request_id,
            call=" ".join(filter(None, (each.call, each.name))),
        )
        for each in reversed(memory.requests.copy())
        if not (errors_only and each.status < 400)
    ]
    return [each for each in found if grep.lower() in f"{each.method} {each.path} {each.call}".lower()][:limit]


def lines(memory: Memory, limit: int, grep: str, least: str, request_id: str) -> list[Line]:
    """The last lines, in the order in which they were written."""
    levels = ("debug", "info", "warning", "error")
    wanted = levels[levels.index(least) :]
    found = [
        Line(time=_time(each.time), level=each.level, logger=each.logger, text=each.text, request_id=each.request_id)
        for each in memory.lines.copy()
        if each.level in wanted and (not request_id or each.request_id == request_id)
    ]
    return [each for each in found if grep.lower() in f"{each.logger} {each.text}".lower()][-limit:]


def _error(failure: Failure) -> Error:
    first = failure.report.errors[0]
    own = first.own
    message = first.message.partition("\n")[0]
    return Error(
        id=failure.id,
        time=_time(failure.time),
        kind=failure.kind,
        what=failure.what,
        error=f"{first.kind}: {message}" if message else first.kind,
        place=f"{own[0].file}:{own[0].line} in {own[0].function}" if own else "",
    )


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")
