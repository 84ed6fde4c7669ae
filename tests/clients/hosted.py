"""The clients that run in their vendor's cloud: Claude.ai, ChatGPT, Cursor's agents."""

from tests.clients.profile import Profile, server_scopes

CLAUDE = Profile(
    name="Claude.ai",
    source="https://claude.com/docs/connectors/building/authentication",
    document="https://claude.ai/oauth/mcp-oauth-client-metadata",
    metadata={
        "client_name": "Claude",
        "client_uri": "https://claude.ai",
        "redirect_uris": ["https://claude.ai/api/mcp/auth_callback", "https://claude.com/api/mcp/auth_callback"],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
    },
    redirect_uri="https://claude.ai/api/mcp/auth_callback",
    # https://github.com/anthropics/claude-ai-mcp/issues/228
    scope=server_scopes,
    protocol="2025-11-25",
    headers={"User-Agent": "python-httpx/0.28.1"},
)

CLAUDE_STRAY_SPACE = Profile(
    name="Claude.ai, with a stray space in its scope",
    source="https://github.com/anthropics/claude-ai-mcp/issues/453",
    metadata=CLAUDE.metadata,
    redirect_uri="https://claude.com/api/mcp/auth_callback",
    scope=lambda _: " offline_access",
    protocol="2025-11-25",
)

CHATGPT = Profile(
    name="ChatGPT",
    source="https://developers.openai.com/plugins/build/auth",
    document="https://chatgpt.com/oauth/aBcDeF123/client.json",
    metadata={
        "client_name": "ChatGPT",
        "redirect_uris": ["https://chatgpt.com/connector/oauth/aBcDeF123"],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
        "token_endpoint_auth_methods_supported": ["none", "private_key_jwt"],
        "jwks_uri": "https://chatgpt.com/oauth/jwks.json",
    },
    # Another one for each connector: https://github.com/BasedHardware/omi/issues/8824
    redirect_uri="https://chatgpt.com/connector/oauth/aBcDeF123",
    scope=server_scopes,
    protocol="2025-11-25",
)

CHATGPT_OLD_CALLBACK = Profile(
    name="ChatGPT, with its older callback",
    source="https://developers.openai.com/plugins/build/auth",
    metadata={
        "client_name": "ChatGPT",
        "redirect_uris": ["https://chatgpt.com/connector_platform_oauth_redirect"],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": "client_secret_post",
    },
    redirect_uri="https://chatgpt.com/connector_platform_oauth_redirect",
    scope=server_scopes,
)

PROFILES = (CLAUDE, CLAUDE_STRAY_SPACE, CHATGPT, CHATGPT_OLD_CALLBACK)
