"""The requests that are timed, byte for byte as clients send them, and the checks of their answers."""

import http.client
import json
from collections.abc import Callable
from typing import Any

from benchmarks.work import TOOLS

MODERN, LEGACY = "2026-07-28", "2025-11-25"
ACCEPT = "application/json, text/event-stream"


def modern_call(tool: str, token: str | None = None) -> Callable[[int], bytes]:
    """`tools/call` of revision 2026-07-28, headers and envelope included."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1.0"},
    }
    params = {"name": tool, "arguments": {"a": 2, "b": 40}, "_meta": meta}
    headers = {"MCP-Protocol-Version": MODERN, "Mcp-Method": "tools/call", "Mcp-Name": tool}
    return lambda port: _post(port, {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}, headers, token)


def legacy_call(tool: str, token: str | None = None, *, in_session: bool = True) -> Callable[[int], bytes]:
    """`tools/call` of revision 2025-11-25, in the session that the server gives."""

    def build(port: int) -> bytes:
        headers = {"MCP-Protocol-Version": LEGACY}
        if in_session and (session := _initialize(port, token)):
            headers["Mcp-Session-Id"] = session
        params = {"name": tool, "arguments": {"a": 2, "b": 40}}
        return _post(port, {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}, headers, token)

    return build


def modern_list() -> Callable[[int], bytes]:
    """`tools/list` of revision 2026-07-28."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1.0"},
    }
    headers = {"MCP-Protocol-Version": MODERN, "Mcp-Method": "tools/list"}
    return lambda port: _post(port, {"jsonrpc": "2.0", "id": 7, "method": "tools/list", "params": {"_meta": meta}}, headers, None)


def check_call(answer: bytes) -> None:
    """Raises unless the answer is 42, as text and as structured content."""
    result = result_of(answer)
    if result["structuredContent"] != {"total": 42} or json.loads(result["content"][0]["text"]) != {"total": 42}:
        raise AssertionError(answer.decode())


def check_list(answer: bytes) -> None:
    """Raises unless all tools are there, described."""
    tools = result_of(answer)["tools"]
    if len(tools) != TOOLS or not all(tool["description"] and tool["inputSchema"]["properties"] for tool in tools):
        raise AssertionError(f"{len(tools)} tools")


def result_of(answer: bytes) -> dict[str, Any]:
    """The result in an HTTP answer: JSON or the last event of a stream, in one piece or in chunks."""
    head, _, body = answer.partition(b"\r\n\r\n")
    if b" 200 " not in head.split(b"\r\n")[0]:
        raise AssertionError(answer.decode())
    if b"transfer-encoding: chunked" in head.lower():
        body = _joined(body)
    if b"text/event-stream" in head:
        body = next(line for line in reversed(body.splitlines()) if line.startswith(b"data:"))[5:]
    result: dict[str, Any] = json.loads(body)["result"]
    return result


def _joined(body: bytes) -> bytes:
    parts = []
    while body:
        size, _, rest = body.partition(b"\r\n")
        length = int(size, 16)
        parts.append(rest[:length])
        body = rest[length + 2 :]
    return b"".join(parts)


def _post(port: int, message: object, headers: dict[str, str], token: str | None) -> bytes:
    body = json.dumps(message, separators=(",", ":")).encode()
    lines = {"Host": f"127.0.0.1:{port}", "Accept": ACCEPT, "Content-Type": "application/json", "Content-Length": str(len(body))}
    if token is not None:
        lines["Authorization"] = f"Bearer {token}"
    head = "".join(f"{name}: {value}\r\n" for name, value in (lines | headers).items())
    return f"POST /mcp HTTP/1.1\r\n{head}\r\n".encode() + body


def _initialize(port: int, token: str | None) -> str | None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    headers = {"Accept": ACCEPT, "Content-Type": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})
    client = {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": {"name": "bench", "version": "1.0"}}
    connection.request("POST", "/mcp", json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": client}), headers)
    response = connection.getresponse()
    response.read()
    session = response.getheader("Mcp-Session-Id")
    more = {"MCP-Protocol-Version": LEGACY} | ({"Mcp-Session-Id": session} if session else {})
    connection.request("POST", "/mcp", json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}), headers | more)
    connection.getresponse().read()
    connection.close()
    return session
