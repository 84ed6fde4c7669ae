"""LAZYOAUTH_TEST_DOCUMENTS: a whole application asks another host for the documents of AI clients."""

from collections.abc import AsyncIterator
from pathlib import Path

import httpx2
import pytest

import lazyapp
import lazyoauth
from lazyapp.settings import Settings
from tests.lazyoauth.publisher import CLAUDE_CODE, Publisher, documents


@pytest.fixture
async def publisher() -> AsyncIterator[Publisher]:
    server = Publisher()
    await server.open()
    yield documents(server)
    await server.close()


def oauth(ctx: lazyapp.AppContext) -> lazyoauth.Config:
    return lazyoauth.Config(issuer=ctx.settings.public_url, refresh_token_states=lazyoauth.MemoryRefreshTokenStates())


async def test_the_variable_names_the_base_that_is_asked(tmp_path: Path, publisher: Publisher, monkeypatch: pytest.MonkeyPatch):
    """Design, section 7: `https://claude.ai/=http://127.0.0.1:7699/claude.ai/,…`"""
    pairs = ", ".join(f"{prefix}={base}" for prefix, base in publisher.bases.items())
    monkeypatch.setenv("LAZYAPP_ENV", "test")
    monkeypatch.setenv("LAZYOAUTH_TEST_DOCUMENTS", f" {pairs},")
    app = lazyapp.App(lazyapp.Config(name="example.com", oauth=oauth), settings=Settings.load(tmp_path))
    async with app.router.lifespan_context(app):
        transport = httpx2.ASGITransport(app=app)
        async with httpx2.AsyncClient(transport=transport, base_url=app.settings.public_url) as http:
            metadata = (await http.get("/.well-known/oauth-authorization-server")).json()
            assert metadata["client_id_metadata_document_supported"] is True
            request = {
                "response_type": "code",
                "client_id": CLAUDE_CODE,
                "redirect_uri": "http://localhost:4711/callback",
                "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
                "code_challenge_method": "S256",
            }
            page = await http.get("/oauth/authorize", params=request)
    assert page.status_code == 200
    assert "Claude Code" in page.text
    assert len(publisher.heads) == 1
