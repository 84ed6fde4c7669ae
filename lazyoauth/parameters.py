"""The parameters of an OAuth request, from a query or a form body."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import parse_qsl

from lazyoauth.errors import InvalidRequest

# RFC 8707, section 2: `resource` is the one parameter that may come more than once.
_REPEATABLE = frozenset({"resource"})
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
MAX_FIELDS = 64


@dataclass(frozen=True, slots=True, repr=False)
class Parameters:
    """Names and values, each name once (`resource` aside), empty values left out. It shows names only: values may be secret."""

    single: Mapping[str, str]
    resources: Sequence[str] = ()

    def get(self, name: str) -> str:
        """The value, or "" when it was not sent; RFC 6749, section 3.1: an empty value counts as omitted."""
        return self.single.get(name, "")

    def require(self, name: str) -> str:
        """The value.

        Raises:
            InvalidRequest: it was not sent.
        """
        value = self.get(name)
        if not value:
            raise InvalidRequest(f"{name} is required")
        return value

    def __repr__(self) -> str:
        return f"Parameters({', '.join(sorted(self.single))})"


def parse(encoded: str) -> Parameters:
    """Read `application/x-www-form-urlencoded` text.

    Raises:
        InvalidRequest: a parameter is repeated (RFC 6749, section 3.1), or the text is no form.
    """
    try:
        pairs = parse_qsl(encoded, keep_blank_values=True, strict_parsing=False, errors="strict", max_num_fields=MAX_FIELDS)
    except ValueError as error:
        raise InvalidRequest(f"the parameters must be a form in UTF-8 of at most {MAX_FIELDS} fields") from error
    single: dict[str, str] = {}
    for name, value in pairs:
        if name in single and name not in _REPEATABLE:
            raise InvalidRequest("a parameter is repeated; each may come once")
        if _CONTROL.search(value):
            raise InvalidRequest("a parameter has a control character")
        single[name] = value
    return Parameters(
        {name: value for name, value in single.items() if value and name not in _REPEATABLE},
        tuple(value for name, value in pairs if name == "resource" and value),
    )
