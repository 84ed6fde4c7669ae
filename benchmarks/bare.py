"""The limit: a bare ASGI function that makes the same checks, calls the same function and answers the same bytes.

`python -m benchmarks.bare [--verify PUBLIC_JWK | --list] PORT`. With `--verify` it checks signature and claims of each bearer
token, every time; with `--list` it answers `tools/list` with the bytes of a list that was written once.
"""

import json
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import uvicorn
from joserfc import jwt
from joserfc.jwk import ECKey
from pydantic_core import from_json, to_json

from benchmarks.requests import LEGACY, MODERN
from benchmarks.work import add, listed

PORT = int(sys.argv[-1])
HOSTS = {f"127.0.0.1:{PORT}".encode(), f"localhost:{PORT}".encode()}
KEY = ECKey.import_key(json.loads(sys.argv[sys.argv.index("--verify") + 1])) if "--verify" in sys.argv else None
CLAIMS = jwt.JWTClaimsRegistry(exp={"essential": True}, aud={"essential": True, "value": f"http://127.0.0.1:{PORT}/mcp"})
LIST = listed() if "--list" in sys.argv else b""
META = {"io.modelcontextprotocol/serverInfo": {"name": "bench", "version": "1.0"}}


async def app(scope: Any, receive: Callable[[], Awaitable[Any]], send: Callable[[Any], Awaitable[None]]) -> None:
    """Answer one `tools/call` of either era; anything else is a failed assertion."""
    if scope["type"] == "lifespan":
        await _live(receive, send)
        return
    headers = dict(scope["headers"])
    assert scope["path"] == "/mcp"
    assert scope["method"] == "POST"
    assert headers[b"host"] in HOSTS
    assert b"origin" not in headers
    assert headers[b"content-type"] == b"application/json"
    assert int(headers[b"content-length"]) <= 4 << 20
    accept = headers[b"accept"]
    assert b"application/json" in accept or b"*/*" in accept
    if KEY is not None:
        kind, _, token = headers[b"authorization"].partition(b" ")
        assert kind == b"Bearer"
        CLAIMS.validate(jwt.decode(token.decode(), KEY, algorithms=["ES256"]).claims)
    message = from_json((await receive())["body"])
    assert message["jsonrpc"] == "2.0"
    params = message["params"]
    is_modern = "_meta" in params
    if is_modern:
        meta = params["_meta"]
        assert headers[b"mcp-protocol-version"].decode() == meta["io.modelcontextprotocol/protocolVersion"] == MODERN
        assert type(meta["io.modelcontextprotocol/clientCapabilities"]) is dict
        assert headers[b"mcp-method"].decode() == message["method"]
        assert LIST or headers[b"mcp-name"].decode() == params["name"]
    else:
        assert headers[b"mcp-protocol-version"].decode() == LEGACY
    if LIST:
        assert message["method"] == "tools/list"
        await _answer(send, b'{"jsonrpc":"2.0","id":%b,"result":%b}' % (to_json(message["id"]), LIST))
        return
    assert message["method"] == "tools/call"
    assert params["name"] == "add"
    found = (await add(**params["arguments"])).model_dump()
    result: dict[str, Any] = {"content": [{"type": "text", "text": to_json(found).decode()}], "structuredContent": found}
    if is_modern:
        result |= {"resultType": "complete", "_meta": META}
    await _answer(send, to_json({"jsonrpc": "2.0", "id": message["id"], "result": result}))


async def _answer(send: Callable[[Any], Awaitable[None]], body: bytes) -> None:
    answer = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": 200, "headers": answer})
    await send({"type": "http.response.body", "body": body})


async def _live(receive: Callable[[], Awaitable[Any]], send: Callable[[Any], Awaitable[None]]) -> None:
    while True:
        event = (await receive())["type"]
        await send({"type": f"{event}.complete"})
        if event == "lifespan.shutdown":
            return


if __name__ == "__main__":
    uvicorn.run(app, port=PORT, log_level="error", access_log=False, loop="uvloop", http="httptools")
