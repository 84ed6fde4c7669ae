"""Which client is calling the token or revocation endpoint. RFC 6749, sections 2.3 and 3.2.1.

Clients that registered themselves are public: they say who they are, and PKCE and rotation protect their tokens.
"""

import binascii
from base64 import b64decode
from urllib.parse import unquote_plus

from lazyoauth.errors import InvalidClient, InvalidRequest
from lazyoauth.issuer import Issuer
from lazyoauth.parameters import Parameters
from lazyoauth.records import Client


def claimed_client_id(parameters: Parameters, authorization: str) -> str:
    """The id that a request claims, from the body or from HTTP Basic (some clients use it without a secret); "" for none.

    Raises:
        InvalidClient: the Authorization header is malformed, or comes with a secret, which no client here has.
        InvalidRequest: header and body name two clients.
    """
    in_body = parameters.get("client_id")
    in_header, secret = _basic(authorization) if authorization else ("", "")
    if in_body and in_header and in_body != in_header:
        raise InvalidRequest("client_id in the body and in the Authorization header differ")
    if secret or parameters.get("client_secret"):
        raise InvalidClient("this client has no secret; send client_id alone")
    return in_body or in_header


async def authenticate(issuer: Issuer, client_id: str) -> Client:
    """The client of that id.

    Raises:
        InvalidClient: none was named, or nobody here knows it: AI clients then register again.
    """
    client = await issuer.clients.find(client_id) if client_id else None
    if client is None:
        raise InvalidClient("the client is unknown; register again" if client_id else "client_id is required")
    return client


def _basic(authorization: str) -> tuple[str, str]:
    scheme, _, encoded = authorization.partition(" ")
    if scheme.lower() != "basic":
        raise InvalidClient("the Authorization header must be Basic")
    try:
        decoded = b64decode(encoded.strip(), validate=True).decode()
    except (binascii.Error, UnicodeDecodeError) as error:
        raise InvalidClient("the Authorization header is no base64") from error
    client_id, _, secret = decoded.partition(":")
    # RFC 6749, section 2.3.1: both are form-encoded before they are joined.
    return unquote_plus(client_id), unquote_plus(secret)
