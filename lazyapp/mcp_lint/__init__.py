"""What a model and its client will think of the MCP modules: rules, each with the public report or page it comes from."""
