"""The documents by which clients find everything: RFC 8414 for the server, RFC 9728 for the resource.

Every URL in them comes from configuration, never from a request, and nothing normalises them: clients compare `issuer` and
`resource` byte for byte (https://github.com/modelcontextprotocol/python-sdk/issues/1919).
"""

from collections.abc import Mapping, Sequence
from typing import Any

from lazyoauth.errors import ConfigError
from lazyoauth.registered import CLIENT_CREDENTIALS, RegisteredClient
from lazyoauth.scopes import OFFLINE_ACCESS

AUTHORIZE, TOKEN, REGISTER, REVOKE, JWKS = "/oauth/authorize", "/oauth/token", "/oauth/register", "/oauth/revoke", "/oauth/jwks"
INTROSPECT = "/oauth/introspect"
LOGIN, CONSENT, STYLE = "/oauth/login", "/oauth/consent", "/oauth/style.css"
CONNECTIONS = "/oauth/connections"
# Of client assertions, see `client_assertion.py`. RFC 8414, section 2: told wherever private_key_jwt is.
SIGNING_ALGORITHMS = ["RS256", "ES256"]
_SERVER = ("/.well-known/oauth-authorization-server", "/.well-known/openid-configuration")
_RESOURCE = "/.well-known/oauth-protected-resource"


def name_of(path: str) -> str:
    """What the trace calls an endpoint; "" for what belongs to no login."""
    if path.startswith(_RESOURCE):
        return "resource document"
    if any(name in path for name in _SERVER):
        return "server document"
    own = {AUTHORIZE: "authorize", TOKEN: "token", REGISTER: "register", REVOKE: "revoke", JWKS: "keys"}
    return (own | {LOGIN: "login", CONSENT: "consent", INTROSPECT: "introspect"}).get(path, "")


def server_paths(resource_path: str) -> Sequence[str]:
    """Where the server's document is looked for.

    RFC 8414, section 3.1, both well-known names; with the resource's path inserted and appended too, because clients try the
    resource's URL as an issuer before they give up.
    """
    return (*_SERVER, *(f"{path}{resource_path}" for path in _SERVER), f"{resource_path}{_SERVER[1]}")


def resource_paths(resource_path: str) -> Sequence[str]:
    """Where the resource's document is looked for: RFC 9728, section 3.1, and at the root, which some clients ask first."""
    return (_RESOURCE, f"{_RESOURCE}{resource_path}")


def resource_metadata_url(issuer: str, resource_path: str) -> str:
    """The URL that a challenge names. RFC 9728, section 5.1."""
    return f"{issuer}{_RESOURCE}{resource_path}"


def server_document(
    issuer: str, scopes: Sequence[str], clients: Sequence[RegisteredClient] = (), *, client_documents: bool = False
) -> dict[str, Any]:
    """Authorization server metadata. RFC 8414, section 2; RFC 9207, section 3. What is not offered is not mentioned."""
    methods = ["none", "private_key_jwt"]
    if any(client.auth_method == "client_secret" for client in clients):
        methods += ["client_secret_basic", "client_secret_post"]
    offers_own_tokens = any(CLIENT_CREDENTIALS in client.grant_types for client in clients)
    document = {
        "issuer": issuer,
        "authorization_endpoint": f"{issuer}{AUTHORIZE}",
        "token_endpoint": f"{issuer}{TOKEN}",
        "registration_endpoint": f"{issuer}{REGISTER}",
        "revocation_endpoint": f"{issuer}{REVOKE}",
        "jwks_uri": f"{issuer}{JWKS}",
        "scopes_supported": [*scopes, OFFLINE_ACCESS],
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code", "refresh_token", *([CLIENT_CREDENTIALS] if offers_own_tokens else [])],
        "token_endpoint_auth_methods_supported": methods,
        "token_endpoint_auth_signing_alg_values_supported": SIGNING_ALGORITHMS,
        "revocation_endpoint_auth_methods_supported": methods,
        "revocation_endpoint_auth_signing_alg_values_supported": SIGNING_ALGORITHMS,
        "code_challenge_methods_supported": ["S256"],
        "authorization_response_iss_parameter_supported": True,
        # MCP 2026-07-28, authorization, client registration: without it Claude and ChatGPT register anew each time.
        **({"client_id_metadata_document_supported": True} if client_documents else {}),
    }
    return document | _introspection(issuer, methods[1:]) if any(client.is_confidential for client in clients) else document


def _introspection(issuer: str, methods: Sequence[str]) -> dict[str, Any]:
    """RFC 7662, for clients that prove who they are; nobody else is told of it."""
    return {
        "introspection_endpoint": f"{issuer}{INTROSPECT}",
        "introspection_endpoint_auth_methods_supported": methods,
        "introspection_endpoint_auth_signing_alg_values_supported": SIGNING_ALGORITHMS,
    }


def resource_document(issuer: str, resource: str, scopes: Sequence[str], name: str) -> dict[str, Any]:
    """Protected resource metadata. RFC 9728, section 2; SEP-2207: `offline_access` is no scope of a resource."""
    document: dict[str, Any] = {
        "resource": resource,
        "authorization_servers": [issuer],
        "bearer_methods_supported": ["header"],
        "scopes_supported": list(scopes),
    }
    return document | ({"resource_name": name} if name else {})


def validate(document: Mapping[str, Any]) -> None:
    """Let Authlib judge a server document, once, at start.

    Raises:
        ConfigError: a client with a strict reading of RFC 8414 would refuse it.
    """
    from authlib.oauth2.rfc8414 import AuthorizationServerMetadata  # type: ignore[import-untyped]

    # RFC 8414 knows https only; on a loopback address http is what development has, and all else can still be judged.
    issuer = str(document["issuer"])
    secure = "https" + issuer.removeprefix("http") if issuer.startswith("http:") else issuer
    values = {name: value.replace(issuer, secure) if isinstance(value, str) else value for name, value in document.items()}
    try:
        AuthorizationServerMetadata(values).validate()
    except ValueError as error:
        raise ConfigError(f"the metadata of issuer {issuer} breaks RFC 8414: {error}") from error
