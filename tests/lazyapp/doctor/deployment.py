"""A small deployment with a switch for each mistake: one good MCP server with its login, and `break_` makes it a bad one.

It knows nothing of lazyoauth, so that the doctor is not judged by what it was written beside. Nobody can log in to it.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlencode

import httpx2

from lazyapp.doctor.examine import Report, examine

ORIGIN = "https://mcp.example.com"
URL = f"{ORIGIN}/mcp"
CORS = {
    "access-control-allow-origin": "*",
    "access-control-expose-headers": "WWW-Authenticate, Mcp-Session-Id",
}
PREFLIGHT = CORS | {"access-control-allow-headers": "authorization, content-type, mcp-protocol-version, accept"}
PAGE = {
    "content-type": "text/html",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "cache-control": "no-store",
}


@dataclass
class Request:
    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: bytes

    @property
    def form(self) -> dict[str, str]:
        return dict(parse_qsl(self.body.decode(), keep_blank_values=True))


@dataclass
class Reply:
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: Any = None

    def encoded(self) -> bytes:
        return b"" if self.body is None else self.body.encode() if isinstance(self.body, str) else json.dumps(self.body).encode()


#: What vendors publish, as a server remembers it that has read it: the redirect URIs by the document's URL.
PUBLISHED = {
    "https://claude.ai/oauth/mcp-oauth-client-metadata": ["https://claude.ai/api/mcp/auth_callback"],
    "https://claude.ai/oauth/claude-code-client-metadata": ["http://localhost/callback", "http://127.0.0.1/callback"],
    "https://chatgpt.com/oauth/client.json": ["https://chatgpt.com/connector_platform_oauth_redirect"],
    "https://vscode.dev/oauth/client-metadata.json": ["http://127.0.0.1/", "https://vscode.dev/redirect"],
}

Break = Callable[["Deployment", Request, Reply], Reply]


class Deployment:
    """A deployment, as an ASGI application.

    Args:
        break_: sees each request and the good answer to it, and gives the answer that is sent.
        origin: what the deployment believes to be its own.
    """

    def __init__(self, break_: Break | None = None, origin: str = ORIGIN) -> None:
        self.break_ = break_
        self.origin = origin
        self.asked: list[Request] = []
        self.clients: dict[str, list[str]] = {}
        self.documents = dict(PUBLISHED)
        self.resource: dict[str, Any] = {
            "resource": f"{origin}/mcp",
            "authorization_servers": [origin],
            "scopes_supported": ["mcp"],
        }
        self.server: dict[str, Any] = {
            "issuer": origin,
            "authorization_endpoint": f"{origin}/authorize",
            "token_endpoint": f"{origin}/token",
            "registration_endpoint": f"{origin}/register",
            "jwks_uri": f"{origin}/jwks",
            "response_types_supported": ["code"],
            "grant_types_supported": ["authorization_code", "refresh_token"],
            "scopes_supported": ["mcp", "offline_access"],
            "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": ["none", "private_key_jwt"],
            "token_endpoint_auth_signing_alg_values_supported": ["RS256"],
            "authorization_response_iss_parameter_supported": True,
            "client_id_metadata_document_supported": True,
        }

    async def __call__(self, scope: Mapping[str, Any], receive: Any, send: Any) -> None:
        headers = {name.decode().lower(): value.decode() for name, value in scope["headers"]}
        query = dict(parse_qsl(scope["query_string"].decode(), keep_blank_values=True))
        request = Request(scope["method"], scope["path"], query, headers, (await receive()).get("body", b""))
        self.asked.append(request)
        reply = self.answer(request)
        if self.break_ is not None:
            reply = self.break_(self, request, reply)
        sent = [(name.encode(), value.encode()) for name, value in reply.headers.items()]
        await send({"type": "http.response.start", "status": reply.status, "headers": sent})
        await send({"type": "http.response.body", "body": reply.encoded()})

    def answer(self, request: Request) -> Reply:
        """The good answer."""
        if request.method == "OPTIONS":
            return Reply(204, dict(PREFLIGHT))
        routes: dict[str, Callable[[Request], Reply]] = {
            "/mcp": self._mcp,
            "/mcp/": self._mcp,
            "/register": self._register,
            "/authorize": self._authorize,
            "/token": self._token,
            "/jwks": lambda _: _json({"keys": [{"kty": "EC", "crv": "P-256", "x": "x", "y": "y"}]}),
        }
        resource, server = "/.well-known/oauth-protected-resource", "/.well-known/oauth-authorization-server"
        routes |= dict.fromkeys([resource, f"{resource}/mcp"], lambda _: _json(self.resource))
        routes |= dict.fromkeys([server, "/.well-known/openid-configuration"], lambda _: _json(self.server))
        return routes.get(request.path, lambda _: Reply(404, {"content-type": "text/plain"}, "no such page"))(request)

    def _mcp(self, request: Request) -> Reply:
        error = 'error="invalid_token", ' if "authorization" in request.headers else ""
        named = f'resource_metadata="{self.origin}/.well-known/oauth-protected-resource/mcp"'
        return Reply(401, {**CORS, "www-authenticate": f'Bearer {error}{named}, scope="mcp"'})

    def _register(self, request: Request) -> Reply:
        body = json.loads(request.body)
        good = ("https://", "http://localhost", "http://127.0.0.1", "cursor://anysphere.cursor-mcp/")
        uris = [uri for uri in body.get("redirect_uris", []) if uri.startswith(good)]
        if not uris:
            return _json({"error": "invalid_redirect_uri"}, 400)
        client_id = f"client-{len(self.clients)}"
        self.clients[client_id] = uris
        return _json({"client_id": client_id, "redirect_uris": uris, "token_endpoint_auth_method": "none"}, 201)

    def _authorize(self, request: Request) -> Reply:
        asked, uri = request.query, request.query.get("redirect_uri", "")
        if _portless(uri) not in map(_portless, (self.clients | self.documents).get(asked.get("client_id", ""), [])):
            return Reply(400, dict(PAGE), "<p>This application is not known here.</p>")
        if asked.get("response_type") != "code" or "code_challenge" not in asked:
            told = {"error": "invalid_request", "state": asked["state"], "iss": self.origin}
            return Reply(303, {"location": f"{uri}?{urlencode(told)}"})
        return Reply(200, dict(PAGE), "<form method=post></form>")

    def _token(self, request: Request) -> Reply:
        if not request.headers.get("content-type", "").startswith("application/x-www-form-urlencoded"):
            return _json({"error": "invalid_request"}, 400)
        form = request.form
        if not form:
            return _json({"error": "invalid_request"}, 400)
        known = form.get("client_id") in self.clients
        return _json({"error": "invalid_grant"}, 400) if known else _json({"error": "invalid_client"}, 401)


def _json(body: Any, status: int = 200) -> Reply:
    return Reply(status, {**CORS, "content-type": "application/json", "cache-control": "no-store"}, body)


def _portless(uri: str) -> str:
    scheme, _, rest = uri.partition("://")
    host, slash, path = rest.partition("/")
    loopback = host.partition(":")[0] in ("localhost", "127.0.0.1")
    return f"{scheme}://{host.partition(':')[0] if loopback else host}{slash}{path}"


async def examined(deployment: Deployment, url: str = URL, **options: Any) -> Report:
    """What the doctor says of it."""
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app=deployment)) as http:
        return await examine(url, http, **options)


async def faults_of(deployment: Deployment, url: str = URL, **options: Any) -> set[str]:
    """The ids of what the doctor found."""
    return {finding.fault.id for finding in (await examined(deployment, url, **options)).findings}


def says(path: str, change: Callable[[Reply], Reply | None], method: str = "") -> Break:
    """Change the answer of one path, in place or by another."""

    def break_(_: Deployment, request: Request, reply: Reply) -> Reply:
        return (change(reply) or reply) if request.path == path and method in ("", request.method) else reply

    return break_
