"""`ClientKeys`: the public keys by which a client signs, from its registration or from where it publishes them. RFC 7517.

The `Fetcher` asks, one request at a time for an address and none for a while after a failure; here is kept what it brought.

State: the key sets that were fetched, of which it keeps a bounded number. Only `_fetch` changes it.
"""

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from lazyoauth.errors import InvalidClient, TemporarilyUnavailable, TooManyRequests
from lazyoauth.fetch import Fetcher
from lazyoauth.lifetimes import Clock
from lazyoauth.network import FetchFailed
from lazyoauth.records import Client

REMEMBERED = 256
MAX_BYTES = 65_536
MAX_KEYS = 32
# A key that its owner withdrew works this much longer.
FRESH_S = 600.0
# An unknown `kid` means that the keys have changed: they are asked for again, at most this often.
BACK_OFF_S = 60.0
# While the address is away, what was known of it goes on to be true for this long.
STALE_S = 3_600.0

Key = Mapping[str, Any]


class _Published(NamedTuple):
    keys: Sequence[Key]
    at: float


class ClientKeys:
    """Finds the keys of clients."""

    def __init__(self, fetcher: Fetcher, now: Clock) -> None:
        self._fetcher = fetcher
        self._now = now
        self._published: OrderedDict[str, _Published] = OrderedDict()

    async def find(self, client: Client, kid: str | None) -> Sequence[Key]:
        """The keys that may have signed: those of that `kid`, or all when none is named. RFC 7515, section 4.1.4.

        Raises:
            InvalidClient: what the client publishes is no JWK Set, or is not to be had.
            TemporarilyUnavailable: it cannot be fetched now.
        """
        if client.jwks is not None:
            return _with_kid(_keys_of(client.jwks), kid)
        if not client.jwks_uri:
            return ()
        known = self._published.get(client.jwks_uri)
        if known is not None:
            age, found = self._now() - known.at, _with_kid(known.keys, kid)
            if age < FRESH_S and (found or age < BACK_OFF_S):
                return found
        return _with_kid(await self._fetch(client.jwks_uri, known), kid)

    async def _fetch(self, url: str, known: _Published | None) -> Sequence[Key]:
        """The key set as of now, or as it was known, if its host is merely away."""
        try:
            keys = _keys_of(await self._fetcher.get_json(url, MAX_BYTES))
        except (FetchFailed, TooManyRequests) as failure:
            away = isinstance(failure, TooManyRequests) or not failure.is_answer
            if away and known is not None and self._now() - known.at < STALE_S:
                return known.keys
            # The reason stays here: it would tell a stranger what this machine can reach.
            if away:
                raise TemporarilyUnavailable("the client's keys are not available, try again", detail=str(failure)) from failure
            raise InvalidClient("the client's keys are not to be had", detail=str(failure)) from failure
        self._published[url] = _Published(keys, self._now())
        self._published.move_to_end(url)
        if len(self._published) > REMEMBERED:
            self._published.popitem(last=False)
        return keys


def _keys_of(jwks: Any) -> Sequence[Key]:
    """The keys of a JWK Set. RFC 7517, section 5: what else it holds is ignored."""
    keys = jwks.get("keys") if isinstance(jwks, Mapping) else None
    if not isinstance(keys, list) or len(keys) > MAX_KEYS or not all(isinstance(key, dict) for key in keys):
        raise InvalidClient("the client's keys are not to be had", detail=f"no JWK Set of at most {MAX_KEYS} keys")
    return keys


def _with_kid(keys: Sequence[Key], kid: str | None) -> Sequence[Key]:
    return keys if kid is None else [key for key in keys if key.get("kid") == kid]
