"""A path with parameters, `/accounts/{id}`: matched, filled in and compared. Rules only."""

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlencode

from starlette.routing import compile_path

from lazyapp.errors import LazyappError

_PARAMETER = re.compile(r"\{([A-Za-z_]\w*)(:[A-Za-z_]\w*)?\}")
_IRREGULAR = {"people": "person", "children": "child", "men": "man", "women": "woman", "series": "series", "news": "news"}


class UnknownPath(LazyappError, LookupError):
    """`path_for` was asked for a name that no route has, or without a parameter that the path needs."""


class PathTemplate:
    """A path as FastAPI spells it, with the converters that Starlette knows (`{id:int}`, `{rest:path}`)."""

    def __init__(self, text: str) -> None:
        if "{" in _PARAMETER.sub("", text) or "}" in _PARAMETER.sub("", text):
            raise ValueError(f"the path {text!r} has a brace that belongs to no parameter such as {{id}}")
        self.text = text
        try:
            self._regex, _, _ = compile_path(text)
        except (AssertionError, ValueError) as error:
            raise ValueError(f"the path {text!r} cannot be used: {error}") from None
        # What two templates share when they match the same paths, whatever they call their parameters.
        self.shape = _PARAMETER.sub(lambda found: f"{{{found.group(2) or ''}}}", text)
        self._constants = _PARAMETER.split(text)[::3]
        self._parameters = [(name, converter == ":path") for name, converter in _PARAMETER.findall(text)]

    def matches(self, path: str) -> bool:
        """Whether a decoded path is one of this template."""
        return self._regex.match(path) is not None

    def fill(self, params: Mapping[str, Any]) -> str:
        """The path with every parameter percent-encoded (RFC 3986, section 2.1), the others as its query.

        Raises:
            LookupError: a parameter is missing; the error carries its name.
            ValueError: a value is empty or a dot segment, which would name another path.
        """
        if not params and not self._parameters:
            return self.text
        rest = dict(params)
        parts = [self._constants[0]]
        for (name, takes_slashes), constant in zip(self._parameters, self._constants[1:], strict=True):
            if name not in rest:
                raise LookupError(name)
            parts.append(_segment(name, rest.pop(name), "/" if takes_slashes else ""))
            parts.append(constant)
        query = {key: _word(value) for key, value in rest.items() if value is not None}
        return "".join(parts) + (f"?{urlencode(query, doseq=True)}" if query else "")


def singular(plural: str) -> str:
    """The name of one: `accounts` is `account`, `categories` is `category`; a word it does not know is left as it is."""
    start, _, word = plural.rpartition("_")
    head = f"{start}_" if start else ""
    if word in _IRREGULAR:
        return head + _IRREGULAR[word]
    if word.endswith("ies") and len(word) > 4:
        return f"{head}{word[:-3]}y"
    if re.search(r"(ss|sh|ch|x|z)es$", word) or word in {"statuses", "buses", "aliases"}:
        return head + word[:-2]
    return head + (word[:-1] if word.endswith("s") and not word.endswith("ss") else word)


def _segment(name: str, value: Any, safe: str) -> str:
    text = str(value)
    # RFC 3986, 5.2.4: these are taken out of a path, also percent-encoded, and the link would lead elsewhere.
    if value is None or any(part in ("", ".", "..") for part in (text.split("/") if safe else (text,))):
        raise ValueError(f"{name}={value!r} cannot stand in a path")
    return quote(text, safe=safe)


def _word(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    return [_word(one) for one in value] if isinstance(value, list | tuple) else value
