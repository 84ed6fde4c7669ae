"""The session: a small dictionary that travels in a signed cookie, and the flash messages that live in it until they are shown.

Signed, not encrypted: the visitor can read it and cannot change it. The cookie is decoded when the session is first used, and
written when it changed: a page that asks for nothing pays for nothing. State lives in the browser; every process with the secret
reads it.
"""

import hashlib
import json
import time
from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from typing import Any

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from itsdangerous import BadData, TimestampSigner, URLSafeTimedSerializer

from lazyapp.accept import header
from lazyapp.errors import LazyappError

Clock = Callable[[], float]
Header = tuple[bytes, bytes]

# RFC 6265bis 5.7: browsers drop a cookie whose name and value exceed 4096 bytes together.
MAX_COOKIE_BYTES = 4096
_FLASH = "_flash"


class SessionTooLarge(LazyappError):
    """The session does not fit into a cookie; the message names its largest entry."""


@dataclass(frozen=True, slots=True)
class SessionOptions:
    """How the session cookie behaves.

    Args:
        name: the cookie's name over loopback http; over https it is `__Host-` and this.
        max_age_s: seconds that a session outlives the last visit that used it.
        login_idle_s: a person who does not come back for so long is signed out.
        login_absolute_s: so long after signing in, a person signs in again whatever happened since.
    """

    name: str = "lazyapp"
    max_age_s: int = 14 * 24 * 3600
    login_idle_s: int = 12 * 3600
    login_absolute_s: int = 30 * 24 * 3600


@dataclass(frozen=True, slots=True)
class Flash:
    """A message for the next page that the visitor sees."""

    message: str
    kind: str = "notice"


class Session(MutableMapping[str, Any]):
    """One visitor's values, by name; anything that JSON can say. Read from the cookie at the first use."""

    __slots__ = ("_kept", "_read", "_values", "renew")

    def __init__(self, read: Callable[[], tuple[dict[str, Any], bool]]) -> None:
        self._read = read
        self._values: dict[str, Any] | None = None
        self._kept = ""
        self.renew = False

    def __getitem__(self, name: str) -> Any:
        return self._opened()[name]

    def __setitem__(self, name: str, value: Any) -> None:
        self._opened()[name] = value

    def __delitem__(self, name: str) -> None:
        del self._opened()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._opened())

    def __len__(self) -> int:
        return len(self._opened())

    def __repr__(self) -> str:
        return f"Session({'unread' if self._values is None else f'{len(self._values)} values'})"

    def read(self) -> None:
        """Read the cookie now: the answer depends on it, whatever is in it."""
        self._opened()

    @property
    def was_used(self) -> bool:
        """Whether this request read or wrote it."""
        return self._values is not None

    @property
    def has_changed(self) -> bool:
        """Whether its values differ from the cookie's, changes inside a list or dict included."""
        return self._values is not None and (_text(self._values) if self._values else "") != self._kept

    def flash(self, message: str, kind: str = "notice") -> None:
        """Keep a message until a page shows it."""
        self._opened().setdefault(_FLASH, []).append([message, kind])

    def take_flash(self) -> list[Flash]:
        """The messages not shown yet; they are gone from the session after this."""
        values = self._opened()
        return [Flash(message, kind) for message, kind in values.pop(_FLASH)] if _FLASH in values else []

    def _opened(self) -> dict[str, Any]:
        if self._values is None:
            self._values, self.renew = self._read()
            self._kept = _text(self._values) if self._values else ""
        return self._values


