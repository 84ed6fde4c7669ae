"""The clients of the command line: Claude Code, Codex, Gemini, opencode, Copilot, mcp-remote, and what the SDKs make of it."""

from dataclasses import replace

from tests.clients.profile import Profile, challenge_scopes
from tests.lazyoauth import publisher

GRANTS = {
    "grant_types": ["authorization_code", "refresh_token"],
    "response_types": ["code"],
    "token_endpoint_auth_method": "none",
}

CLAUDE_CODE = Profile(
    name="Claude Code",
    # The document lists loopback addresses without a port: https://github.com/anthropics/claude-code/issues/37747
    source="https://code.claude.com/docs/en/mcp",
    document=publisher.CLAUDE_CODE,
    published=publisher.DOCUMENTS[publisher.CLAUDE_CODE],
    metadata={
        "client_name": "Claude Code",
        "redirect_uris": ["http://localhost/callback", "http://127.0.0.1/callback"],
        **GRANTS,
    },
    redirect_uri="http://localhost:54545/callback",
    scope=challenge_scopes,
    protocol="2025-11-25",
)

CLAUDE_CODE_BY_ADDRESS = replace(
    CLAUDE_CODE,
    name="Claude Code, since it names the loopback address",
    source="https://github.com/anthropics/claude-code/issues/86233",
    redirect_uri="http://127.0.0.1:49876/callback",
)

CLAUDE_CODE_NO_RESOURCE = Profile(
    name="Claude Code, older: names no resource",
    source="https://github.com/anthropics/claude-code/issues/10572",
    metadata={"client_name": "Claude Code (notes)", "redirect_uris": ["http://localhost:54545/callback"], **GRANTS},
    redirect_uri="http://localhost:54545/callback",
    sends_resource=False,
    protocol="2025-03-26",
)

CODEX = Profile(
    name="Codex CLI",
    source="https://github.com/openai/codex/issues/33354",
    metadata={"client_name": "Codex", "redirect_uris": ["http://127.0.0.1:39017/callback/k3y"], **GRANTS},
    redirect_uri="http://127.0.0.1:39017/callback/k3y",
)

GEMINI = Profile(
    name="Gemini CLI",
    source="https://github.com/google-gemini/gemini-cli/issues/15754",
    metadata={
        "client_name": "Gemini CLI MCP Client",
        "redirect_uris": ["http://localhost:7777/oauth/callback"],
        **GRANTS,
        "scope": "",
    },
    redirect_uri="http://localhost:7777/oauth/callback",
    scope=lambda _: "",
    asks_root_first=True,
    repeats_at_refresh=("scope", "resource"),
)

OPENCODE = Profile(
    name="opencode",
    source="https://github.com/anomalyco/opencode/issues/50036",
    metadata={
        "client_name": "OpenCode",
        "client_uri": "https://opencode.ai",
        "redirect_uris": ["http://127.0.0.1:19876/mcp/oauth/callback"],
        **GRANTS,
    },
    redirect_uri="http://127.0.0.1:19876/mcp/oauth/callback",
    scope=challenge_scopes,
)

COPILOT = Profile(
    name="Copilot CLI",
    source="https://github.com/github/copilot-cli/issues/4606",
    metadata={"client_name": "GitHub Copilot CLI", "redirect_uris": ["http://127.0.0.1:45321/"], **GRANTS},
    redirect_uri="http://127.0.0.1:45321/",
)

MCP_REMOTE = Profile(
    name="mcp-remote",
    source="https://github.com/geelen/mcp-remote",
    metadata={
        "client_name": "MCP CLI Proxy",
        "client_uri": "https://github.com/modelcontextprotocol/mcp-cli",
        "software_id": "2e6dc280-f3c3-4e01-99a7-8181dbd1d23d",
        "software_version": "0.1.37",
        "redirect_uris": ["http://localhost:3334/oauth/callback"],
        **GRANTS,
    },
    redirect_uri="http://localhost:3334/oauth/callback",
    scope=lambda _: "openid email profile",  # what nobody here offers: https://github.com/anthropics/claude-code/issues/41610
)

TYPESCRIPT_SDK = Profile(
    name="built on the TypeScript SDK",
    source="https://github.com/modelcontextprotocol/typescript-sdk",
    metadata={"client_name": "TypeScript client", "redirect_uris": ["http://localhost:8090/callback"], **GRANTS},
    redirect_uri="http://localhost:8090/callback",
    scope=challenge_scopes,
    prompt="consent",
    protocol="2025-11-25",
    repeats_at_refresh=("resource",),
)

PYTHON_SDK = Profile(
    name="built on the Python SDK",
    source="https://github.com/modelcontextprotocol/python-sdk/issues/1919",
    metadata={"client_name": "Python client", "redirect_uris": ["http://localhost:3030/callback"], **GRANTS},
    redirect_uri="http://localhost:3030/callback",
    scope=challenge_scopes,
    prompt="consent",
    protocol="2025-11-25",
    repeats_at_refresh=("resource",),
)

PROFILES = (
    CLAUDE_CODE,
    CLAUDE_CODE_BY_ADDRESS,
    CLAUDE_CODE_NO_RESOURCE,
    CODEX,
    GEMINI,
    OPENCODE,
    COPILOT,
    MCP_REMOTE,
    TYPESCRIPT_SDK,
    PYTHON_SDK,
)
