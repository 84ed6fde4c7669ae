"""What AI clients may use. Every folder or file here that ends in _mcp is found by itself (see init/mcp.py)."""
