"""URI templates, both ways: variables to a URI, and a URI back to its variables (RFC 6570, levels 1 to 3).

The RFC says how to expand; matching is ours, and it is the exact reverse: values are percent-decoded once, and as UTF-8. What the
RFC lets expand to the same URI (an empty and a missing path variable, `{a}{b}`) is refused, so that no URI has two readings.
"""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple
from urllib.parse import quote, unquote

from lazymcp.errors import RegistrationError
from lazymcp.uri_match import Literal, Maybe, Step, Variable, divide

__all__ = ["URITemplate"]

# No client needs a longer URI; escaped, for a character may be twelve then.
MAX_URI = 8192

_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_RESERVED = ":/?#[]@!$&'()*+,;="
_TRIPLET = re.compile(r"%([0-9A-Fa-f]{2})")
_STRAY_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
_EXPRESSION = re.compile(r"\{([^{}]*)\}")
_BODY = re.compile(r"([+#./;?&]?)([A-Za-z0-9_]+(?:\.[A-Za-z0-9_]+)*(?:,[A-Za-z0-9_]+(?:\.[A-Za-z0-9_]+)*)*)")


class _Expression(NamedTuple):
    """`{?a,b}`: an operator ("" for none) and the variables it spreads."""

    operator: str
    names: tuple[str, ...]

    @property
    def is_named(self) -> bool:
        return self.operator in {";", "?", "&"}

    @property
    def is_required(self) -> bool:
        return self.operator in {"", "+"}

    @property
    def separator(self) -> str:
        return {"": ",", "+": ",", "#": ",", "?": "&"}.get(self.operator, self.operator)


class URITemplate:
    """A parsed template such as `app://files/{+path}{?rev,raw}`.

    | expression | its value |
    |---|---|
    | `{x}`, `{x,y}` | one path segment or a part of it; required, never empty |
    | `{+x}` | any text, slashes included; required, never empty |
    | `{/x,y}`, `{.x}`, `{;x,y}`, `{?x,y}`, `{&x}`, `{#x}` | optional |

    A value is data, not a path: `%2F..%2F` is decoded to what it says, so check a value before you open a file of that name.
    """

    def __init__(self, template: str) -> None:
        """Parse a template.

        Raises:
            RegistrationError: it is malformed, uses a modifier of level 4 (`:3`, `*`), names a variable twice, or is ambiguous.
        """
        self.template = template
        self._parts = tuple(_parse(template))
        _check(template, self._parts)
        self.variables = tuple(name for part in self._parts if isinstance(part, _Expression) for name in part.names)
        # Most URIs are not of this template, and its beginning tells.
        self._start = self._parts[0] if self._parts and isinstance(self._parts[0], str) else ""
        self._steps = list(_all_steps(self._parts[1:] if self._start else self._parts))

    def __repr__(self) -> str:
        return f"URITemplate({self.template!r})"

    def expand(self, values: Mapping[str, object]) -> str:
        """The URI for these values; None, like a missing key, leaves an optional variable out.

        Raises:
            ValueError: a required value is missing or empty, or a positional one is missing before one that is there.
        """
        return "".join(_expand(part, values) if isinstance(part, _Expression) else part for part in self._parts)

    def match(self, uri: str) -> dict[str, str] | None:
        """The variables in a URI, decoded, without the optional ones it leaves out; None when it is not of this template.

        Query parameters may come in any order; an unknown or repeated one is no match.
        """
        normal = _normalise(uri) if len(uri) <= MAX_URI else None
        if normal is None or not normal.startswith(self._start):
            return None
        found = divide(normal[len(self._start) :], self._steps)
        if found is None:
            return None
        values: dict[str, str] = {}
        texts = iter(found)
        for part in self._parts:
            if isinstance(part, str):
                continue
            if not part.is_named:
                # `names` comes first: zip asks it first, and takes no text too many.
                values.update((name, text) for name, text in zip(part.names, texts, strict=False) if text is not None)
            elif (pairs := _pairs(part, next(texts) or "")) is None:
                return None
            else:
                values |= pairs
        try:
            return {name: unquote(text, errors="strict") for name, text in values.items()}
        except UnicodeDecodeError:
            return None


def _parse(template: str) -> Iterator[str | _Expression]:
    """Literals, in their normal form, and expressions."""
    # Odd places hold what stood in braces.
    for place, text in enumerate(_EXPRESSION.split(template)):
        if place % 2:
            body = _BODY.fullmatch(text)
            if body is None:
                advice = "; for a value with slashes write {+name}" if text.endswith("*") else ""
                raise RegistrationError(f"{{{text}}} in {template!r} is not an expression we know{advice}")
            yield _Expression(body[1], tuple(body[2].split(",")))
        elif text:
            literal = _normalise(text)
            if literal is None or "{" in text or "}" in text:
                raise RegistrationError(f"{text!r} in {template!r} is not a literal of a URI template")
            yield literal


