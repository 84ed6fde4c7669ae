"""What a visitor sees when something went wrong, and what a JSON client reads (RFC 9457).

For people: in development the traceback; else the application's `error` view, else `public/<status>.html`, else a small page of
ours. An error inside one of them falls through to the next, so there always is an answer. Unexpected errors are logged here, once,
with the request's id; a stranger learns the id and nothing else.
"""

import json
import logging
from collections.abc import Callable, Mapping, MutableMapping
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from traceback import walk_tb
from typing import Any, Final
from urllib.parse import quote

from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, Response
from markupsafe import escape

from lazyapp.accept import choose, wants_json
from lazyapp.controller import Site
from lazyapp.current import current
from lazyapp.debug_page import debug_page
from lazyapp.debug_report import debug_report, frames
from lazyview import TemplateError

#: What stands before the id in the path of an error that is kept, in development.
KEPT_UNDER: Final = "/_lazy/errors/"

log = logging.getLogger("lazyapp")

_MESSAGES: Mapping[int, str] = {
    400: "The request could not be understood.",
    401: "Please sign in first.",
    403: "This is not yours to see or do.",
    404: "There is no page at this address.",
    405: "This address does not take that kind of request.",
    408: "What was sent took too long to arrive.",
    413: "What was sent is too large.",
    422: "Something that was sent is missing or wrong.",
    429: "That was too often; please wait a little.",
    500: "Something went wrong on our side.",
    503: "This is not available at the moment; please try again.",
}


