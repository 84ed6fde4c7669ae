"""The clients that run in their vendor's cloud: Claude.ai, ChatGPT, Cursor's agents."""

from dataclasses import replace

from tests.clients.profile import Profile, server_scopes
from tests.lazyoauth.publisher import CHATGPT as CHATGPT_DOCUMENT
from tests.lazyoauth.publisher import CLAUDE as CLAUDE_DOCUMENT
from tests.lazyoauth.publisher import DOCUMENTS

SHARED_DOCUMENT = "https://chatgpt.com/oauth/client.json"

CLAUDE = Profile(
    name="Claude.ai",
    source="https://claude.com/docs/connectors/building/authentication",
    document=CLAUDE_DOCUMENT,
    # One more grant than servers know must not cost the others: https://github.com/cloudflare/workers-oauth-provider/pull/285
    published=DOCUMENTS[CLAUDE_DOCUMENT]
    | {"grant_types": ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:jwt-bearer"]},
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
    document=CHATGPT_DOCUMENT,
    published=DOCUMENTS[CHATGPT_DOCUMENT],
    metadata={
        "client_name": "ChatGPT",
        "redirect_uris": ["https://chatgpt.com/connector/oauth/k3Rv9XqTzPw1"],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
        "token_endpoint_auth_methods_supported": ["none", "private_key_jwt"],
        "jwks_uri": "https://chatgpt.com/oauth/jwks.json",
    },
    # Another one for each connector: https://github.com/BasedHardware/omi/issues/8824
    redirect_uri="https://chatgpt.com/connector/oauth/k3Rv9XqTzPw1",
    scope=server_scopes,
    protocol="2025-11-25",
)

# The methods are alternatives, and the first is the one that it uses: https://github.com/cloudflare/workers-oauth-provider/issues/293
CHATGPT_SIGNING = replace(CHATGPT, name="ChatGPT, with private_key_jwt", signs_for="token_endpoint")

# RFC 7523, section 3, suggests the token endpoint as the audience; FAPI 2.0, section 5.3.2.1, wants the issuer.
CHATGPT_SIGNING_FOR_ISSUER = replace(CHATGPT, name="ChatGPT, with private_key_jwt for the issuer", signs_for="issuer")

# As its document was in May 2026: https://github.com/Altinity/altinity-mcp/issues/118
KEY_ONLY = replace(
    CHATGPT_SIGNING,
    name="ChatGPT, when its document offered the key alone",
    source="https://github.com/Altinity/altinity-mcp/issues/118",
    document=f"{CHATGPT_DOCUMENT}?key=only",
    published={name: value for name, value in CHATGPT.published.items() if name != "token_endpoint_auth_methods_supported"}
    | {"client_id": f"{CHATGPT_DOCUMENT}?key=only"},
)

CHATGPT_OLD_CALLBACK = Profile(
    name="ChatGPT, with its older callback",
    # The document that all its connectors share.
    source="https://github.com/django-oauth/django-oauth-toolkit/issues/1857",
    document=SHARED_DOCUMENT,
    published=DOCUMENTS[CHATGPT_DOCUMENT]
    | {"client_id": SHARED_DOCUMENT, "redirect_uris": ["https://chatgpt.com/connector_platform_oauth_redirect"]},
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
SIGNING = (CHATGPT_SIGNING, CHATGPT_SIGNING_FOR_ISSUER, KEY_ONLY)
JWKS_URI = CHATGPT.published["jwks_uri"]
