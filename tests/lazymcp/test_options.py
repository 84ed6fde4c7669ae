"""lazymcp/options.py: what a scope can be told."""

import pytest

from lazymcp import Options, ServerInfo
from tests.lazymcp.admin_module import AdminMCP
from tests.lazymcp.asgi_peer import served


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (ServerInfo(name="shop", version="1.2", title="Shop"), {"name": "shop", "version": "1.2", "title": "Shop"}),
        ({"name": "shop", "version": "1", "icons": []}, {"name": "shop", "version": "1", "icons": []}),
        (ServerInfo(), {"name": "lazymcp", "version": "0"}),
        (None, {"name": "lazymcp", "version": "0"}),
        (ServerInfo(website_url="https://example.com"), {"name": "lazymcp", "version": "0", "websiteUrl": "https://example.com"}),
    ],
)
async def test_the_server_presents_itself(given, told):
    result = (await served(AdminMCP(), server_info=given).ask("server/discover")).result
    assert result["_meta"]["io.modelcontextprotocol/serverInfo"] == told


def test_the_defaults_serve_an_open_local_server():
    options = Options()
    assert (options.allowed_hosts, options.authorizer, options.page_size, options.tool_names) == (None, None, 0, "auto")
    assert options.server_info is None, "whoever composes the application can tell that nobody named the server"
