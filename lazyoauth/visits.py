"""Visits: who looks at the page of connected applications, sealed into a cookie of their browser.

Before the login a visit is only a token, which the form must bring back; after it, a new one with the user in it. Nothing is kept
here: a visit ends by itself, soon.
"""

import hmac
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field

from joserfc.jwk import OctKey

from lazyoauth import jose
from lazyoauth.errors import ExpiredTransaction
from lazyoauth.lifetimes import Clock

_TYP = "visit+jwt"


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """One person's look at their connections.

    Attributes:
        token: what every form of the page carries.
        user_id: who signed in, "" before that.
        auth_time: when, in Unix seconds, 0 before that.
    """

    token: str = field(repr=False)
    user_id: str = ""
    auth_time: float = 0

    def check(self, token: str) -> None:
        """Check that a form is one of this visit.

        Raises:
            ExpiredTransaction: it is another's, or older.
        """
        if not hmac.compare_digest(token.encode(), self.token.encode()):
            raise ExpiredTransaction("This page has expired. Open it again.", detail="visit")


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Visits:
    """Seals and opens visits of one issuer.

    Attributes:
        secure: whether cookies travel over TLS; only then may their name have the `__Host-` prefix.
    """

    keys: Sequence[OctKey]
    issuer: str
    lifetime_s: int
    secure: bool
    now: Clock

    @property
    def cookie_name(self) -> str:
        """Not one of the names that pending logins have, which are counted."""
        return "__Host-lazyoauth-visit" if self.secure else "lazyoauth-visit"

    def begin(self, user_id: str = "", auth_time: float = 0) -> Visit:
        """A new visit; with a user, after their login."""
        return Visit(token=secrets.token_urlsafe(16), user_id=user_id, auth_time=auth_time)

    def seal(self, visit: Visit) -> str:
        """The value of its cookie."""
        return jose.seal(asdict(visit) | {"iss": self.issuer, "exp": int(self.now()) + self.lifetime_s}, self.keys, _TYP)

    def open(self, cookies: Mapping[str, str]) -> Visit | None:
        """The visit of this browser; None when it has none, or when that is over."""
        try:
            claims = jose.unseal(cookies.get(self.cookie_name, ""), self.keys, _TYP)
            if claims.pop("iss") != self.issuer or claims.pop("exp") <= self.now():
                return None
            return Visit(**claims)
        except (jose.Rejected, TypeError, KeyError):
            # Not ours, or sealed by another version of this server, during a deployment.
            return None
