"""`User`: the person or system that a request acts for."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from lazyauth.errors import MissingUser


@dataclass(frozen=True, slots=True)
class User:
    """An id, and whatever the application wants to know about its user.

    Attributes:
        id: stable and never blank; it becomes the subject of tokens.
        data: the application's own (e-mail, tenant, ...), copied when the user is made. lazyauth reads none of it;
            lazyoauth copies `mcps`, the names of the MCP modules the user may use, into the claims of a token.

    Raises:
        MissingUser: the id is blank.
    """

    id: str
    data: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        if not self.id.strip():
            raise MissingUser
        object.__setattr__(self, "data", dict(self.data))
