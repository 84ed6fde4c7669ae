"""The clients that live in an editor, or beside one: Cursor, VS Code, the Inspector."""

from dataclasses import replace
from urllib.parse import urlsplit

from tests.clients.profile import Profile, resource_scopes
from tests.lazyoauth.publisher import DOCUMENTS, VSCODE


def same_after_normalisation(one: str, other: str) -> bool:
    """The WHATWG URL parser's view: the case of scheme and host, the default port and an empty path do not count."""

    def normal(url: str) -> tuple[str, str | None, int | None, str, str]:
        parts = urlsplit(url)
        port = None if parts.port == {"http": 80, "https": 443}.get(parts.scheme) else parts.port
        return parts.scheme.lower(), parts.hostname, port, parts.path or "/", parts.query

    return normal(one) == normal(other)


CURSOR = Profile(
    name="Cursor",
    # One URI that a server refuses must not cost the other two: https://github.com/soflyy/agent-connector-for-wp/issues/111
    source="https://github.com/erp-mafia/accounted/pull/2225",
    metadata={
        "client_name": "Cursor",
        "application_type": "web",
        "redirect_uris": [
            "cursor://anysphere.cursor-mcp/oauth/callback",
            "https://www.cursor.com/agents/mcp/oauth/callback",
            "http://localhost:8787/callback",
        ],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
    },
    redirect_uri="cursor://anysphere.cursor-mcp/oauth/callback",
    scope=resource_scopes,
)

CURSOR_AGENTS = replace(CURSOR, name="Cursor, its hosted agents", redirect_uri="https://www.cursor.com/agents/mcp/oauth/callback")

CURSOR_LOOPBACK = replace(CURSOR, name="Cursor, on this machine", redirect_uri="http://localhost:8787/callback")

VS_CODE = Profile(
    name="VS Code",
    source="https://github.com/microsoft/vscode/issues/278512",
    document=VSCODE,
    published=DOCUMENTS[VSCODE],
    metadata={
        "client_name": "Visual Studio Code",
        "application_type": "native",
        "client_uri": "https://code.visualstudio.com",
        "redirect_uris": [
            "https://insiders.vscode.dev/redirect",
            "https://vscode.dev/redirect",
            "http://127.0.0.1/",
            "http://127.0.0.1:33418/",
        ],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
    },
    redirect_uri="https://vscode.dev/redirect",
    scope=resource_scopes,
    same_resource=same_after_normalisation,
    protocol="2025-11-25",
)

VS_CODE_BUSY_PORT = replace(VS_CODE, name="VS Code, where port 33418 is taken", redirect_uri="http://127.0.0.1:51437/")

INSPECTOR = Profile(
    name="MCP Inspector",
    source="https://github.com/modelcontextprotocol/inspector",
    metadata={
        "client_name": "MCP Inspector",
        "client_uri": "https://github.com/modelcontextprotocol/inspector",
        "application_type": "native",
        "redirect_uris": ["http://localhost:6274/oauth/callback"],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
    },
    redirect_uri="http://localhost:6274/oauth/callback",
    scope=resource_scopes,
    protocol="2025-11-25",
    in_a_browser=True,
)

INSPECTOR_RUNNER = replace(
    INSPECTOR,
    name="MCP Inspector, its runner",
    metadata=INSPECTOR.metadata | {"redirect_uris": ["http://127.0.0.1:6276/oauth/callback"]},
    redirect_uri="http://127.0.0.1:6276/oauth/callback",
    in_a_browser=False,
)

PROFILES = (CURSOR, CURSOR_AGENTS, CURSOR_LOOPBACK, VS_CODE, VS_CODE_BUSY_PORT, INSPECTOR, INSPECTOR_RUNNER)
