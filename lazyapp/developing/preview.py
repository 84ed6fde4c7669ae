"""`/_lazy/preview`: call a tool as somebody, and see its widget as a host of MCP Apps shows it.

The edge of the preview: its page, and what the page's script asks for. `preview_call.py` speaks MCP, `preview_people.py` knows who
calls, `preview_frame.py` keeps the documents of widgets. Who may come here at all is the door's to say.
"""

import base64
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import lazymcp
from lazyapp.developing.application import Application
from lazyapp.developing.asked import POLICY, answer, is_read
from lazyapp.developing.door import ASGIApp, Receive, Scope, Send
from lazyapp.developing.preview_call import METHODS, ask
from lazyapp.developing.preview_frame import Frames, Wanted, digest_of, problems_of
from lazyapp.developing.preview_people import Caller, UnknownCaller, describe, signed_in
from lazyapp.developing.shown import HELPERS
from lazyapp.steps.mcp import NO_MODULES
from lazyapp.version import __version__
from lazyview import Views

PREFIX: Final = "/_lazy/preview"
TEMPLATES: Final = Path(__file__).parent / "templates"
MAX_BODY_BYTES: Final = 8 * 1024 * 1024

# The page embeds the documents of widgets, and nothing else embeds anything.
_PAGE_POLICY: Final = f"{POLICY}; frame-src 'self'"


class Refused(Exception):
    """A request of the page that cannot be answered; the message says why."""

    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.status = status


class Preview:
    """The preview of one application, as an ASGI application.

    Args:
        app: whose tools.
        links: address and label of each part of `/_lazy`, for the bar of the page.
    """

    def __init__(self, app: Application, links: Callable[[], Sequence[tuple[str, str]]]) -> None:
        self._app = app
        self._links = links
        self._views = Views([TEMPLATES], helpers=HELPERS)
        self._frames = Frames()
        self._served: tuple[lazymcp.Scope, ASGIApp] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        path = scope["path"].removeprefix(PREFIX).rstrip("/")
        if path == "/mcp" or path == "/frames":
            await self._answer_script(path, scope, receive, send)
            return
        if not await is_read(scope, send):
            return
        if path == "":
            await answer(scope, send, self._page(), more={"content-security-policy": _PAGE_POLICY})
        elif path == "/callers":
            await _answer_json(scope, send, await describe(self._app))
        elif (document := self._frames.get(path.removeprefix("/frames/"))) is not None:
            await send({"type": "http.response.start", "status": 200, "headers": list(document.headers)})
            await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else document.body})
        else:
            await answer(scope, send, "Not Found\n", status=404, media_type="text/plain")

    async def _answer_script(self, path: str, scope: Scope, receive: Receive, send: Send) -> None:
        """What the page's script posts: JSON, so that no form of another site can say the same."""
        try:
            if scope["method"] != "POST":
                raise Refused("This address takes POST.", 405)
            asked = await _read(scope, receive)
            found = await (self._call(asked, scope, receive) if path == "/mcp" else self._frame(asked, scope, receive))
        except Refused as problem:
            await _answer_json(scope, send, {"problem": str(problem)}, status=problem.status)
        except UnknownCaller as problem:
            await _answer_json(scope, send, {"problem": str(problem)}, status=422)
        except RecursionError:
            await _answer_json(scope, send, {"problem": "What was sent, or answered, is nested too deeply."}, status=422)
        else:
            await _answer_json(scope, send, found)

    async def _call(self, asked: Mapping[str, Any], scope: Scope, receive: Receive) -> dict[str, Any]:
        """`{as, method, params}`: one request to `/mcp`."""
        method, params = asked.get("method"), asked.get("params", {})
        if not isinstance(method, str) or method not in METHODS:
            raise Refused(f"The preview does not ask for {str(method)[:80]!r}.")
        if not isinstance(params, dict):
            raise Refused("params must be an object.")
        endpoint, schema = self._endpoint(), self._schema_of(params.get("name"))
        with await signed_in(self._app, Caller.read(asked.get("as"))):
            found = await ask(endpoint, method, params, schema, host=_host(scope), receive=receive)
        return found.to_dict()

    async def _frame(self, asked: Mapping[str, Any], scope: Scope, receive: Receive) -> dict[str, Any]:
        """`{as, uri, host, csp, state, known}`: the document of a widget, and what its resource asks for."""
        reading = {"as": asked.get("as"), "method": "resources/read", "params": {"uri": str(asked.get("uri", ""))}}
        read = await self._call(reading, scope, receive)
        contents = _html_of(read)
        html, meta = contents["text"], contents.get("_meta", {})
        chatgpt = asked.get("host") == "openai"
        wanted = Wanted.of(meta if isinstance(meta, dict) else {}, chatgpt=chatgpt)
        told = {
            "digest": digest_of(html),
            "bytes": len(html.encode("utf-8", "replace")),
            "mimeType": contents.get("mimeType"),
            "meta": meta,
            "policy": wanted.policy(),
            "csp": wanted.csp,
            "allow": wanted.allow,
            "problems": list(problems_of(contents, wanted, chatgpt=chatgpt)),
        }
        if asked.get("known") == told["digest"]:
            return told
        policy = "" if asked.get("csp") is False else wanted.policy()
        state = asked.get("state")
        frame_id = self._frames.put(
            html, policy, host="openai" if chatgpt else "standard", state=state if isinstance(state, dict) else {}
        )
        return {**told, "url": f"{PREFIX}/frames/{frame_id}"}

    def _page(self) -> str:
        given = {"name": self._app.config.name, "version": __version__, "path": PREFIX, "links": self._links()}
        return self._views.render("preview/index", given, layout="developing")

    def _endpoint(self) -> ASGIApp:
        mcp = self._app.mcp
        if mcp is None:
            raise Refused(NO_MODULES, 409)
        if self._served is None or self._served[0] is not mcp:
            self._served = (mcp, mcp.asgi())
        return self._served[1]

    def _schema_of(self, name: object) -> Mapping[str, Any]:
        mcp = self._app.mcp
        if mcp is None or not isinstance(name, str):
            return {}
        found = (entry["inputSchema"] for row, entry in mcp.entries("tool") if name in (row.name, row.name.replace(".", "_")))
        return next(found, {})


