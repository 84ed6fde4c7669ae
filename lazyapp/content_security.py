"""The content security policy of the application's pages: ours, and the sources that the application adds. W3C CSP Level 3.

A page loads what the application itself serves, and its inline scripts and styles run by their nonce only, so that a text which a
visitor slipped past the escaping still runs nothing.
"""

import difflib
import re
from collections.abc import Mapping, Sequence

from lazyapp.errors import ConfigurationError

NONE, SELF = "'none'", "'self'"
_OURS: Mapping[str, tuple[str, ...]] = {
    "default-src": (SELF,),
    "script-src": (SELF,),
    "style-src": (SELF,),
    "img-src": (SELF, "data:"),
    "object-src": (NONE,),
    "base-uri": (SELF,),
    "form-action": (SELF,),
    "frame-ancestors": (NONE,),
}
# Those that stand for `default-src` until they are named.
_FETCHED = frozenset({"connect-src", "font-src", "frame-src", "manifest-src", "media-src", "worker-src"})
_REPORTS = frozenset({"report-to", "report-uri"})
_WITH_NONCE = frozenset({"script-src", "style-src"})
_SOURCE = re.compile(r"[!-+\--:<-z|~]+")  # visible ASCII but `,` and `;`, which end a source, and braces
_KEYWORD = re.compile(r"(self|none|unsafe-[a-z-]+|strict-dynamic|report-sample|wasm-unsafe-eval|(nonce|sha\d+)-.*)", re.IGNORECASE)


class ContentSecurity:
    """One application's policy.

    Args:
        more: sources by directive, that are allowed besides ours: `{"img-src": ["https://cdn.example.com"]}`.

    Raises:
        ConfigurationError: a directive is not known, or a source is written so that browsers would pass it over.
    """

    def __init__(self, more: Mapping[str, Sequence[str]] | None = None) -> None:
        policy = dict(_OURS)
        for directive, sources in (more or {}).items():
            _check(directive, sources)
        default = (*_OURS["default-src"], *(more or {}).get("default-src", ()))
        for directive, sources in (more or {}).items():
            before = policy.get(directive, default if directive in _FETCHED else ())
            policy[directive] = tuple(dict.fromkeys((*(each for each in before if each != NONE), *sources)))
        self._template = "; ".join(_line(directive, sources) for directive, sources in policy.items())
        self.may_be_framed = policy["frame-ancestors"] != (NONE,)
        self.plain = self._template.format(nonce="").encode()

    def with_nonce(self, nonce: str) -> bytes:
        """The policy of a page whose inline scripts and styles carry a nonce."""
        return self._template.format(nonce=f" 'nonce-{nonce}'").encode()


def _line(directive: str, sources: Sequence[str]) -> str:
    return f"{directive} {' '.join(sources)}{'{nonce}' if directive in _WITH_NONCE else ''}"


def _check(directive: str, sources: Sequence[str]) -> None:
    known = sorted({*_OURS, *_FETCHED, *_REPORTS})
    if directive not in known:
        near = difflib.get_close_matches(directive, known, n=1) or [f"one of {', '.join(known)}"]
        raise _wrong(f" names {directive!r}, which is no directive; write {near[0]}.")
    if isinstance(sources, str):
        raise _wrong(f" gives {directive} a text; write a list: [{sources!r}].")
    for source in sources:
        if _KEYWORD.fullmatch(source):
            raise _wrong(f": {source} in {directive} needs quotes of its own: \"'{source}'\".")
        if source == NONE:
            raise _wrong(f" adds sources to {directive}; 'none' beside others means nothing.")
        if not _SOURCE.fullmatch(source):
            raise _wrong(f": {source!r} in {directive} is not one source; list each by itself.")


def _wrong(what: str) -> ConfigurationError:
    return ConfigurationError(f"Config(content_security=…){what}")
