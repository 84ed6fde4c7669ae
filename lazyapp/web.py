"""The layer around FastAPI that every page request passes: security, public files, session, and an answer for every error.

One plain ASGI function rather than a stack of them, because each costs every request. What it does is decided in what it calls.
"""

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import nullcontext
from typing import Any

from fastapi import HTTPException
from fastapi.responses import PlainTextResponse

import lazyauth
from lazyapp.accept import AS_GET, wants_json
from lazyapp.current import Current, current
from lazyapp.drain import Drain, is_event_stream
from lazyapp.error_pages import Problem, problem_json, report
from lazyapp.method_override import meant
from lazyapp.pages import Pages
from lazyapp.public import PublicFiles
from lazyapp.request_ids import HEADER, request_id, telling
from lazyapp.security import Header, Refusal, Security, brings_token
from lazyapp.sessions import Sessions
from lazyapp.visitors import Visitors, login_of

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
ASGIApp = Callable[[Scope, Receive, Send], Awaitable[None]]


def web(
    app: ASGIApp,
    *,
    pages: Pages,
    sessions: Sessions,
    security: Security,
    public: PublicFiles,
    visitors: Visitors | None = None,
    drain: Drain | None = None,
) -> ASGIApp:
    """The pages of an application as one ASGI application.

    Args:
        app: FastAPI's stack, into which `pages` were installed.
        pages: from now on links to the files of `public`.
        sessions: reads and writes the session cookie.
        security: what is refused, and the headers that answers carry.
        public: files, which come before routes.
        visitors: knows who is signed in; None: nobody ever is.
        drain: ends the event streams at the end of the run.
    """
    pages.public = public
    return _Web(app, pages, sessions, security, visitors, drain or Drain())


class _Web:
    def __init__(
        self, app: ASGIApp, pages: Pages, sessions: Sessions, security: Security, visitors: Visitors | None, drain: Drain
    ) -> None:
        self._app = app
        self._pages = pages
        self._public = pages.public
        self._sessions = sessions
        self._security = security
        self._visitors = visitors
        self._drain = drain
        self._direct = pages.direct()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        kind = scope["type"]
        if kind not in ("http", "websocket"):
            return await self._app(scope, receive, send)
        if (refusal := self._security.refuse(scope)) is not None:
            return await self._refuse(refusal, scope, receive, telling(send))
        method, path = scope.get("method", ""), scope["path"]
        if method == "POST" and b"_method=" in scope["query_string"]:
            scope = meant(scope, self._pages.routes.methods_at)
        if method in ("GET", "HEAD") and (file := self._public.find(path)) is not None:
            return await self._public.send(file, scope, receive, telling(send))
        if method == "HEAD" or (path[-1:] == "/" and path != "/"):
            scope = self._as_drawn(scope)
        here = Current(scope, self._sessions.of(scope))
        scope["session"] = here.session
        token = current.set(here)
        try:
            if kind == "websocket":
                user = await self._signed_in(here)
                with lazyauth.signed_in(user) if user else nullcontext():
                    await self._app(scope, receive, send)
            else:
                await self._answer(here, method == "HEAD", receive, send)
        finally:
            current.reset(token)
        return None

    async def _answer(self, here: Current, is_head: bool, receive: Receive, send: Send) -> None:
        started = is_whole = False
        scope = here.scope
        task: Any = asyncio.current_task()

        async def send_page(message: Message) -> None:
            nonlocal started, is_whole
            if message["type"] == "http.response.start":
                message = {**message, "headers": self._headers(here, list(message.get("headers", ())))}
                started = True
                if is_event_stream(message["headers"]):
                    self._drain.hold(task)
            elif message["type"] == "http.response.body":
                is_whole = not message.get("more_body", False)
                if is_head:
                    message = {**message, "body": b""}
            await send(message)

        receive = self._security.limited(scope, receive, _http_error)
        try:
            user = await self._signed_in(here) if self._visitors is not None else None
            if user is None:
                await self._act(scope, receive, send_page)
            else:
                with lazyauth.signed_in(user):
                    await self._act(scope, receive, send_page)
        except asyncio.CancelledError:
            if not self._drain.has_ended(task):
                raise
            if not is_whole:  # the client shall see an end, not a fault
                await send({"type": "http.response.body", "body": b""})
        except Exception as error:
            report(scope, error)
            if not started:
                # A session that could not be written must not fail the answer that says so.
                here.session = scope["session"] = self._sessions.of(scope)
                await self._pages.errors.failed(scope, error)(scope, receive, send_page)
        finally:
            self._drain.release(task)

    async def _act(self, scope: Scope, receive: Receive, send: Send) -> None:
        # FastAPI names the routes of its spans in its own stack.
        is_direct = scope["method"] == "GET" and "fastapi.telemetry" not in scope
        direct = self._direct.find(scope["path"]) if is_direct else None
        if direct is not None:
            await self._direct.answer(direct, scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _signed_in(self, here: Current) -> lazyauth.User | None:
        """Who is signed in to the pages. A request with a token is a program's, whatever cookie it carries besides."""
        if self._visitors is None or not self._sessions.has_cookie(here.scope) or brings_token(here.scope):
            return None
        return await self._visitors.user_of(here.session)

    def _headers(self, here: Current, headers: list[Header]) -> list[Header]:
        """The answer's own headers, then what it left to us."""
        given = dict(headers)
        headers += [pair for pair in self._security.headers(here.scope["path"], here.nonce_if_used) if pair[0] not in given]
        if here.session.was_used:
            if b"cache-control" not in given and login_of(here.session):
                # One person's page: no shared cache keeps it, and after signing out the browser asks before it shows it.
                headers.append((b"cache-control", b"private, no-cache"))
            headers += self._sessions.headers(here.session, here.scope)
        if HEADER not in given and (name := request_id()) is not None:
            headers.append((HEADER, name.encode()))
        return headers

    def _as_drawn(self, scope: Scope) -> Scope:
        """The request as its page was drawn: without the last slash, and a HEAD as the GET whose headers it asks for."""
        path = scope["path"]
        drawn = path[:-1] if path[-1:] == "/" and path != "/" else path
        methods = self._pages.routes.methods_at(drawn)
        if not methods:
            return scope
        if scope.get("method") == "HEAD" and "HEAD" in methods:
            return {**scope, "path": drawn, "method": "GET", AS_GET: True}
        return {**scope, "path": drawn}

    async def _refuse(self, refusal: Refusal, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            # Before it is accepted, closing answers the handshake with 403.
            return await send({"type": "websocket.close", "code": 1008, "reason": ""})
        headers = {name.decode(): value.decode() for name, value in self._security.headers("", "")}
        if wants_json(scope):
            response = problem_json(Problem(refusal.status, refusal.message), headers)
        else:
            response = PlainTextResponse(refusal.message + "\n", refusal.status, headers)
        return await response(scope, receive, send)


def _http_error(refusal: Refusal) -> HTTPException:
    # FastAPI lets this one through while it reads a body; any other error it takes for a malformed one.
    # What is left of the body is not waited for (RFC 9110, section 15.5.9).
    return HTTPException(refusal.status, refusal.message, {"connection": "close"})
