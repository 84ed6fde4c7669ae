"""`RegisteredClient`: a client that the operator knows, with a secret, with keys, or with neither. RFC 6749, section 2.

It stands in `Config.clients`. Its name is vouched for, so people read it without a warning, and only such a client can be
confidential for good: ask for tokens of its own (`client_credentials`) and look into others' (introspection).
"""

import hmac
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import InitVar, dataclass, field
from hashlib import sha256
from typing import Any

from lazyoauth.errors import ConfigError
from lazyoauth.records import Client
from lazyoauth.redirects import fault_of

AUTHORIZATION_CODE, REFRESH_TOKEN, CLIENT_CREDENTIALS = "authorization_code", "refresh_token", "client_credentials"
GRANT_TYPES = (AUTHORIZATION_CODE, REFRESH_TOKEN, CLIENT_CREDENTIALS)
# RFC 6749, section 10.10: 128 random bits, in base64url.
MIN_SECRET_LENGTH = 22
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
# RFC 6749, appendix A.1, without the space, and without what HTTP Basic cannot carry.
_ID = re.compile(r"[\x21-\x39\x3b-\x7e]{1,255}")
_URL = re.compile(r"https://[\x21-\x7e]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class RegisteredClient:
    """A client known before it comes.

    Attributes:
        id: what it calls itself; visible ASCII, or the URL of its metadata document, which is then never fetched.
        name: for people.
        redirect_uris: where people may be sent back; none for a client without `authorization_code`.
        grant_types: what it may ask the token endpoint for.
        scopes: the most it can be granted; empty for all of the server's.
        secrets: every secret that works now, so that a new one can be given out before the old one goes. In plain text, of which
            only the digest is kept, or as that digest: `sha256:` and 64 hexadecimal digits.
        jwks: its public keys (RFC 7517, section 5), for `private_key_jwt`.
        jwks_uri: where it publishes them instead.
        claims: further claims of the tokens it gets with `client_credentials`, for example `{"mcps": ["admin"]}`.
        uri: its home page.

    Args:
        secret: one more of `secrets`, for the client that has only one.

    Raises:
        ConfigError: a secret is too short to be one.
    """

    id: str
    name: str
    redirect_uris: tuple[str, ...] = ()
    grant_types: tuple[str, ...] = (AUTHORIZATION_CODE, REFRESH_TOKEN)
    scopes: tuple[str, ...] = ()
    secret: InitVar[str] = ""
    secrets: tuple[str, ...] = field(default=(), repr=False)
    jwks: Mapping[str, Any] | None = field(default=None, repr=False)
    jwks_uri: str = ""
    claims: Mapping[str, Any] = field(default_factory=dict)
    uri: str = ""

    def __post_init__(self, secret: str) -> None:
        given = (*self.secrets, secret) if secret else self.secrets
        digests = tuple(dict.fromkeys(_digest(self.id, value) for value in given))
        object.__setattr__(self, "secrets", digests)

    @property
    def auth_method(self) -> str:
        """How it proves itself: `client_secret`, `private_key_jwt` or `none`."""
        if self.secrets:
            return "client_secret"
        return "private_key_jwt" if self.jwks is not None or self.jwks_uri else "none"

    @property
    def is_confidential(self) -> bool:
        """Whether it can prove who it is. RFC 6749, section 2.1."""
        return self.auth_method != "none"

    def to_client(self) -> Client:
        """The client as the rest of the server sees it."""
        return Client(
            id=self.id,
            name=self.name,
            redirect_uris=self.redirect_uris,
            grant_types=self.grant_types,
            verified=True,
            kind="registered",
            auth_method=self.auth_method,
            uri=self.uri,
            scopes=self.scopes,
            jwks=self.jwks,
            jwks_uri=self.jwks_uri,
        )


class Registry:
    """The registered clients by id, and who knows their secrets. Nothing in it changes."""

    def __init__(self, clients: Sequence[RegisteredClient] = ()) -> None:
        self._registrations = {client.id: client for client in clients}
        self._clients = {client.id: client.to_client() for client in clients}

    def find(self, client_id: str) -> Client | None:
        """The client of that id."""
        return self._clients.get(client_id)

    def knows_secret(self, client_id: str, secret: str) -> bool:
        """Whether this is a secret of that client. RFC 6749, section 2.3.1."""
        registration = self._registrations.get(client_id)
        presented = _sha256(secret)
        # Every one of them is compared, so that the time tells nothing of which it was.
        matches = [hmac.compare_digest(digest, presented) for digest in (registration.secrets if registration else ())]
        return any(matches)

    def claims_of(self, client_id: str) -> Mapping[str, Any]:
        """The further claims of the client's own tokens."""
        registration = self._registrations.get(client_id)
        return registration.claims if registration else {}


def check(clients: Sequence[RegisteredClient], scopes: Collection[str]) -> None:
    """Refuse registrations that cannot work.

    Raises:
        ConfigError: one sentence, naming the client.
    """
    ids = [client.id for client in clients]
    for client in clients:
        setting = f"lazyoauth.RegisteredClient {client.id!r}"
        if not _ID.fullmatch(client.id) and not _URL.fullmatch(client.id):
            raise ConfigError(f"{setting} needs an id of 1 to 255 visible ASCII characters without colon, or an https URL")
        if client.id.startswith("dyn1_") or ids.count(client.id) > 1:
            raise ConfigError(f"{setting} has an id that another client has, or that is kept for clients that register themselves")
        fault = _fault_of(client, scopes)
        if fault:
            raise ConfigError(f"{setting} {fault}")


def _fault_of(client: RegisteredClient, scopes: Collection[str]) -> str | None:
    """Why a registration cannot work, as the end of a sentence."""
    if not client.name:
        return "has no name"
    if sum((bool(client.secrets), client.jwks is not None, bool(client.jwks_uri))) > 1:
        return "has more than one of secret, jwks and jwks_uri (choose one)"
    if client.jwks_uri and not _URL.fullmatch(client.jwks_uri):
        return "has a jwks_uri that is no https URL"
    if client.jwks is not None and not _is_key_set(client.jwks):
        return "has a jwks that is no JWK Set ({'keys': [...]})"
    if client.jwks is not None and any("d" in key or "k" in key for key in client.jwks["keys"]):
        return "has a private key in its jwks (keep that with the client, and give the public part)"
    if client.uri and not client.uri.startswith(("https://", "http://")):
        return "has a uri that is neither http nor https"
    unknown = set(client.grant_types) - set(GRANT_TYPES)
    if unknown or not client.grant_types:
        return f"needs grant_types among {', '.join(GRANT_TYPES)}"
    if set(client.scopes) - set(scopes):
        return f"has scopes that lazyoauth.Config.scopes lacks: {', '.join(sorted(set(client.scopes) - set(scopes)))}"
    return _fault_of_grants(client)


def _fault_of_grants(client: RegisteredClient) -> str | None:
    if CLIENT_CREDENTIALS in client.grant_types and client.auth_method == "none":
        # RFC 6749, section 4.4: confidential clients only.
        return "needs a secret, jwks or jwks_uri for client_credentials"
    if client.claims and CLIENT_CREDENTIALS not in client.grant_types:
        return "has claims without client_credentials (people's claims come from lazyoauth.Config.claims)"
    if REFRESH_TOKEN in client.grant_types and AUTHORIZATION_CODE not in client.grant_types:
        return "has refresh_token without authorization_code"
    if (AUTHORIZATION_CODE in client.grant_types) != bool(client.redirect_uris):
        return "needs redirect_uris if it has authorization_code, and only then"
    return next(
        (f"has a redirect URI that cannot be used: {fault}" for uri in client.redirect_uris if (fault := fault_of(uri))), None
    )


def _is_key_set(jwks: Mapping[str, Any]) -> bool:
    keys = jwks.get("keys")
    return isinstance(keys, list) and bool(keys) and all(isinstance(key, dict) for key in keys)


def _digest(client_id: str, secret: str) -> str:
    if _DIGEST.fullmatch(secret):
        return secret
    if secret.startswith("sha256:"):
        raise ConfigError(
            f"lazyoauth.RegisteredClient {client_id!r} has a digest that is not sha256: and 64 lower-case hexadecimal digits"
        )
    if len(secret) < MIN_SECRET_LENGTH:
        least = f"of {MIN_SECRET_LENGTH} or more random characters (python -c 'import secrets; print(secrets.token_urlsafe(32))')"
        raise ConfigError(f"lazyoauth.RegisteredClient {client_id!r} needs a secret {least}")
    return _sha256(secret)


def _sha256(secret: str) -> str:
    # Without salt or cost: what is compared is random and long, which no dictionary holds.
    return f"sha256:{sha256(secret.encode()).hexdigest()}"
