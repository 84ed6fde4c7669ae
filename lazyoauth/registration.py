"""Dynamic client registration (RFC 7591), as AI clients use it.

A registration gives nothing but an id: no secret, no scope, no trust. So it can be open to anyone, and lenient: members we do not
know are ignored, redirect URIs we do not accept are left out of the answer, and only a body without a usable one is refused.
"""

import json
from collections.abc import Mapping
from typing import Any

from lazyoauth import client_metadata
from lazyoauth.clients import MAX_ID_LENGTH
from lazyoauth.errors import InvalidClientMetadata
from lazyoauth.issuer import Issuer

MAX_BODY_BYTES = 16_384
MAX_REDIRECT_URIS = 10


def register(issuer: Issuer, body: bytes) -> dict[str, Any]:
    """The client information response to a registration. RFC 7591, section 3.2.1.

    Raises:
        InvalidClientMetadata: the body is no JSON object, or a member has the wrong type.
        InvalidRedirectURI: no redirect URI is left.
    """
    metadata = _parse(body)
    redirect_uris = client_metadata.redirect_uris(metadata, MAX_REDIRECT_URIS)
    name, grant_types = client_metadata.name(metadata), client_metadata.grant_types(metadata)
    now = int(issuer.now())
    client = issuer.clients.register(name, redirect_uris, grant_types, now)
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
