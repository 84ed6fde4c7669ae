"""The doctor: an MCP client that asks any deployment what real clients ask it, and names what would stop them.

`examine` is its door. `probe` sends, `visit` holds what was found on the way in, the modules of checks (`resource`, `server`,
`registration`, `authorization`, `tokens`, `network`) are small functions of one shape, and what is known about each fault stands
dated and with its source in `faults.toml`.
"""