def _check(template: str, parts: tuple[str | _Expression, ...]) -> None:
    expressions = [part for part in parts if isinstance(part, _Expression)]
    names = [name for expression in expressions for name in expression.names]
    if len(set(names)) != len(names):
        raise RegistrationError(f"{template!r} names a variable twice")
    if sum(expression.operator in {"?", "&"} for expression in expressions) > 1:
        raise RegistrationError(f"{template!r} has two query expressions; write {{?a,b}}")
    if any(expression.operator in {"+", "#"} and len(expression.names) > 1 for expression in expressions):
        raise RegistrationError(f"{template!r} spreads two variables that may both hold commas; give each its own expression")
    for part, following in pairwise(parts):
        if isinstance(part, _Expression) and isinstance(following, _Expression) and following.is_required:
            raise RegistrationError(f"{template!r} has two variables with nothing between them")


def _all_steps(parts: tuple[str | _Expression, ...]) -> Iterator[Step]:
    number = 0
    for part, following in zip(parts, (*parts[1:], ""), strict=False):  # no part has no follower
        steps: list[Step] = [Literal(part)] if isinstance(part, str) else _steps(part, following, number)
        number += len(steps)
        yield from steps


def _steps(part: _Expression, following: str | _Expression, number: int) -> list[Step]:
    """The steps that match one expression: a variable for each positional name, or one for all named ones.

    Args:
        following: what comes next.
        number: of the first step.
    """
    many = part.separator if len(part.names) > 1 else ""
    operator = following.operator if isinstance(following, _Expression) else ""
    match part.operator:
        case "":
            # A reserved character that follows is a boundary: inside a value it would have been escaped.
            boundary = operator or str(following)[:1]
            variable = Variable("/?#" + many + (boundary if boundary in _RESERVED else ""), True, operator == ".")
            separated: list[Step] = [Literal(","), variable]
            return [variable, *separated * (len(part.names) - 1)]
        case "+":
            is_closed = operator in {"?", "#"}
            return [Variable("?#" if is_closed else "", True, bool(operator) and not is_closed)]
        case "#" | "?" | "&" | ";":
            closed = {"#": "", "?": "#", "&": "#", ";": "/?#"}[part.operator]
            return [Maybe(number + 3), Literal(part.operator), Variable(closed, False)]
    end = number + 3 * len(part.names)
    return [Maybe(end), Literal(part.operator), Variable("/?#" + many, False)] * len(part.names)


def _expand(part: _Expression, values: Mapping[str, object]) -> str:
    texts = {name: str(values[name]) for name in part.names if values.get(name) is not None}
    if part.is_required and not all(texts.get(name) for name in part.names):
        raise ValueError(f"the URI needs a value for each of {', '.join(part.names)}")
    if not part.is_named and tuple(texts) != part.names[: len(texts)]:
        raise ValueError(f"{', '.join(part.names)} are told apart by place, so an earlier one cannot be left out")
    if not texts:
        return ""
    # The RFC lets `{+x}` pass on the percent triplets it finds in a value; escaping them too is what makes decoding once exact.
    safe = _RESERVED if part.operator in {"+", "#"} else ""
    spread = [(name, quote(text, safe=safe)) for name, text in texts.items()]
    if part.is_named:
        bare = part.operator == ";"
        items = [name if bare and not text else f"{name}={text}" for name, text in spread]
    else:
        items = [text for _, text in spread]
    first = "" if part.is_required else part.operator
    return first + part.separator.join(items)


def _pairs(part: _Expression, text: str) -> dict[str, str] | None:
    pairs: dict[str, str] = {}
    for item in text.split(part.separator) if text else ():
        name, _, value = item.partition("=")
        if name not in part.names or name in pairs:
            return None
        pairs[name] = value
    return pairs


@lru_cache(maxsize=8)  # every template of a server asks for the same one
def _normalise(uri: str) -> str | None:
    """One spelling for all equivalent URIs (RFC 3986, 6.2.2), non-ASCII escaped (RFC 3987, 3.1); None when malformed, too long."""
    if _STRAY_PERCENT.search(uri):
        return None
    try:
        escaped = quote(uri, safe=_RESERVED + "%")
    except UnicodeEncodeError:
        return None
    return None if len(escaped) > MAX_URI else _TRIPLET.sub(lambda triplet: _shortest(triplet[1]), escaped)


def _shortest(digits: str) -> str:
    char = chr(int(digits, 16))
    return char if char in _UNRESERVED else f"%{digits.upper()}"
