"""An application that registers no MCP module does not expose MCP by accident."""

import httpx2
import pytest

from tests.flows.serving import Server


@pytest.fixture
def without_mcp(application, tmp_path):
    (application / "init" / "mcp.py").write_text("def register_mcp(ctx, scope): pass\n")
    with Server(tmp_path / "server.log", {}, folder=application) as server:
        yield server


async def test_mcp_and_its_documents_are_not_there_and_the_rest_works(without_mcp):
    """Promise SEED-1; issue 2."""
    async with httpx2.AsyncClient(base_url=without_mcp.url) as http:
        for path in ("/mcp", "/mcp/", "/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"):
            assert (await http.get(path)).status_code == 404, path
        assert (await http.post("/mcp", json={})).status_code == 404
        assert (await http.get("/")).status_code == 200
        assert (await http.get("/accounts")).status_code == 200
        assert (await http.get("/.well-known/oauth-authorization-server")).json()["issuer"] == without_mcp.url
    assert "MCP " not in without_mcp.log, "and the banner does not promise it"
