"""Whether a request was made on this machine, by its owner and nobody else. Rules only.

For what development shows of an application and no stranger may see: `/_lazy` and everything below it. A name in `Host`, the peer's
address and what proxies add are judged together, since each alone can be had by somebody far away.
"""

import re
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any, Final

from lazyapp.settings import LOOPBACK

__all__ = ["is_from_here", "is_of_this_origin", "not_found"]

# Whoever passes a request on says so in one of these: RFC 7239; RFC 9110, section 7.6.3; RFC 8586; and the habits of proxies, CDNs
# and tunnels, which have a name each for whom they speak for. Some write names as CGI does, with underscores.
_PASSED_ON: Final = re.compile(
    rb"(via|cdn-loop|(x-)?forwarded.*|x-original-.*|(cf|tailscale|ngrok|x-envoy|x-amzn)-.*|"
    rb".*(client-?ip|connecting-ip|real-ip|remote-(ip|addr)|user-ip))"
)
_PORT: Final = re.compile(r":\d*$")


def is_from_here(scope: Mapping[str, Any]) -> bool:
    """Whether a request comes from this machine and is meant for it.

    The peer's address alone does not tell: a tunnel connects from here, and so does a browser whose owner reads a page of a
    stranger, which a name that leads to this machine makes this origin (DNS rebinding).
    """
    peer = (scope.get("client") or ("",))[0]
    hosts = [value.decode("latin-1").lower() for name, value in scope["headers"] if name == b"host"]
    # A tunnel may put our own host in the place of its own; then it still tells that it passes somebody else's request on.
    is_passed_on = any(_PASSED_ON.fullmatch(name.lower().replace(b"_", b"-")) for name, _ in scope["headers"])
    if len(hosts) != 1 or peer not in LOOPBACK or is_passed_on:
        return False
    return _PORT.sub("", hosts[0]).removeprefix("[").removesuffix("]") in LOOPBACK


def is_of_this_origin(scope: Mapping[str, Any]) -> bool:
    """Whether no other site sent the request: a browser says whose page asks, and what is no browser says nothing.

    Another port of this machine is another site here: what runs there is not ours to trust. Fetch Metadata Request Headers,
    section 2.4; RFC 6454, section 7.
    """
    told = [(name, value) for name, value in scope["headers"] if name in (b"host", b"origin", b"sec-fetch-site")]
    headers = dict(told)
    # A browser says each once. Of two that differ another reader may have believed the other: RFC 9112, section 3.2.
    if len(headers) != len(told):
        return False
    if headers.get(b"sec-fetch-site", b"none") not in (b"same-origin", b"none"):
        return False
    origin = headers.get(b"origin")
    own = f"{scope.get('scheme', 'http')}://".encode() + headers.get(b"host", b"").lower()
    return origin is None or origin.lower() == own


async def not_found(scope: Mapping[str, Any], send: Callable[[MutableMapping[str, Any]], Awaitable[None]]) -> None:
    """Answer as if nothing were there: whoever may not see it need not learn that it is."""
    body = b"" if scope["method"] == "HEAD" else b"Not Found\n"
    await send({"type": "http.response.start", "status": 404, "headers": [(b"content-type", b"text/plain; charset=utf-8")]})
    await send({"type": "http.response.body", "body": body})
