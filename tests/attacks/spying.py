"""What crossed the wire of one client and one browser, and which of it nobody else may read."""

import re
from collections.abc import Iterable
from urllib.parse import parse_qsl, unquote, urlsplit

import httpx2

#: Parameters, members of JSON and form fields whose values are secret; an authorization code is one until it is used.
SECRET = frozenset(
    "password code code_verifier access_token refresh_token client_secret client_assertion token transaction state".split()
)
SHORT = 8


class Spy:
    """Attached to clients by their event hooks; collects secrets by kind."""

    def __init__(self) -> None:
        self.secrets: dict[str, set[str]] = {}

    def hooks(self) -> dict[str, list[object]]:
        """For `httpx2.AsyncClient(event_hooks=…)`."""
        return {"request": [self.request], "response": [self.response]}

    async def request(self, request: httpx2.Request) -> None:
        self._pairs(parse_qsl(request.url.query.decode()))
        if "form" in request.headers.get("content-type", ""):
            self._pairs(parse_qsl(request.content.decode()))
        scheme, _, credentials = request.headers.get("authorization", "").partition(" ")
        if credentials:
            self._keep(f"authorization {scheme}", credentials)
        for cookie in request.headers.get("cookie", "").split(";"):
            self._keep("cookie", cookie.partition("=")[2])

    async def response(self, response: httpx2.Response) -> None:
        await response.aread()
        for line in response.headers.get_list("set-cookie"):
            self._keep("cookie", line.partition("=")[2].partition(";")[0])
        self._pairs(parse_qsl(urlsplit(response.headers.get("location", "")).query))
        if response.headers.get("content-type", "").startswith("application/json"):
            body = response.json()
            self._pairs((name, value) for name, value in body.items() if isinstance(value, str)) if isinstance(body, dict) else None
        self._pairs(re.findall(r'name="(transaction)" value="([^"]*)"', response.text))

    def found_in(self, text: str) -> list[str]:
        """The kinds of secrets that can be read in a text, as they are or as an address would spell them."""
        plain = unquote(text)
        return sorted(kind for kind, values in self.secrets.items() for value in values if value in text or value in plain)

    def _pairs(self, pairs: Iterable[tuple[str, str]]) -> None:
        for name, value in pairs:
            if name in SECRET:
                self._keep(name, value)

    def _keep(self, kind: str, value: str) -> None:
        if len(value) >= SHORT:
            self.secrets.setdefault(kind, set()).add(value)