def _html_of(read: Mapping[str, Any]) -> dict[str, Any]:
    """The one page among what was read, its text as text.

    Raises:
        Refused: it could not be read, or is no page.
    """
    message = read["answer"]
    if "error" in message:
        failed = f" Its traceback is kept under {read['failure']}." if read["failure"] else ""
        raise Refused(f"The page could not be read: {message['error'].get('message')}.{failed}", 422)
    for contents in message["result"].get("contents", ()):
        if isinstance(contents.get("text"), str):
            return dict(contents)
        if isinstance(contents.get("blob"), str):
            return {**contents, "text": base64.b64decode(contents["blob"]).decode("utf-8", "replace")}
    raise Refused("The resource has no text, so there is no page to show.", 422)


async def _read(scope: Scope, receive: Receive) -> Mapping[str, Any]:
    """The JSON object that was posted.

    Raises:
        Refused: it is something else, or too large.
    """
    kind = next((value for name, value in scope["headers"] if name == b"content-type"), b"")
    if kind.partition(b";")[0].strip().lower() != b"application/json":
        raise Refused("The body must be application/json.", 415)
    body, more = bytearray(), True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Refused("The browser left.")
        body += message.get("body", b"")
        more = message.get("more_body", False)
        if len(body) > MAX_BODY_BYTES:
            raise Refused(f"The body is larger than {MAX_BODY_BYTES} bytes.", 413)
    try:
        found = json.loads(bytes(body))
    except (ValueError, RecursionError):
        raise Refused("The body is no JSON.") from None
    if not isinstance(found, dict):
        raise Refused("The body must be a JSON object.")
    return found


async def _answer_json(scope: Scope, send: Send, value: Mapping[str, Any], *, status: int = 200) -> None:
    await answer(scope, send, json.dumps(value), status=status, media_type="application/json")


def _host(scope: Scope) -> bytes:
    host: bytes = next((value for name, value in scope["headers"] if name == b"host"), b"localhost")
    return host
