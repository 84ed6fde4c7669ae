"""Clients whose id is the URL of a document about them.

draft-ietf-oauth-client-id-metadata-document; MCP 2026-07-28, authorization, client registration. Nothing is registered: whoever can
publish at a URL is that client. So its host vouches for answers that go to the same host, and for nothing else. A loopback redirect
URI may be answered by any program on the person's machine, whatever document names it.

A document may change or go away between two requests of a login. Each request reads it anew, and a code or token remains bound to
what was approved, so that a later document can only take away.
"""

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from lazyoauth import client_metadata
from lazyoauth.addresses import place_of
from lazyoauth.errors import InvalidClientMetadata, OAuthError, TemporarilyUnavailable
from lazyoauth.fetch import Fetcher
from lazyoauth.lifetimes import Clock
from lazyoauth.network import FetchFailed
from lazyoauth.records import Client

# Section 4.3: as long as the host says, within bounds.
MIN_KEPT_S, USUALLY_KEPT_S, MAX_KEPT_S = 60.0, 300.0, 86_400.0
REMEMBERED = 1024
# Five kilobytes do not hold more.
MAX_REDIRECT_URIS = 100
NONE, PRIVATE_KEY_JWT = "none", "private_key_jwt"


class _Kept(NamedTuple):
    client: Client
    at: float
    until: float


class ClientDocuments:
    """Finds clients by the URL of their document.

    State: the clients it found, a bounded number of them. They are used as long as their hosts say; while a host is away, for up
    to a day, because nobody should lose a login to another company's outage. `find` changes it.
    """

    def __init__(self, fetcher: Fetcher, now: Clock) -> None:
        self._fetcher = fetcher
        self._now = now
        self._kept: OrderedDict[str, _Kept] = OrderedDict()

    async def find(self, url: str) -> Client | None:
        """The client that the document describes; None when there is no such document.

        Raises:
            TemporarilyUnavailable: it cannot be read now. The words are the same for every cause.
        """
        kept = self._kept.get(url)
        if kept is not None and self._now() < kept.until:
            self._kept.move_to_end(url)
            return kept.client
        if place_of(url) is None:
            return None
        try:
            return await self._read(url)
        except FetchFailed as failure:
            if failure.is_answer:
                self._kept.pop(url, None)
                return None
            return self._while_away(url, failure)
        except TemporarilyUnavailable as error:
            return self._while_away(url, error)

    async def _read(self, url: str) -> Client | None:
        document, max_age_s = await self._fetcher.fetch(url)
        try:
            client = client_of(url, document)
        except OAuthError as error:
            self._kept.pop(url, None)
            self._fetcher.put_off(url, f"it describes no client: {error.message}")
            return None
        kept_s = USUALLY_KEPT_S if max_age_s is None else min(max(max_age_s, MIN_KEPT_S), MAX_KEPT_S)
        now = self._now()
        self._kept[url] = _Kept(client, now, now + kept_s)
        self._kept.move_to_end(url)
        if len(self._kept) > REMEMBERED:
            self._kept.popitem(last=False)
        return client

    def _while_away(self, url: str, error: TemporarilyUnavailable) -> Client:
        kept = self._kept.get(url)
        if kept is None or self._now() >= kept.at + MAX_KEPT_S:
            raise error
        return kept.client


def client_of(url: str, document: Any) -> Client:
    """The client that a document describes.

    Raises:
        InvalidClientMetadata: it is about another client, or about one that cannot be served.
        InvalidRedirectURI: it has no redirect URI that can be used.
    """
    if not isinstance(document, dict):
        raise InvalidClientMetadata("the document must be a JSON object")
    # Section 4.1: by simple string comparison, so that no other URL can be passed off for this one.
    if document.get("client_id") != url:
        raise InvalidClientMetadata("client_id must be the document's own URL")
    if "client_secret" in document or "client_secret_expires_at" in document:
        raise InvalidClientMetadata("a public document has no client_secret")
    jwks, jwks_uri = _keys(document)
    method, public = _choose_method(_methods(document), has_keys=bool(jwks or jwks_uri))
    return Client(
        id=url,
        name=client_metadata.name(document),
        redirect_uris=client_metadata.redirect_uris(document, MAX_REDIRECT_URIS),
        grant_types=client_metadata.grant_types(document),
        kind="document",
        auth_method=method,
        public=public,
        uri=client_metadata.uri(document),
        jwks=jwks,
        jwks_uri=jwks_uri,
    )


def _methods(document: Mapping[str, Any]) -> Sequence[str]:
    """Every way to authenticate that a document names. A client that names none has nothing to prove itself with.

    One is the preferred, a list its alternatives; ChatGPT's document has both, and by the first alone its login fails
    (https://github.com/cloudflare/workers-oauth-provider/issues/293).
    """
    named: list[str] = []
    for member in ("token_endpoint_auth_method", "token_endpoint_auth_methods_supported", "token_endpoint_auth_methods"):
        value = document.get(member)
        named += [method for method in (value if isinstance(value, list) else [value]) if isinstance(method, str)]
    return named or [NONE]


def _choose_method(named: Sequence[str], *, has_keys: bool) -> tuple[str, bool]:
    """The method we support, and whether the client may come without it. Shared secrets are forbidden: section 4.1."""
    if PRIVATE_KEY_JWT in named and has_keys:
        return PRIVATE_KEY_JWT, NONE in named
    if NONE in named:
        return NONE, True
    raise InvalidClientMetadata("the document must name none, or private_key_jwt with jwks or jwks_uri")


def _keys(document: Mapping[str, Any]) -> tuple[Mapping[str, Any] | None, str]:
    """Its public keys, or where they are. RFC 7591, section 2: not both."""
    jwks, jwks_uri = document.get("jwks"), document.get("jwks_uri")
    if isinstance(jwks_uri, str) and place_of(jwks_uri) is not None:
        return None, jwks_uri
    if not isinstance(jwks, dict) or not isinstance(keys := jwks.get("keys"), list):
        return None, ""
    # "d" and "k" hold private and shared keys (RFC 7518, section 6): who can read the document could be the client.
    if not keys or not all(isinstance(key, dict) and "d" not in key and "k" not in key for key in keys):
        raise InvalidClientMetadata("jwks must hold public keys only")
    return jwks, ""
