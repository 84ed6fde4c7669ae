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
        signed_out_at: logins that began before this time (Unix seconds) are over, because the password was changed or the user
            was signed out everywhere; 0 where that never happened.

    Raises:
        MissingUser: the id is blank.
    """

    id: str
    data: Mapping[str, Any] = field(default_factory=dict, hash=False)
    signed_out_at: float = 0.0

    def __post_init__(self) -> None:
        if not self.id.strip():
            raise MissingUser
        object.__setattr__(self, "data", dict(self.data))


@dataclass(frozen=True, slots=True)
class UserRecord:
    """A user as those see them who look after users: disabled ones too, and nobody's password hash."""

    id: str
    data: Mapping[str, Any] = field(default_factory=dict, hash=False)
    disabled: bool = False
    signed_out_at: float = 0.0
