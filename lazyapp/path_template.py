"""A path with parameters, `/accounts/{id}`: matched, filled in and compared. Rules only."""

import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote, urlencode

from lazyapp.errors import LazyappError

_PARAMETER = re.compile(r"\{([A-Za-z_]\w*)(?::([A-Za-z_]\w*))?\}", re.ASCII)
# What the router, which is Starlette's, lets each kind of parameter be; a test compares the two.
_KINDS = {
    "str": "[^/]+",
    "path": ".*",
    "int": "[0-9]+",
    "float": r"[0-9]+(?:\.[0-9]+)?",
    "uuid": "[0-9a-fA-F]{8}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{12}",
}
# One value of each kind that no narrower kind takes, and that nobody writes into a path.
_SAMPLES = {
    "str": "\x01",
    "path": "\x01/\x01",
    "int": "90817263544536271809",
    "float": "90817263544536.271809",
    "uuid": "90817263-5445-3627-1809-908172635445",
}
_IRREGULAR = {"people": "person", "children": "child", "men": "man", "women": "woman", "series": "series", "news": "news"}

_IN_IE = frozenset({"movies", "cookies", "zombies", "selfies", "calories", "brownies", "hoodies", "rookies", "genies"})


class UnknownPath(LazyappError, LookupError):
    """`path_for` was asked for a name that no route has, or without a parameter that the path needs."""


class PathTemplate:
    """A path as FastAPI spells it, with the kinds of parameter that its router knows (`{id:int}`, `{rest:path}`).

    Raises:
        ValueError: a brace or a kind is wrong, or a parameter comes twice.
    """

    def __init__(self, text: str) -> None:
        outside = _PARAMETER.sub("", text)
        if "{" in outside or "}" in outside:
            raise ValueError(f"the path {text!r} has a brace that belongs to no parameter such as {{id}}")
        self.text = text
        found = [(name, kind or "str") for name, kind in _PARAMETER.findall(text)]
        names = [name for name, _ in found]
        for name, kind in found:
            if kind not in _KINDS:
                raise ValueError(f"the path {text!r} has a {kind!r} parameter; there are {', '.join(_KINDS)}")
            if names.count(name) > 1:
                raise ValueError(f"the path {text!r} has two parameters {name!r}")
        self._constants = _PARAMETER.split(text)[::3]
        self._parameters = [(name, kind == "path") for name, kind in found]
        kinds = [kind for _, kind in found]
        # What two templates share when they match the same paths, whatever they call their parameters.
        self.shape = _woven(self._constants, [f"{{{kind}}}" for kind in kinds])
        self._sample = _woven(self._constants, [_SAMPLES[kind] for kind in kinds])
        regex = _woven([re.escape(constant) for constant in self._constants], [_KINDS[kind] for kind in kinds])
        self._regex = re.compile(f"{regex}$")

    def matches(self, path: str) -> bool:
        """Whether a decoded path is one of this template."""
        return self._regex.match(path) is not None

    def is_wider_than(self, other: "PathTemplate") -> bool:
        """Whether this one matches whatever the other does, and more: `/notes/{id}` is wider than `/notes/search`."""
        return self.matches(other._sample) and not other.matches(self._sample)

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
    if word.endswith("ies") and len(word) > 4 and word not in _IN_IE:
        return f"{head}{word[:-3]}y"
    if re.search(r"(ss|sh|ch|x|z)es$", word) or word in {"statuses", "buses", "aliases"}:
        return head + word[:-2]
    return head + (word[:-1] if word.endswith("s") and not word.endswith("ss") else word)


def _woven(constants: Sequence[str], between: Sequence[str]) -> str:
    return constants[0] + "".join(part + constant for part, constant in zip(between, constants[1:], strict=True))


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