# What the OpenAPI document says of an action that promises data: whatever went wrong is answered so, to browsers as a page.
DOCUMENTED: Mapping[str, Any] = {
    "description": "A problem (RFC 9457).",
    "content": {
        "application/problem+json": {
            "schema": {
                "type": "object",
                "properties": {
                    "type": {"type": "string"},
                    "title": {"type": "string"},
                    "status": {"type": "integer"},
                    "detail": {"type": "string"},
                    "instance": {"type": "string"},
                    "request_id": {"type": "string"},
                    "errors": {"type": "object", "additionalProperties": {"type": "string"}},
                },
                "required": ["type", "title", "status", "detail"],
            }
        },
        "text/html": {"schema": {"type": "string"}},
    },
}
RETRY_AFTER_S = 5
_DATABASE_LIBRARIES = frozenset({"aiosqlite", "asyncpg", "sqlalchemy"})
# https://www.sqlite.org/rescode.html: BUSY, LOCKED, IOERR, FULL and CANTOPEN.
_SQLITE_AWAY = frozenset({5, 6, 10, 13, 14})
# SQLSTATE, by its beginning: connection exception, insufficient resources, operator intervention, lock not available.
_SQLSTATE_AWAY = ("08", "53", "57", "55P03")


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that went wrong, as it may be told.

    Args:
        status: the HTTP status.
        message: a sentence to whoever asked; empty: a general one.
        errors: a message for each wrong field.
        headers: what the answer must carry, `Allow` for example.
    """

    status: int
    message: str = ""
    errors: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """The status in words, `Not Found`."""
        try:
            return HTTPStatus(self.status).phrase
        except ValueError:
            return "Error"

    @property
    def sentence(self) -> str:
        """The message, or the general one of the status."""
        return self.message or _MESSAGES.get(self.status, f"{self.title}.")


class ErrorPages:
    """Answers for problems.

    Args:
        site: renders the application's `error` view.
        public_text: the text of a public file by name, or None.
        shows_details: whether tracebacks are shown instead of hidden; asked for each error.
    """

    def __init__(self, site: Site, public_text: Callable[[str], str | None], shows_details: Callable[[], bool]) -> None:
        self._site = site
        self._public_text = public_text
        self._shows_details = shows_details

    def response(self, scope: Mapping[str, Any], problem: Problem) -> Response:
        """The answer for a problem, in what the client reads."""
        headers = {**problem.headers, "vary": "accept"}
        if wants_json(scope):
            return problem_json(problem, headers)
        return HTMLResponse(self._page(problem), problem.status, headers)

    def failed(self, scope: MutableMapping[str, Any], error: Exception) -> Response:
        """The answer for an error that nobody expected, which is logged here."""
        _forget_form(error)
        request_id = report(scope, error)
        here = current.get()
        status, headers = 500, {"x-request-id": request_id}
        if is_database_away(error):
            status, headers = 503, headers | {"retry-after": str(RETRY_AFTER_S)}
        problem = Problem(status, f"{_MESSAGES[status]} Its number is {request_id}.", headers=headers)
        if here is None or not self._shows_details():
            return self.response(scope, problem)
        told = debug_report(error, scope, request_id, self._site.settings.root)
        headers |= {"cache-control": "no-store", "vary": "accept"}
        if wants_json(scope):
            return problem_json(problem, headers, exception=told.as_json())
        if choose(scope, ("text/html", "text/markdown")) == "text/markdown":
            return Response(told.as_markdown(), status, headers, media_type="text/markdown")
        is_kept = self._site.settings.env == "development"
        kept_at = f"{KEPT_UNDER}{quote(request_id, safe='')}" if is_kept else ""
        return HTMLResponse(debug_page(told, here.nonce, kept_at=kept_at), status, headers)

    def _page(self, problem: Problem) -> str:
        variables = {"status": problem.status, "title": problem.title, "message": problem.sentence}
        views = self._site.views
        try:
            if views.exists("error"):
                return views.render("error", variables, layout="app" if views.exists("layouts/app") else None)
        except Exception:
            log.exception("the error view failed; a plain page was shown in its place")
        try:
            text = self._public_text(f"{problem.status}.html")
        except (OSError, UnicodeDecodeError):
            log.exception("public/%s.html cannot be read; a plain page was shown in its place", problem.status)
            text = None
        return text if text is not None else plain_page(problem)


def report(scope: MutableMapping[str, Any], error: BaseException) -> str:
    """Log an unexpected error, once however many layers see it; the id under which it is found.

    Of a template's error the place and the application's own frames are logged, not the way there through Jinja and the framework.
    """
    here = current.get()
    if here is not None and here.reported is error:
        return here.request_id
    # The path without its query, which may carry a secret; and quoted, for a line end in it would begin a line of a stranger's.
    what = f"{scope.get('method')} {quote(scope.get('path', ''), errors='replace')} failed"
    if here is not None:
        here.reported = error
        what = f"request {here.request_id}: {what}"
    if isinstance(error, TemplateError):
        log.error("%s: %s", what, _in_short(error, Path.cwd()))
    else:
        log.error("%s", what, exc_info=error)
    return here.request_id if here is not None else "none"


def _forget_form(error: BaseException) -> None:
    """When a failed form cannot be shown again: the error that says what was typed is no part of why, and must reach no log."""
    seen: set[int] = set()
    while (context := error.__context__) is not None and id(error) not in seen:
        seen.add(id(error))
        if isinstance(context, RequestValidationError):
            error.__context__ = None
            return
        error = context


def _in_short(error: TemplateError, root: Path) -> str:
    own = [f"\n  {frame.file}:{frame.line} in {frame.function}" for frame in frames(error, root) if frame.is_own]
    return f"{error.template}, line {error.line}: {error.message}{''.join(own)}"


def is_database_away(error: BaseException) -> bool:
    """Whether the database could not be reached, was locked or gave up: nothing is wrong with the request or the code.

    Told by names, codes and where an error was raised, so that neither SQLAlchemy nor a driver need be there. A missing table,
    which SQLite calls an OperationalError too, is a fault of ours.
    """
    if getattr(error, "connection_invalidated", False):
        return True
    error = getattr(error, "orig", None) or error
    if isinstance(code := getattr(error, "sqlite_errorcode", None), int):
        return code & 0xFF in _SQLITE_AWAY
    if isinstance(state := getattr(error, "sqlstate", None), str):
        return state.startswith(_SQLSTATE_AWAY)
    if isinstance(error, OSError):  # refused, reset, timed out, a name that is not resolved: the driver's own, or the application's
        return any(
            frame.f_globals.get("__name__", "").partition(".")[0] in _DATABASE_LIBRARIES
            for frame, _ in walk_tb(error.__traceback__)
        )
    kind = type(error)
    return kind.__name__ == "OperationalError" or (kind.__name__ == "TimeoutError" and kind.__module__.startswith("sqlalchemy."))


def problem_json(problem: Problem, headers: Mapping[str, str] | None = None, **extensions: Any) -> Response:
    """A problem as a program reads it. RFC 9457, section 3; 3.2 for what is added to it."""
    content: dict[str, Any] = {
        "type": "about:blank",
        "title": problem.title,
        "status": problem.status,
        "detail": problem.sentence,
        **extensions,
    }
    if (here := current.get()) is not None:
        content |= {"instance": quote(here.path), "request_id": here.request_id}
    if problem.errors:
        content["errors"] = dict(problem.errors)
    body = json.dumps(content, ensure_ascii=False)
    return Response(body, problem.status, dict(headers or problem.headers), media_type="application/problem+json")


def plain_page(problem: Problem) -> str:
    """A complete page that needs nothing of the application."""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(problem.title)}</title>\n</head>\n<body>\n<main>\n"
        f"<h1>{problem.status} {escape(problem.title)}</h1>\n<p>{escape(problem.sentence)}</p>\n"
        '<p><a href="/">Home</a></p>\n</main>\n</body>\n</html>\n'
    )
