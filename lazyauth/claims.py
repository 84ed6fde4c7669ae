"""`Claims`: what a validated token says. Validation is lazyoauth's; here nothing is checked, only read."""

from collections.abc import Mapping
from typing import Any


class Claims:
    """A read-only view of the claims of a token that has been verified.

    The four that are asked for at every call are taken out once, when the view is made.

    Attributes:
        subject: the user's id, claim `sub`.
        client_id: the OAuth client that holds the token, or "".
        scopes: claim `scope` (RFC 8693, section 4.2: separated by spaces).
        mcps: claim `mcps`, a list or a string separated by spaces: the MCP modules this token opens; ("*",) is all of them.
            Absent or of any other shape is none.
    """

    __slots__ = ("_values", "client_id", "mcps", "scopes", "subject")

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = dict(values)
        self.subject = str(values.get("sub", ""))
        self.client_id = str(values.get("client_id", ""))
        self.scopes = frozenset(_words(values.get("scope")))
        self.mcps = _words(values.get("mcps"))

    def get(self, name: str, default: Any = None) -> Any:
        """One claim by its name in the token."""
        return self._values.get(name, default)

    def has_scope(self, scope: str) -> bool:
        """Whether the token carries this scope, exactly."""
        return scope in self.scopes

    def as_dict(self) -> dict[str, Any]:
        """All claims, in a dictionary of your own."""
        return dict(self._values)

    def __repr__(self) -> str:
        return f"Claims(subject={self.subject!r}, client_id={self.client_id!r}, scopes={sorted(self.scopes)!r}, mcps={self.mcps!r})"


def _words(value: object) -> tuple[str, ...]:
    """The words of a list or of a string separated by spaces; of anything else, none: a malformed claim opens nothing."""
    if isinstance(value, str):
        return tuple(value.split())
    if isinstance(value, (list, tuple)):
        return tuple(word for word in value if isinstance(word, str) and word)
    return ()
