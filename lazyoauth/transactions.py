"""Pending logins: what a login page must remember, sealed into the page itself and bound to the browser that opened it.

The seal is useless without the cookie of the same transaction, so a page that an attacker opened cannot be completed in another
browser, nor a victim's consent be spent on the attacker's account. Each transaction has its own cookie: two tabs can log in at
once. After the password the transaction is sealed anew with the user in it and the cookie gets a new value; what was known before
the login opens nothing after it.
"""

import hmac
import secrets
from base64 import urlsafe_b64encode
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from hashlib import sha256

from joserfc.jwk import OctKey

from lazyoauth import jose, trace
from lazyoauth.errors import ExpiredTransaction
from lazyoauth.lifetimes import Clock
from lazyoauth.records import AuthorizationRequest, Transaction

_TYP = "transaction+jwt"
_EXPIRED = "This sign-in page has expired or was opened in another browser. Go back to the application and connect again."


@dataclass(frozen=True, slots=True, repr=False)
class Transactions:
    """Seals and opens transactions of one issuer.

    Attributes:
        secure: whether cookies travel over TLS; only then may their name have the `__Host-` prefix (RFC 6265bis, section 4.1.3.2).
    """

    keys: Sequence[OctKey]
    issuer: str
    lifetime_s: int
    secure: bool
    now: Clock

    def begin(self, request: AuthorizationRequest, *, must_ask: bool = False) -> tuple[Transaction, str]:
        """A new transaction, and the value for its cookie."""
        secret = secrets.token_urlsafe(16)
        return Transaction(id=secrets.token_urlsafe(6), request=request, browser=_digest(secret), must_ask=must_ask), secret

    def sign_in(self, transaction: Transaction, user_id: str, auth_time: float | None = None) -> tuple[Transaction, str]:
        """The same transaction with a user in it, and the new value for its cookie. They signed in then, or just now."""
        secret = secrets.token_urlsafe(16)
        when = self.now() if auth_time is None else auth_time
        return replace(transaction, user_id=user_id, auth_time=when, browser=_digest(secret)), secret

    def seal(self, transaction: Transaction) -> str:
        """The text that the page carries."""
        claims = asdict(transaction) | {"iss": self.issuer, "exp": int(self.now()) + self.lifetime_s}
        return jose.seal(claims, self.keys, _TYP)

    def open(self, sealed: str, cookies: Mapping[str, str]) -> Transaction:
        """The transaction of a page, if this browser opened it.

        Raises:
            ExpiredTransaction: it is over, not ours, or another browser's.
        """
        try:
            claims = jose.unseal(sealed, self.keys, _TYP)
        except jose.Rejected as error:
            raise ExpiredTransaction(_EXPIRED, detail=str(error)) from error
        if claims.pop("iss") != self.issuer or claims.pop("exp") <= self.now():
            raise ExpiredTransaction(_EXPIRED, detail="another issuer, or too old")
        try:
            transaction = Transaction(**claims | {"request": AuthorizationRequest(**claims["request"])})
        except TypeError as error:
            # Sealed by another version of this server, during a deployment.
            raise ExpiredTransaction(_EXPIRED, detail="of another shape") from error
        secret = cookies.get(self.cookie_name(transaction), "")
        if not hmac.compare_digest(_digest(secret), transaction.browser):
            raise ExpiredTransaction(_EXPIRED, detail="another browser, or answered already")
        trace.about(transaction.request.client_id)
        return transaction

    def cookie_name(self, transaction: Transaction) -> str:
        """The name of a transaction's cookie."""
        return f"{self.cookie_prefix}{transaction.id}"

    @property
    def cookie_prefix(self) -> str:
        """How the names of all transactions' cookies begin."""
        return "__Host-lazyoauth_" if self.secure else "lazyoauth_"


def _digest(secret: str) -> str:
    return urlsafe_b64encode(sha256(secret.encode()).digest()).decode().rstrip("=")
