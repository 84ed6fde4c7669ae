"""Which client is calling, and whether it proved that. RFC 6749, sections 2.3 and 3.2.1; RFC 7521, section 4.2.

Clients that registered themselves are public: they say who they are, and PKCE and rotation protect their tokens. A client in the
settings, or one with a document of its own, may be confidential: it shows its secret, or an assertion signed with its key.
"""

import binascii
from base64 import b64decode
from dataclasses import dataclass, field, replace
from urllib.parse import unquote_plus

from lazyoauth import client_assertion
from lazyoauth.errors import InvalidClient, InvalidRequest
from lazyoauth.issuer import Issuer
from lazyoauth.parameters import Parameters
from lazyoauth.records import Client

# RFC 7523, section 2.2.
ASSERTION_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"


@dataclass(frozen=True, slots=True)
class Presented:
    """What a request says of its client. Nothing of it is proven.

    Attributes:
        client_id: "" when it names none.
        secrets: in clear, as it came and as it is decoded, if that differs; empty for none.
        assertion: a JWT, "" for none.
    """

    client_id: str
    secrets: tuple[str, ...] = field(default=(), repr=False)
    assertion: str = field(default="", repr=False)


def read(parameters: Parameters, authorization: str) -> Presented:
    """Who a request says it comes from, in the body or in HTTP Basic (some clients use that without a secret).

    Raises:
        InvalidClient: the Authorization header is malformed, or the assertion is of an unknown type.
        InvalidRequest: there are two proofs, or two ids. RFC 6749, section 2.3.
    """
    in_header, header_secrets = _basic(authorization) if authorization else ("", ())
    body_secret, assertion = parameters.get("client_secret"), parameters.get("client_assertion")
    if sum(map(bool, (header_secrets, body_secret, assertion))) > 1:
        raise InvalidRequest("a client authenticates in one way, not in two at once")
    if (assertion or parameters.get("client_assertion_type")) and parameters.get("client_assertion_type") != ASSERTION_TYPE:
        raise InvalidClient(f"client_assertion_type must be {ASSERTION_TYPE}")
    if parameters.get("client_assertion_type") and not assertion:
        raise InvalidRequest("client_assertion is required with client_assertion_type")
    # RFC 7521, section 4.2: client_id may be left out, for the assertion says whose it is.
    in_assertion = client_assertion.subject_of(assertion) if assertion else ""
    named = [client_id for client_id in (parameters.get("client_id"), in_header, in_assertion) if client_id]
    if len(set(named)) > 1:
        raise InvalidRequest("the request names two clients")
    return Presented(named[0] if named else "", (body_secret,) if body_secret else header_secrets, assertion)


async def authenticate(issuer: Issuer, presented: Presented) -> Client:
    """The client, with `auth_method` as it was used: "none" for one that may come without proof, and did.

    Raises:
        InvalidClient: none was named, nobody here knows it (AI clients then register again), or it did not prove itself.
        TemporarilyUnavailable: its keys or the memory of used assertions are away.
    """
    client = await issuer.clients.find(presented.client_id) if presented.client_id else None
    if client is None:
        raise InvalidClient("the client is unknown; register again" if presented.client_id else "client_id is required")
    if presented.secrets:
        return _by_secret(issuer, client, presented.secrets)
    if presented.assertion:
        return await _by_assertion(issuer, client, presented.assertion)
    if client.auth_method != "none" and not client.public:
        raise InvalidClient("this client must authenticate", detail=client.auth_method)
    return client if client.auth_method == "none" else replace(client, auth_method="none")


def _by_secret(issuer: Issuer, client: Client, secrets: tuple[str, ...]) -> Client:
    """RFC 6749, section 2.3.1; in the header or in the body, as the client likes."""
    if client.auth_method != "client_secret":
        raise InvalidClient("this client has no secret; send client_id alone", detail=client.auth_method)
    if not any(issuer.clients.registry.knows_secret(client.id, secret) for secret in secrets):
        raise InvalidClient("the client did not prove who it is", detail="wrong secret")
    return client


async def _by_assertion(issuer: Issuer, client: Client, assertion: str) -> Client:
    """RFC 7523, section 3."""
    if client.auth_method != "private_key_jwt":
        raise InvalidClient("this client has no keys; send client_id alone", detail=client.auth_method)
    await client_assertion.verify(issuer, client, assertion)
    return client


def _basic(authorization: str) -> tuple[str, tuple[str, ...]]:
    scheme, _, encoded = authorization.partition(" ")
    if scheme.lower() != "basic":
        raise InvalidClient("the Authorization header must be Basic")
    try:
        decoded = b64decode(encoded.strip(), validate=True).decode()
    except (binascii.Error, UnicodeDecodeError) as error:
        raise InvalidClient("the Authorization header is no base64") from error
    client_id, _, secret = decoded.partition(":")
    # RFC 6749, section 2.3.1: both are form-encoded before they are joined. Authlib and others leave the secret as it is, and what
    # `openssl rand -base64` makes often has a plus sign in it; so the secret may be either.
    return unquote_plus(client_id), tuple(dict.fromkeys((unquote_plus(secret), secret))) if secret else ()
