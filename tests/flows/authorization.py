"""The wire of OAuth without a client library, for tests that must do what no good client does: replay, race, look closely."""

import base64
import hashlib
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx2

from tests.flows.browser import Browser
from tests.flows.journey import TOOL
from tests.flows.python_clients import CALLBACK
from tests.flows.serving import PASSWORD, USER

VERIFIER = "flows-" + "v" * 58
CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).decode().rstrip("=")


@dataclass(frozen=True)
class Login:
    """What one login left the client with."""

    client_id: str
    access_token: str
    refresh_token: str


class Wire:
    """One client of the server at `url`."""

    def __init__(self, http: httpx2.AsyncClient, url: str) -> None:
        self._http, self._url = http, url

    async def register(self) -> str:
        """A client id of its own."""
        metadata = {"client_name": "Wire", "redirect_uris": [CALLBACK], "token_endpoint_auth_method": "none"}
        answer = await self._http.post(f"{self._url}/oauth/register", json=metadata)
        assert answer.status_code == 201, answer.text
        client_id: str = answer.json()["client_id"]
        return client_id

    async def log_in(self, client_id: str, browser: Browser) -> Login:
        """A new family, by way of the forms."""
        asked = {
            "response_type": "code",
            "client_id": client_id,
            "redirect_uri": CALLBACK,
            "code_challenge": CHALLENGE,
            "code_challenge_method": "S256",
            "resource": f"{self._url}/mcp",
            "scope": "mcp offline_access",
        }
        came_back = await browser.log_in(f"{self._url}/oauth/authorize?{urlencode(asked)}", USER, PASSWORD)
        (code,) = parse_qs(urlsplit(came_back).query)["code"]
        grant = {"grant_type": "authorization_code", "code": code, "redirect_uri": CALLBACK, "code_verifier": VERIFIER}
        answer = await self.token({**grant, "client_id": client_id})
        assert answer.status_code == 200, answer.text
        return Login(client_id, answer.json()["access_token"], answer.json()["refresh_token"])

    async def refresh(self, login: Login) -> httpx2.Response:
        return await self.token({"grant_type": "refresh_token", "refresh_token": login.refresh_token, "client_id": login.client_id})

    async def token(self, form: dict[str, str]) -> httpx2.Response:
        return await self._http.post(f"{self._url}/oauth/token", data=form)

    async def call(self, access_token: str) -> httpx2.Response:
        """tools/call in the modern form, where one request stands alone."""
        meta: dict[str, Any] = {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "wire", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        }
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": TOOL, "arguments": {}, "_meta": meta}}
        headers = {
            "Authorization": f"Bearer {access_token}",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": "2026-07-28",
            "Mcp-Method": "tools/call",
            "Mcp-Name": TOOL,
        }
        return await self._http.post(f"{self._url}/mcp", json=body, headers=headers)


def after(login: Login, answer: httpx2.Response) -> Login:
    """The login as a successful refresh leaves it."""
    assert answer.status_code == 200, answer.text
    return Login(login.client_id, answer.json()["access_token"], answer.json()["refresh_token"])
