"""AI clients on this machine, and how each is told of this application: `lazyapp mcp connect`."""
