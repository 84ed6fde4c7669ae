"""What parts of `/_lazy` need of the application, and how they answer.

One strict policy for every page: scripts and styles are files of ours, nothing is inline, nothing comes from elsewhere.
"""

from collections.abc import Mapping
from typing import Final
from urllib.parse import parse_qsl

from lazyapp.developing.door import Scope, Send

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)


async def answer(
    scope: Scope,
    send: Send,
    text: str | bytes,
    *,
    status: int = 200,
    media_type: str = "text/html",
    more: Mapping[str, str] | None = None,
) -> None:
    """A whole answer, which nobody keeps; of a HEAD without its body."""
    body = text.encode(errors="replace") if isinstance(text, str) else text
    headers = {
        "content-type": f"{media_type}; charset=utf-8",
        "content-length": str(len(body)),
        "cache-control": "no-store",
        "content-security-policy": POLICY,
        "cross-origin-resource-policy": "same-origin",
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
        **(more or {}),
    }
    raw = [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": status, "headers": raw})
    await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body})


async def is_read(scope: Scope, send: Send) -> bool:
    """Whether a request only reads. Everything else is answered here. RFC 9110, section 15.5.6."""
    if scope["method"] in ("GET", "HEAD"):
        return True
    await answer(
        scope, send, "This address takes GET and HEAD.\n", status=405, media_type="text/plain", more={"allow": "GET, HEAD"}
    )
    return False


def query_of(scope: Scope) -> dict[str, str]:
    """The query's values by their names; of a name that comes twice the last."""
    return dict(parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True, errors="replace", max_num_fields=None))
