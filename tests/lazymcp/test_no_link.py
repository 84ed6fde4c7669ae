"""lazymcp/no_link.py: a context with nobody at the other end."""

import pytest

from lazymcp import ToolError
from lazymcp.no_link import NoLink


async def test_outside_a_request_nobody_listens_and_nobody_answers():
    link = NoLink("https://example.com/mcp")
    await link.notify("anything", {})
    await link.close_stream(1000)
    assert (link.transport, link.endpoint, link.headers) == ("", "https://example.com/mcp", {})
    with pytest.raises(ToolError, match="this client cannot be asked: it is not there yet"):
        await link.request("roots/list", {})