class Sessions:
    """Reads sessions from requests and writes them to answers.

    Args:
        secret: the application's secret; the key is derived from it (RFC 5869).
        fallbacks: earlier secrets, under which sessions are still read while the secret rotates.
        options: the cookie's name and age.
        secure: the visitors' connections are https even where this process sees http, behind a proxy.
        now: seconds since 1970.
    """

    def __init__(
        self,
        secret: str,
        fallbacks: Sequence[str] = (),
        options: SessionOptions | None = None,
        *,
        secure: bool = False,
        now: Clock = time.time,
    ) -> None:
        self._options = options or SessionOptions()
        self._secure = secure
        self._now = now
        # The first one signs.
        self._serializers = [_serializer(each, now) for each in (secret, *fallbacks)]

    def __repr__(self) -> str:
        return f"Sessions({self._options.name})"

    def of(self, scope: MutableMapping[str, Any]) -> Session:
        """The session of a request, nothing read yet."""
        return Session(lambda: self._load(scope))

    def has_cookie(self, scope: MutableMapping[str, Any]) -> bool:
        """Whether a request brings a session at all; true or false for the price of a look."""
        name = self._name(scope).encode()
        return any(key == b"cookie" and name in value for key, value in scope["headers"])

    def headers(self, session: Session, scope: MutableMapping[str, Any]) -> list[Header]:
        """What the answer must say about the session; nothing when it was not used.

        Raises:
            SessionTooLarge: the values do not fit into a cookie.
            TypeError: a value is nothing that JSON can say; the message names it.
        """
        if not session.was_used:
            return []
        headers = [(b"vary", b"cookie")]
        if session.has_changed or (session.renew and session):
            headers.append((b"set-cookie", self._cookie(dict(session), scope).encode("latin-1")))
        return headers

    def _load(self, scope: MutableMapping[str, Any]) -> tuple[dict[str, Any], bool]:
        cookies = header(scope, b"cookie")
        value = _cookie_value(cookies, self._name(scope)) if cookies else ""
        if not value:
            return {}, False
        age_s = self._options.max_age_s
        for serializer in self._serializers:
            try:
                values, signed_at = serializer.loads(value, max_age=age_s, return_timestamp=True)
            except BadData:
                # Tampered, expired, or signed under a secret that is gone: a visitor without a session, not an error.
                continue
            # What an earlier secret signed is signed anew when it is used, so that the secret can be taken away the sooner.
            is_old = serializer is not self._serializers[0] or self._now() - signed_at.timestamp() > age_s / 2
            return (values, is_old) if isinstance(values, dict) else ({}, False)
        return {}, False

    def _cookie(self, values: dict[str, Any], scope: MutableMapping[str, Any]) -> str:
        name = self._name(scope)
        value = self._serializers[0].dumps(values) if values else ""
        size = len(name) + len(value)
        if size > MAX_COOKIE_BYTES:
            raise SessionTooLarge(f"the session needs {size} bytes and a cookie holds {MAX_COOKIE_BYTES}; {_advice(values)}")
        age = self._options.max_age_s if values else 0
        secure = "; Secure" if self._is_secure(scope) else ""
        return f"{name}={value}; Path=/; Max-Age={age}; HttpOnly; SameSite=Lax{secure}"

    def _name(self, scope: MutableMapping[str, Any]) -> str:
        # RFC 6265bis 4.1.3.2: with this prefix no subdomain and no http page can set or shadow the cookie; it demands Secure.
        return f"__Host-{self._options.name}" if self._is_secure(scope) else self._options.name

    def _is_secure(self, scope: MutableMapping[str, Any]) -> bool:
        return self._secure or scope.get("scheme") == "https"


def _serializer(secret: str, now: Clock) -> URLSafeTimedSerializer:
    return URLSafeTimedSerializer(
        _key(secret),
        salt=b"session",
        signer=_signer(now),
        signer_kwargs={"key_derivation": "hmac", "digest_method": hashlib.sha256},
    )


def _advice(values: Mapping[str, Any]) -> str:
    largest = max(values, key=lambda each: len(_text(values[each])))
    if largest == _FLASH:
        return "most of it is flash messages: say less, or show them on the page that answers"
    return f"its largest value is {largest!r}: keep it in a table and its id in the session"


def _signer(now: Clock) -> type[TimestampSigner]:
    class Signer(TimestampSigner):
        def get_timestamp(self) -> int:
            return int(now())

    return Signer


def _key(secret: str) -> bytes:
    return HKDF(algorithm=SHA256(), length=32, salt=None, info=b"lazyapp session").derive(secret.encode())


def _cookie_value(cookies: str, name: str) -> str:
    for pair in cookies.split(";"):
        key, _, value = pair.partition("=")
        if key.strip() == name:
            return value.strip()
    return ""


def _text(values: Any) -> str:
    try:
        return json.dumps(values, sort_keys=True, separators=(",", ":"))
    except (TypeError, ValueError) as error:
        bad = next((f"session[{name!r}]" for name, value in values.items() if not _is_json(value)), "the session")
        raise TypeError(f"{bad} cannot be kept in a cookie: {error}") from None


def _is_json(value: Any) -> bool:
    try:
        json.dumps(value)
    except (TypeError, ValueError):
        return False
    return True
