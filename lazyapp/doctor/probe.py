"""Sends the doctor's requests: to named origins only, so many, so long, so much of each answer, and nothing secret in any."""

import asyncio
import ipaddress
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.cookiejar import DefaultCookiePolicy
from typing import Any
from urllib.parse import SplitResult, urlsplit

import httpx2

from lazyapp.doctor.finding import visible

MAX_REQUESTS = 120
MAX_SECONDS = 90.0
MAX_BODY_BYTES = 262_144
ANSWER_WITHIN_S = 10.0
#: What the doctor calls itself; the user agents of vendors are used by one check only.
AGENT = "lazyapp-doctor"


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back.

    Attributes:
        status: 0 when nothing came.
        headers: with names in lower case.
        reason: why nothing came.
    """

    url: str
    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    reason: str = ""

    @property
    def came(self) -> bool:
        """Whether there is an answer at all."""
        return self.status > 0

    @property
    def is_ok(self) -> bool:
        return 200 <= self.status < 300

    @property
    def is_redirect(self) -> bool:
        return self.status in (301, 302, 303, 307, 308)

    @property
    def kind(self) -> str:
        """The media type, without parameters."""
        return self.header("content-type").partition(";")[0].strip().lower()

    def header(self, name: str) -> str:
        """A header, "" when it is absent."""
        return self.headers.get(name, "")

    def document(self) -> Mapping[str, Any] | None:
        """The JSON object of the body, or None when it is something else."""
        try:
            value = json.loads(self.body)
            # Half a surrogate pair can be neither sent nor shown. RFC 8259, section 8.2; RFC 7493, section 2.1.
            json.dumps(value, ensure_ascii=False).encode()
        except (ValueError, RecursionError):
            return None
        return value if isinstance(value, dict) else None

    def text_of(self, name: str) -> str:
        """A string member of the JSON object, "" when there is none."""
        value = (self.document() or {}).get(name)
        return value if isinstance(value, str) else ""

    def __str__(self) -> str:
        if not self.came:
            return f"{self.url}: {self.reason}"
        error = self.text_of("error")
        return f"{self.url} answers {self.status}{f' {error}' if error else ''}{'' if error else f' {self.kind}'.rstrip()}"


class Probe:
    """Asks, and counts what it asks.

    State: the number of requests and the time of the first; both only grow, and past either limit every further question comes back
    unanswered, so that no deployment can hold the doctor.

    Args:
        http: used by nobody else; it keeps no cookies from here on.
        url: the MCP endpoint; its origin may be asked, others only after `allow`.
        clock: seconds that only grow.
    """

    def __init__(self, http: httpx2.AsyncClient, url: str, clock: Callable[[], float]) -> None:
        self._http = http
        # MCP clients keep no cookies; with one, an application that guards its pages from forgery answers otherwise than to them.
        http.cookies.jar.set_policy(DefaultCookiePolicy(allowed_domains=[]))
        self._clock = clock
        self._origins = {origin_of(url)}
        self._is_public = parts_of(url).scheme == "https" and not is_inside(url)
        self._end = clock() + MAX_SECONDS
        self.asked = 0

    @property
    def is_spent(self) -> bool:
        """Whether a limit was reached, so that not everything was asked."""
        return self.asked >= MAX_REQUESTS or self._clock() >= self._end

    def allow(self, url: str) -> bool:
        """Let the origin of an authorization server be asked.

        A server on the internet could name an address of the network the doctor runs in; that is never asked.
        """
        parts = parts_of(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or (self._is_public and is_inside(url)):
            return False
        if self._is_public and parts.scheme != "https":
            return False
        self._origins.add(origin_of(url))
        return True

    async def get(self, url: str, headers: Mapping[str, str] | None = None) -> Answer:
        """Read a URL, without following a redirect."""
        return await self.ask("GET", url, headers=headers)

    async def post_form(self, url: str, form: Mapping[str, str]) -> Answer:
        """Send a form."""
        return await self.ask("POST", url, data=dict(form), headers={"accept": "application/json"})

    async def post_json(self, url: str, body: Any, headers: Mapping[str, str] | None = None) -> Answer:
        """Send JSON."""
        return await self.ask("POST", url, json=body, headers={"accept": "application/json", **(headers or {})})

    async def ask(self, method: str, url: str, **options: Any) -> Answer:
        """One request and as much of its answer as is looked at; never raises for what the other side does."""
        if origin_of(url) not in self._origins:
            return Answer(url, 0, reason="not asked, for it is on a host that this deployment does not stand for")
        if self.is_spent:
            return Answer(url, 0, reason="not asked, for the examination has reached its limit")
        self.asked += 1
        options["headers"] = {"user-agent": AGENT, **(options.get("headers") or {})}
        try:
            # The client's own timeout is for each piece: an answer that comes byte by byte would hold the doctor for days.
            async with (
                asyncio.timeout(ANSWER_WITHIN_S),
                self._http.stream(method, url, timeout=ANSWER_WITHIN_S, follow_redirects=False, **options) as response,
            ):
                body = await _read(response)
                return Answer(url, response.status_code, {k.lower(): v for k, v in response.headers.items()}, body)
        except (httpx2.TimeoutException, TimeoutError):
            return Answer(url, 0, reason=f"no answer within {ANSWER_WITHIN_S:g} seconds")
        except (httpx2.HTTPError, httpx2.InvalidURL, ValueError) as error:
            return Answer(url, 0, reason=visible(str(error)) or type(error).__name__)


async def _read(response: httpx2.Response) -> bytes:
    body = bytearray()
    # An event stream may never end; what is looked at is never in one.
    if response.headers.get("content-type", "").startswith("text/event-stream"):
        return b""
    async for chunk in response.aiter_bytes():
        body += chunk
        if len(body) >= MAX_BODY_BYTES:
            break
    return bytes(body[:MAX_BODY_BYTES])


def parts_of(url: str) -> SplitResult:
    """The parts of a URL that a stranger wrote; all of them empty when it is none."""
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        return urlsplit("")
    return parts


def origin_of(url: str) -> str:
    """Scheme, host and port, with the default port left out."""
    parts = parts_of(url)
    host = (parts.hostname or "").lower()
    host = f"[{host}]" if ":" in host else host
    default = {"https": 443, "http": 80}.get(parts.scheme)
    return f"{parts.scheme}://{host}" + (f":{parts.port}" if parts.port is not None and parts.port != default else "")


def is_inside(url: str) -> bool:
    """Whether the host is a name or an address that only this machine or this network knows."""
    host = (parts_of(url).hostname or "").lower()
    if host == "localhost" or host.endswith((".localhost", ".internal", ".local")) or ("." not in host and ":" not in host):
        return True
    try:
        return not ipaddress.ip_address(host).is_global
    except ValueError:
        return False
