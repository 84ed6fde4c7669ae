"""The headers that repeat the body, so that proxies can route without reading it: here they are held against it, and made of it.

Whoever trusted a header that the body contradicts has been lied to, so such a request is refused (MCP 2026-07-28,
basic/transports/streamable-http, "Header validation").
"""

import base64
import binascii
from collections.abc import Iterable, Mapping
from typing import Any, Final

from lazymcp.errors import HeaderMismatch
from lazymcp.gate import Headers

__all__ = ["check_duplicates", "check_routing", "decode", "encode"]

_START: Final = b"=?base64?"
_END: Final = b"?="
_BLANKS: Final = b" \t"


def check_routing(headers: Headers, version: str, method: str, params: Mapping[str, Any], routed_by: str) -> None:
    """Compare the version, the method and the name.

    Args:
        version: from the body's `_meta`.
        method, params: from the body.
        routed_by: the param that `Mcp-Name` must repeat; "" for methods without one.

    Raises:
        HeaderMismatch: a header is missing, different or undecodable.
    """
    if headers.get(b"mcp-protocol-version") != version.encode():
        _compare(headers, "MCP-Protocol-Version", version)
    if headers.get(b"mcp-method") != method.encode():
        _compare(headers, "Mcp-Method", method)
    if routed_by:
        _compare_name(headers, params.get(routed_by))


def check_duplicates(raw: Iterable[tuple[bytes, bytes]]) -> None:
    """Refuse a routing header that stands twice: two readers could each take another one."""
    seen = set()
    for name, _ in raw:
        if name.startswith(b"mcp-") and name in seen:
            raise HeaderMismatch(f"the header {name.decode('latin-1')} stands twice")
        seen.add(name)


def _compare(headers: Headers, header: str, expected: str) -> None:
    value = headers.get(header.lower().encode())
    if value is None:
        raise HeaderMismatch(f"the header {header} is missing; it must repeat {expected[:100]!r} from the body")
    # RFC 9110, section 5.5: blanks around a value are not part of it, and not every server takes them away.
    if value.strip(_BLANKS) != expected.encode():
        raise HeaderMismatch(f"the header {header} differs from the body, which says {expected[:100]!r}")


def _compare_name(headers: Headers, name: object) -> None:
    value = headers.get(b"mcp-name")
    if not isinstance(name, str):
        # The method will say what is wrong with its params; the header must not pretend to know.
        if value is not None:
            raise HeaderMismatch("the header Mcp-Name names what the body does not")
        return
    if value == name.encode() and not value.startswith(_START):
        return
    if value is None:
        raise HeaderMismatch(f"the header Mcp-Name is missing; it must repeat {name[:100]!r} from the body")
    if decode(value.strip(_BLANKS), "Mcp-Name") != name.encode():
        raise HeaderMismatch(f"the header Mcp-Name differs from the body, which says {name[:100]!r}")


def encode(text: str) -> str:
    """A text as it may stand in a header: in base64 where it could not by itself, or would be taken for base64."""
    if text.isascii() and text.isprintable() and text == text.strip() and not text.startswith(_START.decode()):
        return text
    # A lone surrogate, which JSON can say and UTF-8 cannot, goes as a question mark: no header repeats it.
    return f"{_START.decode()}{base64.b64encode(text.encode('utf-8', 'replace')).decode()}{_END.decode()}"


def decode(value: bytes, header: str) -> bytes:
    """The text that a header's value stands for, which is another only between both marks of base64.

    Raises:
        HeaderMismatch: what lies between them is not the base64 of a UTF-8 text.
    """
    if not (value.startswith(_START) and value.endswith(_END) and len(value) >= len(_START) + len(_END)):
        return value
    try:
        decoded = base64.b64decode(value[len(_START) : -len(_END)], validate=True)
        if base64.b64encode(decoded) != value[len(_START) : -len(_END)]:
            raise ValueError("not in its canonical form")
        decoded.decode()
    except (binascii.Error, ValueError):
        raise HeaderMismatch(f"the header {header} is not the base64 of a UTF-8 text") from None
    return decoded
