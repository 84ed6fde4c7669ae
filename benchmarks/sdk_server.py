"""The official Python SDK as a contestant: `python -m benchmarks.sdk_server [--many] (--stdio | PORT)`."""

import sys

import uvicorn
from mcp.server.mcpserver import MCPServer

from benchmarks.work import TOOLS, add, another


def main() -> None:
    """Serve the tools with the SDK's own defaults, JSON answers on."""
    server = MCPServer("bench", version="1.0", log_level="ERROR")
    server.add_tool(add)
    if "--many" in sys.argv:
        for number in range(1, TOOLS):
            server.add_tool(another(number))
    if "--stdio" in sys.argv:
        server.run("stdio")
        return
    # Without sessions, as ours: what several processes can serve.
    app = server.streamable_http_app(json_response=True, stateless_http=True)
    uvicorn.run(app, port=int(sys.argv[-1]), log_level="error", access_log=False, loop="uvloop", http="httptools")


if __name__ == "__main__":
    main()
