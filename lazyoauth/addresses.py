"""Where this server lets a stranger send it: which URLs it fetches, and which addresses their hosts may have.

A client's id can be a URL, and whoever sends one makes us ask that host. So the URL is of one plain spelling, and the address must
belong to the public Internet: nothing of our own network, of this machine or of its cloud is ever asked. The rules only; `outbound`
obeys them.
"""

import ipaddress
import re
from typing import NamedTuple

MAX_URL_LENGTH = 1024
# A name with a dot, in lower case, whose last label begins with a letter: 127.1, 2130706433 and 0x7f.1 are addresses to a resolver.
_URL = re.compile(
    r"https://(?P<host>(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?)"
    r"(?P<target>/[A-Za-z0-9._~!$&'()*+,;=:@/%-]+(?:\?[A-Za-z0-9._~!$&'()*+,;=:@/?%-]*)?)"
)
_DOT_SEGMENT = re.compile(r"/(?:\.|%2e){1,2}(?:/|$)", re.IGNORECASE)
_MAX_HOST_LENGTH = 253

# IANA's registry of special-purpose IPv4 addresses (RFC 6890), and multicast. The last one is public by its number and answers
# inside of Azure only, with the secrets of the machine that asks.
_NOT_PUBLIC = tuple(
    ipaddress.IPv4Network(network)
    for network in (
        "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 "
        "192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4 168.63.129.16/32"
    ).split()
)
# RFC 4291, section 2.4: public unicast is 2000::/3. Outside of it lie loopback, mapped and compatible IPv4, NAT64, link-local,
# unique local and multicast; of what is inside, protocol assignments with Teredo, documentation and 6to4 are excepted.
_UNICAST = ipaddress.IPv6Network("2000::/3")
_NOT_UNICAST = tuple(ipaddress.IPv6Network(network) for network in ("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"))


class Place(NamedTuple):
    """A URL that may be asked: the host's name, and the path with its query, both as they were written."""

    host: str
    target: str


def place_of(url: str) -> Place | None:
    """The parts of a URL that may be fetched for a stranger; None for every other.

    `https` at its default port, a host that is a name, a path; no user, fragment, dot segment or backslash. Client ID metadata
    documents (draft-ietf-oauth-client-id-metadata-document, section 3), and narrower: one spelling for one document.
    """
    if len(url) > MAX_URL_LENGTH:
        return None
    parts = _URL.fullmatch(url)
    if parts is None or len(parts["host"]) > _MAX_HOST_LENGTH or _DOT_SEGMENT.search(parts["target"].partition("?")[0]):
        return None
    return Place(parts["host"], parts["target"])


def is_public(address: str) -> bool:
    """Whether an IP address belongs to a host on the public Internet. What is no address is not public."""
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return False
    if isinstance(ip, ipaddress.IPv4Address):
        return ip.is_global and not any(ip in network for network in _NOT_PUBLIC)
    return ip.scope_id is None and ip in _UNICAST and not any(ip in network for network in _NOT_UNICAST)
