"""One guarded GET of a small JSON document, from a host that a stranger named.

The name is resolved once, every address it has is checked, and the connection goes to an address that was checked: a name that
resolves differently a moment later changes nothing. The certificate is checked against the name. No redirect is followed, no proxy
of the environment is used, no cookie is kept, nothing is decompressed; size and time are bounded as a whole.
"""

import asyncio
import json
import re
import ssl
from collections.abc import Callable, Sequence
from functools import cache

import httpx2

from lazyoauth.addresses import Place
from lazyoauth.network import Answer, FetchFailed, Network

MAX_ADDRESSES = 4
_HEADERS = {"Accept": "application/json", "Accept-Encoding": "identity", "User-Agent": "lazyoauth", "Connection": "close"}
_JSON_TYPE = re.compile(r"application/(?:[\w.+-]+\+)?json", re.IGNORECASE)
_AWAY = frozenset({429, *range(500, 600)})


async def get(network: Network, place: Place, max_bytes: int) -> Answer:
    """The JSON document at a place.

    Raises:
        FetchFailed: for whatever reason there is none.
    """
    try:
        async with asyncio.timeout(network.timeout_s) as limit:
            return await _get(network, place, max_bytes, lambda: (limit.when() or 0.0) - asyncio.get_running_loop().time())
    except TimeoutError:
        raise FetchFailed(f"not complete after {network.timeout_s:g} seconds") from None
    # Besides its own errors httpx2 lets some of h11, ssl and the codecs through, and the bytes are a stranger's.
    except (httpx2.HTTPError, httpx2.InvalidURL, OSError, ValueError) as error:
        raise FetchFailed(f"{type(error).__name__}: {error}") from error


async def _get(network: Network, place: Place, max_bytes: int, left_s: Callable[[], float]) -> Answer:
    transport = httpx2.AsyncHTTPTransport(verify=network.tls or _authorities(), trust_env=False)
    async with httpx2.AsyncClient(transport=transport, trust_env=False, follow_redirects=False, timeout=None) as client:
        for request in await _requests(network, place):
            # For TCP and for TLS each. httpcore2 closes a socket when this is over, but not one whose handshake is cancelled: a
            # host that never answers it would keep the socket for good.
            request.extensions["timeout"] = {"connect": left_s() * 0.45, "read": None, "write": None, "pool": None}
            try:
                response = await client.send(request, stream=True)
            except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
                # A machine without IPv6 is told of an IPv6 address all the same; each further one was checked too.
                failure = error
                continue
            try:
                return _read(response, await _body(response, max_bytes))
            finally:
                await response.aclose()
        raise failure


async def _requests(network: Network, place: Place) -> Sequence[httpx2.Request]:
    """One request for each address that may be asked, in order."""
    url = f"https://{place.host}{place.target}"
    prefix = max((known for known in network.instead if url.startswith(known)), key=len, default=None)
    if prefix is not None:
        return [httpx2.Request("GET", network.instead[prefix] + url.removeprefix(prefix), headers=_HEADERS)]
    addresses = await network.resolve(place.host)
    # One foreign address among them is a trick or a mistake; neither is asked.
    refused = [address for address in addresses if not network.allows(address)]
    if refused or not addresses:
        raise FetchFailed(f"{place.host} has no public address" + f" but {', '.join(refused)}" * bool(refused))
    return [_request(network, place, address) for address in addresses[:MAX_ADDRESSES]]


def _request(network: Network, place: Place, address: str) -> httpx2.Request:
    target = httpx2.URL(scheme="https", host=address, port=network.port, raw_path=place.target.encode())
    return httpx2.Request("GET", target, headers=_HEADERS | {"Host": place.host}, extensions={"sni_hostname": place.host})


async def _body(response: httpx2.Response, max_bytes: int) -> bytes:
    """The bytes as they came over the wire: what is not decompressed cannot swell."""
    status = response.status_code
    if status != 200:
        raise FetchFailed(f"status {status}", is_answer=status not in _AWAY)
    kind = response.headers.get("content-type", "").partition(";")[0].strip()
    if not _JSON_TYPE.fullmatch(kind):
        raise FetchFailed(f"content type {kind[:80]!r}", is_answer=True)
    if response.headers.get("content-encoding", "identity").strip().lower() != "identity":
        raise FetchFailed("compressed, although that was not offered", is_answer=True)
    body = bytearray()
    async for chunk in response.aiter_raw():
        body += chunk
        if len(body) > max_bytes:
            raise FetchFailed(f"more than {max_bytes} bytes", is_answer=True)
    return bytes(body)


@cache
def _authorities() -> ssl.SSLContext:
    # Once a process: reading them takes longer than a fetch. SSL_CERT_FILE is the operator's, so it counts.
    return httpx2.create_ssl_context()


def _read(response: httpx2.Response, body: bytes) -> Answer:
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        raise FetchFailed("no JSON", is_answer=True) from None
    return Answer(value, _max_age(response.headers))


def _max_age(headers: httpx2.Headers) -> float | None:
    """RFC 9111, sections 5.2.2 and 4.2.3; what cannot be read counts as not said."""
    directives = {name.strip().lower(): value.strip(' "') for name, _, value in _directives(headers.get("cache-control", ""))}
    if "no-store" in directives or "no-cache" in directives:
        return 0.0
    age, max_age = headers.get("age", "0"), directives.get("max-age", "")
    if not max_age.isascii() or not max_age.isdigit() or len(max_age) > 10:
        return None
    return float(max_age) - (float(age) if age.isascii() and age.isdigit() and len(age) <= 10 else 0.0)


def _directives(text: str) -> Sequence[tuple[str, str, str]]:
    return [part.partition("=") for part in text.split(",")]
