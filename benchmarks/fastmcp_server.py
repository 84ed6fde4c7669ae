"""FastMCP as a contestant: `python -m benchmarks.fastmcp_server [--many] (--stdio | PORT)`."""

import sys

import uvicorn
from fastmcp import FastMCP

from benchmarks.work import TOOLS, add, another


def main() -> None:
    """Serve the tools with FastMCP's own defaults, without sessions, JSON answers on."""
    server: FastMCP = FastMCP("bench", version="1.0")
    server.tool(add)
    for number in range(1, TOOLS if "--many" in sys.argv else 1):
        server.tool(another(number))
    if "--stdio" in sys.argv:
        server.run(transport="stdio", show_banner=False, log_level="ERROR")
        return
    app = server.http_app(json_response=True, stateless_http=True)
    uvicorn.run(app, port=int(sys.argv[-1]), log_level="error", access_log=False, loop="uvloop", http="httptools")


if __name__ == "__main__":
    main()
