"""The official Python SDK as a contestant: `python -m benchmarks.sdk_server [--many] [--lean] (--stdio | PORT)`.

As it comes: sessions, and each answer in an event stream. `--lean` is what its documentation advises for load: neither.
"""

import sys

import uvicorn
from mcp.server.mcpserver import MCPServer

from benchmarks.work import TOOLS, add, another


def main() -> None:
    """Serve the tools."""
    server = MCPServer("bench", version="1.0", log_level="ERROR")
    server.add_tool(add)
    if "--many" in sys.argv:
        for number in range(1, TOOLS):
            server.add_tool(another(number))
    if "--stdio" in sys.argv:
        server.run("stdio")
        return
    is_lean = "--lean" in sys.argv
    app = server.streamable_http_app(json_response=is_lean, stateless_http=is_lean)
    uvicorn.run(app, port=int(sys.argv[-1]), log_level="error", access_log=False, loop="uvloop", http="httptools")


if __name__ == "__main__":
    main()
