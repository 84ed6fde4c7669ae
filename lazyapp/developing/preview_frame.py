"""The document in which a widget runs: its own HTML, behind the content security policy that its resource asks for.

SEP-1865 (revision 2026-01-26), "UI resource metadata" and "Security implications": a host builds the policy from `_meta.ui.csp` and
allows no more than that. The document has an opaque origin, by the policy's `sandbox` as well as by the frame's, so whoever opens
its address by itself gets no farther. A script of ours comes first in it: it tells the page what the policy has blocked.

State: the last few documents, by an id that nobody can guess; `put` adds one and drops the oldest.
"""

import json
import re
import secrets
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from lazymcp.protocol import APP_MIME_TYPE

ASSETS = Path(__file__).parent / "assets"
SKYBRIDGE_MIME_TYPE = "text/html+skybridge"
KEPT = 16
KEPT_BYTES = 64 * 1024 * 1024

# What could end a source or a directive is no source. W3C CSP Level 3, section 2.3.1.
_SOURCE = re.compile(r"[!-+\--:<-~]{1,255}")
_KEYS = ("connect", "resource", "frame", "base_uri")
_CAMEL = {"connect": "connectDomains", "resource": "resourceDomains", "frame": "frameDomains", "base_uri": "baseUriDomains"}
# After the doctype, so that the page keeps its mode, and before everything else.
_DOCTYPE = re.compile(r"\s*(?:<!--.*?-->\s*)*<!doctype[^>]*>", re.IGNORECASE | re.DOTALL)
# Features that SEP-1865 lets a page ask for, and their names in a permissions policy.
_FEATURES = {"camera": "camera", "microphone": "microphone", "geolocation": "geolocation", "clipboardWrite": "clipboard-write"}


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a resource asks of its host, in one spelling.

    Attributes:
        csp: origins by kind (`connect`, `resource`, `frame`, `base_uri`); None: the resource leaves the policy to the host.
        odd: entries that are no source of a policy, and are left out of it.
        allow: what the frame is allowed, for its attribute `allow`.
    """

    csp: Mapping[str, Sequence[str]] | None
    odd: tuple[str, ...]
    allow: str

    @classmethod
    def of(cls, meta: Mapping[str, Any], *, chatgpt: bool = False) -> "Wanted":
        """Read the `_meta` of a resource: the standard's keys, or ChatGPT's where that is the host and they are there."""
        ui = _dict(meta.get("ui"))
        given = ui.get("csp")
        names: Mapping[str, str] = _CAMEL
        if chatgpt and isinstance(meta.get("openai/widgetCSP"), Mapping):
            given, names = meta["openai/widgetCSP"], {key: f"{key}_domains" for key in _KEYS}
        allow = "; ".join(feature for key, feature in _FEATURES.items() if key in _dict(ui.get("permissions")))
        if not isinstance(given, Mapping):
            return cls(None, (), allow)
        told = {key: list(_texts(given.get(names[key]))) for key in _KEYS}
        odd = tuple(entry for entries in told.values() for entry in entries if not _SOURCE.fullmatch(entry))
        return cls({key: [entry for entry in entries if entry not in odd] for key, entries in told.items()}, odd, allow)

    def policy(self) -> str:
        """The policy for the page. Without `self`: an opaque origin is nobody's own."""
        asked = self.csp or {}
        loaded, none = tuple(asked.get("resource", ())), ("'none'",)
        lines = {
            "default-src": none,
            "script-src": ("'unsafe-inline'", *loaded),
            "style-src": ("'unsafe-inline'", *loaded),
            "img-src": ("data:", *loaded),
            "media-src": ("data:", *loaded),
            "font-src": loaded or none,
            "connect-src": tuple(asked.get("connect", ())) or none,
            "frame-src": tuple(asked.get("frame", ())) or none,
            "object-src": none,
            "base-uri": tuple(asked.get("base_uri", ())) or none,
            "form-action": none,
        }
        return "; ".join(f"{name} {' '.join(sources)}" for name, sources in lines.items())


@dataclass(frozen=True, slots=True)
class Document:
    """A page as it is served to the frame, and its headers."""

    body: bytes
    headers: tuple[tuple[bytes, bytes], ...]


class Frames:
    """The documents that frames may load."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, Document] = OrderedDict()

    def put(self, html: str, policy: str, *, host: str, state: Mapping[str, Any]) -> str:
        """Keep a document; gives its id.

        Args:
            html: of the widget.
            policy: what it may load; "" for no policy.
            host: `standard`, or `openai` for a document that finds `window.openai`.
            state: what `window.openai` holds at the beginning.
        """
        scripts = [_script("preview_frame.js")]
        if host == "openai":
            scripts.append(f"{_script('preview_frame_openai.js')}({_in_script(state)});")
        # Twice: the attribute of the frame holds for the page that we show, this for whoever opens the address by itself.
        lines = ["sandbox allow-scripts allow-forms", "frame-ancestors 'self'", *([policy] if policy else [])]
        headers = (
            (b"content-type", b"text/html; charset=utf-8"),
            (b"content-security-policy", "; ".join(lines).encode("latin-1")),
            (b"cache-control", b"no-store"),
            (b"referrer-policy", b"no-referrer"),
            (b"x-content-type-options", b"nosniff"),
        )
        frame_id = secrets.token_urlsafe(16)
        self._kept[frame_id] = Document(_with_scripts(html, scripts).encode("utf-8", "replace"), headers)
        while len(self._kept) > KEPT or (len(self._kept) > 1 and self._weight() > KEPT_BYTES):
            self._kept.popitem(last=False)
        return frame_id

    def _weight(self) -> int:
        return sum(len(document.body) for document in self._kept.values())

    def get(self, frame_id: str) -> Document | None:
        """The document of this id, while it is kept."""
        return self._kept.get(frame_id)


def problems_of(contents: Mapping[str, Any], wanted: Wanted, *, chatgpt: bool) -> Iterator[str]:
    """What hosts would not take of a resource, each with what to write instead."""
    kind = contents.get("mimeType")
    types = (APP_MIME_TYPE, SKYBRIDGE_MIME_TYPE) if chatgpt else (APP_MIME_TYPE,)
    if kind not in types:
        yield f"The type is {kind!r}; hosts show pages of the type {APP_MIME_TYPE!r} only."
    for entry in wanted.odd:
        yield f"{entry[:100]!r} is no origin, so it is left out of the policy; write https://api.example.com, without a path."


def digest_of(html: str) -> str:
    """Tells two versions of a page apart."""
    return sha256(html.encode("utf-8", "replace")).hexdigest()[:16]


def _with_scripts(html: str, scripts: Sequence[str]) -> str:
    found = _DOCTYPE.match(html)
    at = found.end() if found else 0
    return f"{html[:at]}{''.join(f'<script>{script}</script>' for script in scripts)}{html[at:]}"


@cache
def _script(name: str) -> str:
    """A script of ours as it may stand in a page: it holds nothing that would end it."""
    return (ASSETS / name).read_text(encoding="utf-8").strip().removesuffix(";")


def _in_script(state: Mapping[str, Any]) -> str:
    """JSON that no parser of HTML takes for the end of its script. HTML, section 4.12.1.3."""
    text = json.dumps(state, ensure_ascii=True)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _dict(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _texts(value: Any) -> Iterator[str]:
    yield from (entry for entry in value if isinstance(entry, str)) if isinstance(value, list) else ()
