"""Which names stand for secrets: of columns, settings, arguments, headers, query parameters, form fields and keys in JSON.

A name is all that there is to judge by, so it is judged broadly: better one harmless `source_key` hidden than one `pin` shown.
It is judged by its words, however these are joined (`api_key`, `apiKey`, `X-Api-Key`), so an `author` is no `auth`.
"""

import re
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import unquote

MASK: Final = "•••"
_DEEP: Final = 30
_CUT: Final = "…"

_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_JOINT: Final = re.compile(r"[^a-z0-9]+")
# Of a secret they tell how many, how long, which kind or when, and whether there is one.
_ABOUT: Final = re.compile(
    r"^(has|is|needs)_|_(at|on|count|s|ms|seconds|minutes|hours|days|time|ttl|age|lifetime|type|method|version|limit|size|length|policy"
    r"|endpoint)$|^(max|min|total|input|output|prompt|completion|cached)(_\w+)?_tokens$"
)
# Everyday words that a secret's word is part of. They are taken out of a name, so that a secret beside them is still found.
_EVERYDAY: Final = re.compile(
    r"(?<![a-z])(?:(?:country|currency|language|lang|locale|state|region|area|postal|post|zip|status|error|exit|return|reason|response"
    r"|http|source|product|item|article|bar|qr|colou?r|airport|station|course|dial|dialling)_?codes?|(?:primary|foreign|sort|public)"
    r"_?keys?|(?:xdg|desktop)_session|hash_?tags?|secretar(?:y|ies)|(?:by|com|tres|over|under)pass)(?![a-z])"
)
# What somebody types to prove who they are.
_TYPED: Final = re.compile(
    r"pass(?:words?|wd|phrases?|codes?|keys?)|secret|token|pass\d*(?:_|$)"
    r"|(?:^|_)(?:pwd|[ht]?otp|pin|cvc|cvv)(?:s|_?codes?|_?numbers?)?\d*(?:_|$)"
)
_HELD: Final = re.compile(
    r"credential|signature|cookie|hash|digest|conninfo|umoptions|authoriz|authentic"
    r"|(?:api|private|signing|encryption|access|ssh)key"
    r"|(?:^|_)(?:keys?|codes?|salts?|sessions?|sessionid|sessiondata)\d*(?:_|$)"
    r"|(?:^|_)o?auth\d*(?:$|_(?:code|data|header|info|key|string|value))"
)
# A password that nobody encoded may hold a `/` or an `@`: up to the first @, and on to the last one before a path.
_PASSWORD_IN_URL: Final = re.compile(r"(://[^:/\s@]*:)[^@\s]+@(?:[^\s/?#]*@)?")
_IN_QUERY: Final = re.compile(r"([?&#]([^=&?#\s]+)=)[^&\s]+")


def is_secret(name: str) -> bool:
    """Whether what bears this name is not shown. Counts and times of secrets (`token_count`, `password_changed_at`) may be."""
    words = _words(name)
    return bool(_TYPED.search(words) or _HELD.search(words))


def is_typed_secret(name: str) -> bool:
    """Whether a form's field of this name is not filled in again: a page is cached and saved.

    Narrower than `is_secret`, for what is not filled in has to be typed once more: the `signature` below a letter, the `code` of an
    article and a `weekly_digest` are.
    """
    return bool(_TYPED.search(_words(name)))


def masked(value: Any, depth: int = 0) -> Any:
    """JSON in which nothing is left that stands under a secret's name, at any depth; what is deeper than 30 is cut.

    Under such a name None stays: it tells that there is no secret.
    """
    if depth > _DEEP:
        return _CUT
    if isinstance(value, Mapping):
        named = ((str(name), each) for name, each in value.items())
        return {name: MASK if each is not None and is_secret(name) else masked(each, depth + 1) for name, each in named}
    if isinstance(value, list | tuple):
        return [masked(each, depth + 1) for each in value]
    return value


def without_passwords(text: str) -> str:
    """A text in which addresses name no password and no secret in their query or fragment. RFC 3986, section 3.2.1."""
    return _IN_QUERY.sub(_masked_parameter, _PASSWORD_IN_URL.sub(rf"\1{MASK}@", text))


def _masked_parameter(found: re.Match[str]) -> str:
    return f"{found[1]}{MASK}" if is_secret(unquote(found[2])) else found[0]


def _words(name: str) -> str:
    """The words of a name, in small letters and joined by underscores; none of one that only tells about a secret."""
    words = _JOINT.sub("_", _CAMEL.sub("_", name).lower()).strip("_")
    return "" if _ABOUT.search(words) else _EVERYDAY.sub("_", words)
