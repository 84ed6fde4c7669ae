"""The steps of a start that compose the application's parts: who signs in, the authorization server, the MCP modules.

`startup.py` opens what they stand on and takes them in order.
"""
