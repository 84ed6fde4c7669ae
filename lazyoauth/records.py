"""The plain values of a login, from the request to the grant. They hold what was checked; whoever makes one has checked it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from lazyoauth.redirects import host_of, is_loopback, match


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """An application that asks for access.

    Attributes:
        id: what it calls itself in requests.
        name: for people, cleaned of control characters; may claim anything.
        redirect_uris: what it registered.
        grant_types: `authorization_code`, and `refresh_token` if it may stay connected.
        verified: somebody other than the client itself vouches for the name.
        kind: `dynamic` (it registered itself), `document` (its id is the URL of its metadata) or `registered` (in the settings).
        auth_method: how it proves itself at the token endpoint: `none`, `client_secret` or `private_key_jwt`.
        public: it may also come without proof, because it named `none` besides; ChatGPT's document does.
        uri: its home page, http or https; "" if it names none.
        scopes: what it may be granted; empty for all.
        jwks: its public keys (RFC 7517, section 5), if it gave them.
        jwks_uri: where they are published instead, or "".
    """

    id: str
    name: str
    redirect_uris: Sequence[str]
    grant_types: Sequence[str] = ("authorization_code", "refresh_token")
    verified: bool = False
    kind: str = "dynamic"
    auth_method: str = "none"
    public: bool = False
    uri: str = ""
    scopes: tuple[str, ...] = ()
    jwks: Mapping[str, Any] | None = field(default=None, repr=False)
    jwks_uri: str = ""

    def redirects_to(self, uri: str) -> bool:
        """Whether this redirect URI is one of its own."""
        return any(match(registered, uri) for registered in self.redirect_uris)


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthorizationRequest:
    """A checked request of the authorization endpoint. RFC 6749, section 4.1.1.

    Attributes:
        scope: what would be granted.
        asked_scope: what the client wrote.
    """

    client_id: str
    redirect_uri: str
    scope: str
    asked_scope: str
    resource: str
    code_challenge: str
    state: str = ""

    @property
    def redirect_host(self) -> str:
        """Where the person will be sent."""
        return host_of(self.redirect_uri)

    @property
    def leads_to_this_machine(self) -> bool:
        """Whether any program on the person's own machine could be the one that asks."""
        return is_loopback(self.redirect_uri)


@dataclass(frozen=True, slots=True, kw_only=True)
class Transaction:
    """A login that is under way in one browser.

    Attributes:
        id: names its cookie, so that several can be under way at once.
        browser: SHA-256 of that cookie's value.
        user_id: who signed in, "" before that.
        auth_time: when, in Unix seconds, 0 before that.
        must_ask: the client wants the question put again, whatever was agreed to before.
    """

    id: str
    request: AuthorizationRequest
    browser: str = field(repr=False)
    user_id: str = ""
    auth_time: float = 0
    must_ask: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """What a person approved, as the code and every refresh token of the login carry it. RFC 9700, section 4.14.2.

    Attributes:
        family_id: the login; its row in the store is all that is kept of it.
        jti: which generation of the login carries this.
        asked_scope: what the client first asked for, see `scopes.narrow`.
        auth_time: when the person signed in, Unix seconds.
    """

    family_id: str
    jti: str
    user_id: str
    client_id: str
    scope: str
    asked_scope: str
    resource: str
    auth_time: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    """What an authorization code says: the grant, and what binds the code to the request that it answers."""

    grant: Grant
    redirect_uri: str
    code_challenge: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenResponse:
    """The answer of the token endpoint. RFC 6749, section 5.1."""

    access_token: str = field(repr=False)
    expires_in_s: int
    scope: str
    refresh_token: str = field(repr=False, default="")

    def to_dict(self) -> dict[str, str | int]:
        """The JSON object, without members that have no value."""
        answer: dict[str, str | int] = {
            "access_token": self.access_token,
            "token_type": "Bearer",
            "expires_in": self.expires_in_s,
            "scope": self.scope,
        }
        return answer | ({"refresh_token": self.refresh_token} if self.refresh_token else {})
