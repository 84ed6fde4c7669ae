"""How long each thing lasts."""

from collections.abc import Callable
from dataclasses import dataclass, fields

from lazyoauth.errors import ConfigError

# Unix seconds.
Clock = Callable[[], float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lifetimes:
    """Seconds. Long enough that an AI client's user signs in twice a year, short enough that a lost token dies soon.

    Attributes:
        code_s: authorization code. RFC 6749, section 4.1.2 allows ten minutes at most; clients need seconds.
        access_s: access token. Revocation does not wait for it, the guard asks the store.
        refresh_idle_s: a login that is not used for so long ends.
        refresh_absolute_s: a login ends after so long, used or not.
        transaction_s: how long the login page may stay open.
    """

    code_s: int = 60
    access_s: int = 3600
    refresh_idle_s: int = 30 * 86_400
    refresh_absolute_s: int = 180 * 86_400
    transaction_s: int = 600

    def __post_init__(self) -> None:
        for field in fields(self):
            if getattr(self, field.name) <= 0:
                raise ConfigError(f"lazyoauth.Lifetimes.{field.name} must be positive")
