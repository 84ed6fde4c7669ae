"""One client's conversation with a server, from the first 401 to a tool call after a refresh, with that client's comparisons."""

import base64
import hashlib
import json
import re
import secrets
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import httpx2

from tests.clients.assertions import AssertionKey
from tests.clients.profile import Discovered, Profile
from tests.clients.session import call_a_tool
from tests.flows.browser import Browser
from tests.flows.serving import PASSWORD, USER

WELL_KNOWN = "/.well-known/oauth-protected-resource"
INSPECTOR_PAGE = "http://localhost:6274"


class Conversation:
    """A client that has just been given the URL of a server.

    Attributes:
        documents: whether it uses its client-ID metadata document where the server offers that.
        sent: the last form that it sent to the token endpoint.

    Args:
        key: what a client signs with whose profile says that it does.
    """

    def __init__(self, profile: Profile, http: httpx2.AsyncClient, origin: str, key: AssertionKey | None = None) -> None:
        self.profile, self.http, self.key = profile, http, key
        self.endpoint = f"{origin}/mcp"
        self.found: Discovered
        self.tokens: dict[str, Any] = {}
        self.client_id = ""
        self.logins = 0
        self.documents = True
        self.sent: Mapping[str, str] = {}

    async def run(self) -> None:
        """The whole of it; each step asserts what the client would."""
        await self.discover()
        await self.register()
        await self.log_in()
        await call_a_tool(self)
        await self.refresh()
        await call_a_tool(self)
        assert self.logins == 1

    async def discover(self) -> None:
        """RFC 9728, section 5.1, and then RFC 8414, section 3; older clients guess the second from the first."""
        refused = await self.ask("POST", self.endpoint, json={"jsonrpc": "2.0", "id": 0, "method": "ping"})
        assert refused.status_code == 401
        challenge = challenge_of(refused)
        assert "error" not in challenge, "nobody sent a token that could be wrong"
        origin = origin_of(self.endpoint)
        where = f"{origin}{WELL_KNOWN}" if self.profile.asks_root_first else challenge["resource_metadata"]
        resource = await self.document(where)
        assert self.profile.same_resource(resource["resource"], self.endpoint), resource["resource"]
        (issuer,) = resource["authorization_servers"]
        server = await self.document(f"{issuer}/.well-known/oauth-authorization-server")
        assert self.profile.same_issuer(server["issuer"], issuer), (server["issuer"], issuer)
        assert "S256" in server["code_challenge_methods_supported"]
        self.found = Discovered(self.endpoint, challenge, resource, server)

    async def document(self, url: str) -> dict[str, Any]:
        answer = await self.ask("GET", url)
        assert answer.status_code == 200, f"{url}: {answer.status_code}"
        assert answer.headers["content-type"].partition(";")[0] == "application/json"
        found: dict[str, Any] = answer.json()
        assert None not in found.values(), "clients that check types refuse null members"
        return found

    async def register(self) -> None:
        """RFC 7591, section 3; or, with a document, nothing at all."""
        if self.documents and self.profile.document and self.found.server.get("client_id_metadata_document_supported"):
            self.client_id = self.profile.document
            methods = self.found.server["token_endpoint_auth_methods_supported"]
            # Claude and ChatGPT compare before they rely on the document: https://claude.com/docs/connectors/building/authentication
            assert ("private_key_jwt" if self.profile.signs_for else "none") in methods
            if self.profile.signs_for:
                assert "RS256" in self.found.server["token_endpoint_auth_signing_alg_values_supported"]
            return
        answer = await self.ask("POST", self.found.server["registration_endpoint"], json=self.profile.metadata)
        assert answer.status_code == 201, answer.text
        registered = answer.json()
        assert "client_secret" not in registered, "a public client would have to keep it"
        assert set(self.profile.metadata["redirect_uris"]) == set(registered["redirect_uris"])
        assert registered["token_endpoint_auth_method"] == "none"
        self.client_id = registered["client_id"]

    async def log_in(self) -> None:
        """RFC 6749, sections 4.1.1 to 4.1.4, with PKCE, `resource` (RFC 8707) and `iss` (RFC 9207)."""
        verifier, state = secrets.token_urlsafe(48), secrets.token_urlsafe(16)
        self.logins += 1
        came_back = await self.person(f"{self.found.server['authorization_endpoint']}?{urlencode(self.request(verifier, state))}")
        assert came_back.startswith(f"{self.profile.redirect_uri}?"), came_back
        pairs = parse_qsl(urlsplit(came_back).query)
        answer = dict(pairs)
        assert len(pairs) == len(answer), "a parameter came twice"
        assert answer["state"] == state
        assert self.profile.same_issuer(answer["iss"], self.found.server["issuer"])
        form = {
            "grant_type": "authorization_code",
            "code": answer["code"],
            "redirect_uri": self.profile.redirect_uri,
            "code_verifier": verifier,
            "client_id": self.client_id,
        }
        await self.fetch_tokens(form | self.resource())
        assert self.tokens["refresh_token"], "AI clients want to stay connected, whether or not they ask for offline_access"

    def request(self, verifier: str, state: str) -> dict[str, str]:
        digest = hashlib.sha256(verifier.encode()).digest()
        scope = self.profile.scope(self.found)
        return {
            "response_type": "code",
            "client_id": self.client_id,
            "redirect_uri": self.profile.redirect_uri,
            "code_challenge": base64.urlsafe_b64encode(digest).decode().rstrip("="),
            "code_challenge_method": "S256",
            "state": state,
            **({} if scope is None else {"scope": scope}),
            **({"prompt": self.profile.prompt} if self.profile.prompt else {}),
            **self.resource(),
        }

    async def person(self, url: str) -> str:
        """Who sits at the browser: signs in, reads the question, says yes."""
        async with Browser(callback=self.profile.redirect_uri) as browser:
            return await browser.log_in(url, USER, PASSWORD)

    async def refresh(self) -> None:
        """RFC 6749, section 6; the successor replaces what was used."""
        used = self.tokens["refresh_token"]
        repeated: dict[str, str] = {}
        if "scope" in self.profile.repeats_at_refresh:
            repeated["scope"] = self.profile.scope(self.found) or self.tokens["scope"]
        if "resource" in self.profile.repeats_at_refresh:
            repeated |= self.resource()
        await self.fetch_tokens({"grant_type": "refresh_token", "refresh_token": used, "client_id": self.client_id} | repeated)
        assert self.tokens["refresh_token"] != used

    def resource(self) -> dict[str, str]:
        return {"resource": self.found.resource["resource"]} if self.profile.sends_resource else {}

    async def fetch_tokens(self, form: Mapping[str, str]) -> None:
        answer = await self.ask_for_tokens({**form, **self.proof()})
        assert answer.status_code == 200, answer.text
        assert answer.headers["cache-control"] == "no-store"
        tokens = answer.json()
        assert tokens["token_type"].lower() == "bearer"
        assert tokens["expires_in"] > 0
        self.tokens = tokens
        if self.profile.sends_resource:
            # Clients that look into the token compare with what they asked for: https://github.com/n8n-io/n8n/issues/30500
            assert claims_of(tokens["access_token"])["aud"] == self.found.resource["resource"]

    def proof(self) -> dict[str, str]:
        """A new assertion for each request; nothing for a client without a key."""
        if self.key is None or not self.profile.signs_for:
            return {}
        return self.key.parameters(self.client_id, self.found.server[self.profile.signs_for])

    async def ask_for_tokens(self, form: Mapping[str, str]) -> httpx2.Response:
        self.sent = form
        return await self.ask("POST", self.found.server["token_endpoint"], data=form, headers={"Accept": "application/json"})

    async def ask(self, method: str, url: str, headers: Mapping[str, str] | None = None, **body: Any) -> httpx2.Response:
        """One request; for a page's script the browser asks for permission first, and shows what the script may see."""
        sent = {**self.profile.headers, **(headers or {})}
        if not self.profile.in_a_browser:
            return await self.http.request(method, url, headers=sent, **body)
        sent["MCP-Protocol-Version"] = sent.get("MCP-Protocol-Version", self.profile.protocol)
        await self.preflight(method, url, [*sent, "content-type"])
        answer = await self.http.request(method, url, headers=sent | {"Origin": INSPECTOR_PAGE}, **body)
        assert answer.headers["access-control-allow-origin"] in ("*", INSPECTOR_PAGE)
        assert "access-control-allow-credentials" not in answer.headers
        exposed = names_in(answer, "access-control-expose-headers")
        return seen_by_a_script(answer, exposed)

    async def preflight(self, method: str, url: str, wanted: list[str]) -> None:
        """Fetch, section 4.8: every header that is not safelisted must be named, `Authorization` even where `*` stands."""
        headers = {
            "Origin": INSPECTOR_PAGE,
            "Access-Control-Request-Method": method,
            "Access-Control-Request-Headers": ",".join(sorted(name.lower() for name in wanted)),
        }
        answer = await self.http.options(url, headers=headers)
        assert answer.is_success, f"preflight of {url}: {answer.status_code}"
        allowed = names_in(answer, "access-control-allow-headers")
        for name in wanted:
            assert name.lower() in allowed or ("*" in allowed and name.lower() != "authorization"), (url, name)
        assert method in answer.headers["access-control-allow-methods"]


def challenge_of(answer: httpx2.Response) -> dict[str, str]:
    scheme, _, parameters = answer.headers["www-authenticate"].partition(" ")
    assert scheme == "Bearer"
    return dict(re.findall(r'([a-z_]+)="([^"]*)"', parameters))


def origin_of(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def claims_of(token: str) -> dict[str, Any]:
    """A JWT's claims, unverified, as a client may look at them."""
    part = token.split(".")[1]
    claims: dict[str, Any] = json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    return claims


def names_in(answer: httpx2.Response, header: str) -> set[str]:
    return {name.strip().lower() for name in answer.headers.get(header, "").split(",")}


def seen_by_a_script(answer: httpx2.Response, exposed: set[str]) -> httpx2.Response:
    """The answer with the headers that CORS lets a script read."""
    safelisted = {"cache-control", "content-language", "content-length", "content-type", "expires", "last-modified", "pragma"}
    kept = [(name, value) for name, value in answer.headers.multi_items() if name.lower() in safelisted | exposed]
    return httpx2.Response(answer.status_code, headers=kept, content=answer.content, request=answer.request)
