"""Who the clients are: those of the settings, those with a document at a URL, and those that registered themselves.

The id of the last is its registration: signed, compressed, and kept nowhere.

RFC 7591, appendix A.5.2 describes such ids. They survive restarts and reach every process, and a million registrations cost nothing
(https://github.com/samanhappy/mcphub/issues/1174, https://github.com/PrefectHQ/fastmcp/issues/1762).

    dyn1_ base64url( HMAC-SHA256, 16 bytes | raw deflate of [issued at, name, redirect URIs, grant types] )
"""

import hmac
import json
import zlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence
from typing import Any

from lazyoauth import trace
from lazyoauth.client_documents import ClientDocuments
from lazyoauth.records import Client
from lazyoauth.registered import Registry

_PREFIX = "dyn1_"
_MAC_BYTES = 16
MAX_ID_LENGTH = 4096
# An AI client refreshes for months under one id, which is verified and unpacked once.
REMEMBERED = 1024


class Clients:
    """Finds clients by id.

    State: the registrations that were read of late, which say the same for ever; `find` adds to them.

    Attributes:
        registry: those of the settings.

    Args:
        keys: sign the ids of those that register themselves; the first is the current one.
        documents: finds those whose id is a URL; None knows no such clients.
    """

    def __init__(self, keys: Sequence[bytes], registry: Registry | None = None, documents: ClientDocuments | None = None) -> None:
        self._keys = keys
        self._documents = documents
        self._read: dict[str, Client] = {}
        self.registry = registry or Registry()

    async def find(self, client_id: str) -> Client | None:
        """The client of that id, or None when nobody here knows it.

        Raises:
            TemporarilyUnavailable: its metadata document cannot be read now.
        """
        client = await self._find(client_id)
        if client is not None:
            trace.about(client.id, client.name)
        return client

    async def _find(self, client_id: str) -> Client | None:
        if client_id.startswith(_PREFIX):
            return self._dynamic(client_id)
        if (registered := self.registry.find(client_id)) is not None:
            return registered
        return await self._documents.find(client_id) if self._documents is not None else None

    def register(self, name: str, redirect_uris: Sequence[str], grant_types: Sequence[str], issued_at: int) -> Client:
        """A client that registered itself. The same registration in the same second is the same client."""
        packed = json.dumps([issued_at, name, list(redirect_uris), list(grant_types)], separators=(",", ":"), ensure_ascii=False)
        deflate = zlib.compressobj(level=9, wbits=-zlib.MAX_WBITS)
        data = deflate.compress(packed.encode()) + deflate.flush()
        client_id = _PREFIX + urlsafe_b64encode(_mac(self._keys[0], data) + data).rstrip(b"=").decode()
        trace.about(client_id, name)
        return Client(id=client_id, name=name, redirect_uris=redirect_uris, grant_types=grant_types)

    def _dynamic(self, client_id: str) -> Client | None:
        known = self._read.get(client_id)
        if known is None and (known := self._open(client_id)) is not None:
            if len(self._read) >= REMEMBERED:
                self._read.clear()
            self._read[client_id] = known
        return known

    def _open(self, client_id: str) -> Client | None:
        if len(client_id) > MAX_ID_LENGTH:
            return None
        encoded = client_id.removeprefix(_PREFIX)
        try:
            raw = urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4))
        except ValueError:
            return None
        mac, data = raw[:_MAC_BYTES], raw[_MAC_BYTES:]
        # One spelling only: base64 ignores foreign characters and spare bits, and two ids for one client would be two clients.
        if urlsafe_b64encode(raw).rstrip(b"=").decode() != encoded:
            return None
        if not any(hmac.compare_digest(mac, _mac(key, data)) for key in self._keys):
            return None
        # Decompressed only after the signature: what is inside was made by us, so it cannot be a bomb.
        _, name, redirect_uris, grant_types = _unpack(data)
        return Client(id=client_id, name=name, redirect_uris=tuple(redirect_uris), grant_types=tuple(grant_types))


def _unpack(data: bytes) -> Any:
    return json.loads(zlib.decompress(data, wbits=-zlib.MAX_WBITS))


def _mac(key: bytes, data: bytes) -> bytes:
    return hmac.digest(key, data, "sha256")[:_MAC_BYTES]
