"""Dynamic client registration (RFC 7591), as AI clients use it.

A registration gives nothing but an id: no secret, no scope, no trust. So it can be open to anyone, and lenient: members we do not
know are ignored, redirect URIs we do not accept are left out of the answer, and only a body without a usable one is refused.
"""

import json
import unicodedata
from collections.abc import Mapping
from typing import Any

from lazyoauth.clients import MAX_ID_LENGTH
from lazyoauth.errors import InvalidClientMetadata, InvalidRedirectURI
from lazyoauth.issuer import Issuer
from lazyoauth.redirects import fault_of

MAX_BODY_BYTES = 16_384
MAX_REDIRECT_URIS = 10
MAX_NAME_LENGTH = 80
_GRANT_TYPES = ("authorization_code", "refresh_token")


def register(issuer: Issuer, body: bytes) -> dict[str, Any]:
    """The client information response to a registration. RFC 7591, section 3.2.1.

    Raises:
        InvalidClientMetadata: the body is no JSON object, or a member has the wrong type.
        InvalidRedirectURI: no redirect URI is left.
    """
    metadata = _parse(body)
    redirect_uris = _redirect_uris(metadata)
    now = int(issuer.now())
    client = issuer.clients.register(_name(metadata), redirect_uris, _grant_types(metadata), now)
    if len(client.id) > MAX_ID_LENGTH:
        raise InvalidClientMetadata("the registration is too long; register fewer or shorter redirect URIs")
    return {
        "client_id": client.id,
        "client_id_issued_at": now,
        "client_name": client.name,
        "redirect_uris": list(client.redirect_uris),
        "grant_types": list(client.grant_types),
        "response_types": ["code"],
        # RFC 7591, section 3.2.1 lets the server replace what was asked for: nobody gets a secret for the asking.
        "token_endpoint_auth_method": "none",
    }


def _parse(body: bytes) -> Mapping[str, Any]:
    try:
        metadata = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise InvalidClientMetadata("the body must be a JSON object (application/json)") from error
    if not isinstance(metadata, dict):
        raise InvalidClientMetadata("the body must be a JSON object")
    return metadata


def _redirect_uris(metadata: Mapping[str, Any]) -> tuple[str, ...]:
    """The acceptable ones, each once: https://github.com/soflyy/agent-connector-for-wp/issues/111."""
    uris = metadata.get("redirect_uris")
    if not isinstance(uris, list) or not uris or not all(isinstance(uri, str) for uri in uris):
        raise InvalidRedirectURI("redirect_uris must be a list of one or more strings")
    if len(uris) > MAX_REDIRECT_URIS:
        raise InvalidRedirectURI(f"at most {MAX_REDIRECT_URIS} redirect URIs can be registered")
    faults = {uri: fault_of(uri) for uri in uris}
    accepted = tuple(uri for uri, fault in faults.items() if fault is None)
    if not accepted:
        raise InvalidRedirectURI(next(fault for fault in faults.values() if fault))
    return accepted


def _grant_types(metadata: Mapping[str, Any]) -> tuple[str, ...]:
    """Those we know. A client that names none may stay connected: https://github.com/anthropics/claude-ai-mcp/issues/42."""
    asked = metadata.get("grant_types")
    if not isinstance(asked, list) or not asked:
        return _GRANT_TYPES
    if "authorization_code" not in asked:
        raise InvalidClientMetadata("grant_types must include authorization_code")
    return tuple(grant for grant in _GRANT_TYPES if grant in asked)


def _name(metadata: Mapping[str, Any]) -> str:
    """The name as people may safely see it: one line, no control or direction characters, not long enough to hide the rest."""
    name = metadata.get("client_name")
    if not isinstance(name, str):
        return ""
    visible = "".join(" " if character.isspace() else character for character in name)
    visible = "".join(character for character in visible if not unicodedata.category(character).startswith("C"))
    return " ".join(visible.split())[:MAX_NAME_LENGTH]
