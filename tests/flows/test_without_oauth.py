"""An application without `Config.oauth`: /mcp is open, and says so by saying nothing."""

import httpx2
import pytest

from tests.flows.python_clients import plain, sdk_client
from tests.flows.serving import Server


@pytest.fixture
def without_oauth(application, sqlite_url, tmp_path):
    app = application / "init" / "app.py"
    app.write_text(app.read_text().replace("        oauth=oauth,\n", ""))
    with Server(tmp_path / "server.log", {"DATABASE_URL": sqlite_url}, folder=application) as server:
        yield server


async def test_mcp_is_open_and_nothing_speaks_of_oauth(without_oauth):
    """The promise "Register modules": without OAuth the endpoint is not authenticated."""
    async with sdk_client(without_oauth.url, None) as client:
        assert plain(await client.list_tools())["tools"]
        assert plain(await client.read_resource("app://admin/users"))["contents"]
    async with httpx2.AsyncClient(base_url=without_oauth.url) as http:
        for path in ("/oauth/authorize", "/.well-known/oauth-authorization-server", "/.well-known/oauth-protected-resource"):
            assert (await http.get(path)).status_code == 404, path
