"""`requestState`: the answers of earlier rounds, carried by the client between two sends of one request. Nothing is stored here.

The client holds it, so it is sealed: nobody else can read it, change it, keep it for long, or use it for another request or as
another user. Any process that has the secret opens it. MCP 2026-07-28, basic/patterns/mrtr, "Security considerations".
"""

import base64
import binascii
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from typing import Any, Final, NamedTuple

from lazymcp.caller import caller
from lazymcp.errors import InvalidParams, ParseError
from lazymcp.jsonrpc import dump, parse
from lazymcp.keys import derive

__all__ = ["LIFETIME_S", "MAX_BYTES", "Record", "RequestStates", "binding"]

LIFETIME_S: Final = 600
MAX_BYTES: Final = 256 * 1024

_NONCE: Final = 12
_TAG: Final = 16
# base64 writes four characters for three bytes.
_MAX_CHARS: Final = (MAX_BYTES + _NONCE + _TAG + 2) // 3 * 4
_LABEL: Final = b"request state"
_UNUSABLE: Final = "requestState does not belong to this request, was changed, or is too old: send the request again without it"


class Record(NamedTuple):
    """What is known when a request stops to ask.

    Attributes:
        answers: by key, the mark of the question that was answered and the client's result.
        asked: by key, the mark of each question that is open.
    """

    answers: Mapping[str, tuple[str, Any]]
    asked: Mapping[str, str]


class RequestStates:
    """Seals and opens records.

    State: the ciphers, made when the first is needed.
    """

    def __init__(self, secret: str, fallbacks: Sequence[str] = (), now: Callable[[], float] = time.time) -> None:
        """Keep the secrets.

        Args:
            secret: shared by all processes of a server.
            fallbacks: earlier secrets; what they sealed is still opened.
            now: the clock.
        """
        # An empty fallback is an empty list in the environment, and a key that anyone could derive.
        self._secrets = (secret, *filter(None, fallbacks))
        self._now = now
        self._ciphers: list[Any] | None = None

    def seal(self, record: Record, bound_to: bytes) -> str:
        """A `requestState`, valid for LIFETIME_S.

        Args:
            bound_to: what `binding` gives; only the same opens it.

        Raises:
            InvalidParams: the client's answers are too large to be carried to and fro.
        """
        expires_at = int(self._now()) + LIFETIME_S
        plain = dump([expires_at, {key: list(known) for key, known in record.answers.items()}, dict(record.asked)])
        if len(plain) > MAX_BYTES:
            raise InvalidParams(f"the answers to this request have more than {MAX_BYTES} bytes in all")
        # NIST SP 800-38D, section 8.3: a key takes 2**32 random nonces of this length.
        nonce = secrets.token_bytes(_NONCE)
        sealed = self._keys()[0].encrypt(nonce, plain, bound_to)
        return base64.urlsafe_b64encode(nonce + sealed).rstrip(b"=").decode()

    def open(self, token: Any, bound_to: bytes) -> Record:
        """What was sealed.

        Raises:
            InvalidParams: it was not sealed here, for this, and lately. The client learns no more.
        """
        from cryptography.exceptions import InvalidTag

        try:
            if not isinstance(token, str) or len(token) > _MAX_CHARS:
                raise ValueError
            raw = base64.b64decode(token.encode("ascii") + b"=" * (-len(token) % 4), altchars=b"-_", validate=True)
            expires_at, answers, asked = parse(self._decrypt(raw[:_NONCE], raw[_NONCE:], bound_to))
        except (InvalidTag, binascii.Error, ValueError, ParseError):
            raise InvalidParams(_UNUSABLE) from None
        if expires_at <= self._now():
            raise InvalidParams(_UNUSABLE)
        return Record({key: (mark, answer) for key, (mark, answer) in answers.items()}, asked)

    def _decrypt(self, nonce: bytes, sealed: bytes, bound_to: bytes) -> bytes:
        from cryptography.exceptions import InvalidTag

        for key in self._keys():
            try:
                plain: bytes = key.decrypt(nonce, sealed, bound_to)
            except InvalidTag:
                continue
            return plain
        raise ValueError

    def _keys(self) -> list[Any]:
        if self._ciphers is None:
            self._ciphers = [_cipher(secret) for secret in self._secrets]
        return self._ciphers


def binding(method: str, params: Mapping[str, Any]) -> bytes:
    """What a state belongs to: who asks, and what for. A retry has the same, whatever its id and `_meta`."""
    import json  # here, like the cipher below, for what is rare

    target = [params.get("name"), params.get("uri")]
    # Sorted: a client may write its arguments in another order the second time.
    wanted = json.dumps([caller(), method, target, params.get("arguments") or {}], sort_keys=True, separators=(",", ":"))
    return sha256(wanted.encode()).digest()


def _cipher(secret: str) -> Any:
    # Imported with the first state: most servers never ask, and `import lazymcp` must stay light.
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    return AESGCM(derive(secret, _LABEL))
