"""Session ids for clients of 2025-11-25 and older: what the client said about itself, signed. Nothing is stored.

Any process that has the secret can read one, so a session needs no affinity and survives a restart. What a caller cannot do is
make one up, change one, or use another caller's.
"""

import base64
import binascii
import hmac
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

from lazymcp.caller import caller
from lazymcp.errors import InvalidRequest, ParseError
from lazymcp.jsonrpc import dump, parse
from lazymcp.keys import derive

__all__ = ["SESSION_HEADER", "Session", "SessionEnded", "Sessions"]

SESSION_HEADER: Final = b"mcp-session-id"
LIFETIME_S: Final = 30 * 24 * 3600

_MAX_SAID = 1024
_MAX_REMEMBERED = 1024
_TAG = 32
_LABEL = b"session id"


class SessionEnded(InvalidRequest):
    """The session id is not ours, not this caller's, or too old. HTTP 404: the client initializes again."""

    default = "the session has ended; initialize again"


@dataclass(frozen=True, slots=True)
class Session:
    """What a client said when it initialized, and who it was. `key` is the session's name among processes."""

    version: str
    client: Mapping[str, Any]
    capabilities: Mapping[str, Any]
    owner: str
    expires_at: float
    key: str


class Sessions:
    """Makes and reads session ids.

    State: a bounded memory of ids that were verified, so that a busy session is verified once.
    """

    def __init__(self, secret: str, fallbacks: Sequence[str] = (), now: Callable[[], float] = time.time) -> None:
        """Derive the keys.

        Args:
            secret: shared by all processes of a server.
            fallbacks: earlier secrets; ids signed with them are still read.
            now: the clock.
        """
        # An empty fallback is an empty list in the environment, and a key that anyone could derive.
        self._keys = [derive(value, _LABEL) for value in (secret, *filter(None, fallbacks))]
        self._now = now
        self._known: dict[bytes, Session] = {}

    def mint(self, version: str, client: Mapping[str, Any], capabilities: Mapping[str, Any]) -> bytes:
        """A new session id, visible ASCII as a header's value must be. MCP 2025-11-25, basic/transports, "Session management"."""
        said = {"name": str(client.get("name", ""))[:100], "version": str(client.get("version", ""))[:100]}
        # A header has its limits: capabilities that would burst it are forgotten, and the client counts as having none.
        kept = dict(capabilities) if len(dump(capabilities)) <= _MAX_SAID else {}
        expires_at = int(self._now()) + LIFETIME_S
        payload = dump([version, said, kept, caller(), expires_at, secrets.token_hex(8)])
        return base64.urlsafe_b64encode(hmac.digest(self._keys[0], payload, sha256) + payload).rstrip(b"=")

    def open(self, token: bytes) -> Session:
        """Read a session id.

        Raises:
            SessionEnded: it is not ours, not this caller's, or too old.
        """
        session = self._known.get(token)
        if session is None:
            session = self._verify(token)
            if len(self._known) >= _MAX_REMEMBERED:
                self._known.clear()
            self._known[token] = session
        if session.expires_at < self._now() or session.owner != caller():
            raise SessionEnded
        return session

    def _verify(self, token: bytes) -> Session:
        try:
            raw = base64.b64decode(token + b"=" * (-len(token) % 4), altchars=b"-_", validate=True)
            tag, payload = raw[:_TAG], raw[_TAG:]
            if not any(hmac.compare_digest(tag, hmac.digest(key, payload, sha256)) for key in self._keys):
                raise SessionEnded
            version, client, capabilities, owner, expires_at, key = parse(payload)
        except (binascii.Error, ValueError, ParseError):
            raise SessionEnded from None
        return Session(version, client, capabilities, owner, expires_at, key)
