"""`Credential`: what somebody presents to be recognised."""

from collections.abc import Mapping
from dataclasses import dataclass, field

PASSWORD = "password"  # noqa: S105 (the name of a kind, not a secret)


@dataclass(frozen=True, slots=True, repr=False)
class Credential:
    """A name and the proof of it, as they arrived.

    Attributes:
        identifier: who they say they are: a user id, an e-mail address.
        secret: the proof. It appears in no representation and no log.
        kind: "password", or a word that the application's own authenticator understands.
        values: further values of other kinds (a one-time code, an assertion); as secret as the secret.
    """

    identifier: str
    secret: str
    kind: str = PASSWORD
    values: Mapping[str, str] = field(default_factory=dict, hash=False)

    def __repr__(self) -> str:
        names = ", ".join(sorted(self.values))
        secret = f"<{len(self.secret)} characters>"
        return f"Credential(identifier={self.identifier!r}, secret={secret}, kind={self.kind!r}, values=<{names}>)"
