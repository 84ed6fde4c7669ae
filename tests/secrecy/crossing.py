"""The secrets that cross a wire, seen at the door of the server: the ASGI application whose server hands it every request.

Seen there and not at the clients, for the clients of the tests are of many kinds (httpx2, a browser, Node, the official SDKs), and
most run in processes of their own. One thing only enters and leaves by the same door in all of them. This file knows nothing but
Python, so it can be put into a server's process as well.
"""

import base64
import re
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import parse_qsl, quote, urlsplit

Keep = Callable[[str, str], None]

#: Parameters, fields of forms and members of JSON whose values nobody else may learn. `state`, `code_challenge` and the `client_id`
#: of a client that registered itself are none: they prove nothing.
NAMES = (
    *("password", "current_password", "new_password", "passphrase", "code", "code_verifier", "token", "transaction", "visit"),
    *("access_token", "refresh_token", "id_token", "client_secret", "client_assertion", "assertion", "registration_access_token"),
)
#: Shorter ones are words that stand in logs for other reasons.
SHORTEST = 12
MOST_BYTES = 256 * 1024

_NAMED = "|".join(NAMES)
_IN_BODY = re.compile(rf'"({_NAMED})"\s*:\s*"([^"\\]+)"|name="({_NAMED})"\s+value="([^"]+)"')


def watch(door: type[Any], keep: Keep) -> Callable[[], None]:
    """Look at all that passes a class of ASGI applications, from now on; gives what ends that."""
    call = door.__call__

    async def watched(self: Any, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await call(self, scope, receive, send)
            return
        visit = Visit(keep)
        visit.read_request(scope)

        async def received() -> Any:
            message = await receive()
            visit.read_form(message)
            return message

        async def sent(message: Any) -> None:
            visit.read_answer(message)
            await send(message)

        await call(self, scope, received, sent)

    door.__call__ = watched

    def end() -> None:
        door.__call__ = call

    return end


class Visit:
    """One request and its answer."""

    def __init__(self, keep: Keep) -> None:
        self._keep = keep
        self._is_form = False
        self._form, self._answer = bytearray(), bytearray()

    def read_request(self, scope: Any) -> None:
        """What the head of a request carries."""
        self._pairs(parse_qsl(scope["query_string"].decode("latin-1")))
        for name, raw in scope["headers"]:
            value = raw.decode("latin-1")
            if name == b"authorization":
                self._credentials(value)
            elif name == b"cookie":
                for each in value.split(";"):
                    self._one("cookie", each.partition("=")[2].strip())
            elif name == b"content-type":
                self._is_form = "form" in value

    def read_form(self, message: Any) -> None:
        """What a form carries, once it is here as a whole."""
        if self._is_form and message["type"] == "http.request" and len(self._form) < MOST_BYTES:
            self._form += message.get("body", b"")
            if not message.get("more_body"):
                self._pairs(parse_qsl(self._form.decode("latin-1")))

    def read_answer(self, message: Any) -> None:
        """What an answer gives away: cookies, the code in a redirect, tokens in JSON, hidden fields of a form."""
        if message["type"] == "http.response.start":
            for name, raw in message.get("headers", ()):
                if name.lower() == b"set-cookie":
                    self._one("cookie", raw.decode("latin-1").partition("=")[2].partition(";")[0])
                elif name.lower() == b"location":
                    self._pairs(parse_qsl(urlsplit(raw.decode("latin-1")).query))
        elif message["type"] == "http.response.body" and len(self._answer) < MOST_BYTES:
            self._answer += message.get("body", b"")
            if not message.get("more_body"):
                for found in _IN_BODY.finditer(self._answer.decode("latin-1")):
                    self._one(found[1] or found[3], found[2] or found[4])

    def _credentials(self, value: str) -> None:
        scheme, _, credentials = value.partition(" ")
        self._one(f"{scheme.lower()} credentials", credentials.strip())
        if scheme.lower() == "basic":
            try:
                decoded = base64.b64decode(credentials).decode()
            except ValueError:
                return
            self._one("client_secret", decoded.partition(":")[2])

    def _pairs(self, pairs: Iterable[tuple[str, str]]) -> None:
        for name, value in pairs:
            if name in NAMES:
                self._one(name, value)

    def _one(self, kind: str, value: str) -> None:
        if len(value) >= SHORTEST:
            self._keep(kind, value)


def spellings(secret: str) -> set[str]:
    """A secret as a log may show it: as it is, as an address or Python spells it, or in base64."""
    # Of base64 what does not depend on the bytes that follow it.
    encoded = base64.b64encode(secret.encode()[: len(secret.encode()) // 3 * 3]).decode()
    return {secret, quote(secret, safe=""), quote(secret, safe="/"), ascii(secret)[1:-1], encoded}
