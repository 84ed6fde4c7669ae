"""An MCP client within the application's own process: what `lazyapp mcp list|call|read|prompt` speak with."""
