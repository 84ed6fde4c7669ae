"""The tokens of one issuer: access token (RFC 9068), refresh token, authorization code.

For each kind there is one function that makes it and one that reads it. Reading pins the key, `alg`, `typ`, `iss`, `aud` and `exp`
of that kind, so no token passes for another. Whether its login is still alive is the store's to say.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lazyoauth import jose, jti, resources
from lazyoauth.errors import InvalidGrant, InvalidToken
from lazyoauth.keys import Keys
from lazyoauth.lifetimes import Clock, Lifetimes
from lazyoauth.records import Code, Grant

ACCESS, REFRESH, CODE = "at+jwt", "rt+jwt", "code+jwt"
# Processes may disagree about the time, but not by more than this.
MAX_FUTURE_S = 60
# Claims with a meaning of their own, which an application's extra claims never replace. RFC 9068, section 2.2.
RESERVED = frozenset({"iss", "sub", "aud", "client_id", "iat", "exp", "nbf", "jti", "scope", "fid", "auth_time", "cnf"})


@dataclass(frozen=True, slots=True, repr=False)
class Tokens:
    """Makes and reads tokens for one issuer and its resource."""

    keys: Keys
    issuer: str
    resource: str
    lifetimes: Lifetimes
    now: Clock

    def issue_access(self, grant: Grant, scope: str, extra: Mapping[str, Any], token_id: str) -> str:
        """An access token. RFC 9068, section 2; `fid` is the family, by which the guard notices a revoked login.

        Section 2.2.1: `auth_time` only where a person signed in.
        """
        now = int(self.now())
        claims = {name: value for name, value in extra.items() if name not in RESERVED} | {
            "iss": self.issuer,
            "sub": grant.user_id,
            "aud": grant.resource,
            "client_id": grant.client_id,
            "iat": now,
            "exp": now + self.lifetimes.access_s,
            "jti": token_id,
            "scope": scope,
            "fid": grant.family_id,
        }
        claims |= {"auth_time": grant.auth_time} if grant.auth_time else {}
        return jose.sign_public(claims, self.keys.signing, ACCESS)

    def verify_access(self, token: str) -> dict[str, Any]:
        """The claims of an access token for our resource.

        Raises:
            InvalidToken: it is not ours, not for this resource, or over. RFC 9068, section 4.
        """
        try:
            claims = jose.verify_public(token, self.keys.verifying, ACCESS)
            self._check(claims, ("sub", "aud", "client_id", "jti", "scope", "fid"))
        except jose.Rejected as error:
            raise InvalidToken("the access token is expired or was not issued here", detail=str(error)) from error
        # RFC 8707, section 2.2: a token for another resource is worth nothing here, and a list may hide a foreign member.
        if not resources.same(claims["aud"], self.resource):
            raise InvalidToken("the access token is meant for another resource")
        return claims

    def issue_refresh(self, grant: Grant, family_expires_at: float) -> str:
        """A refresh token: a function of the grant and of the store's row alone, so every process would make the same one."""
        issued = int(jti.issued(grant.jti) or self.now())
        expires_at = int(min(issued + self.lifetimes.refresh_idle_s, family_expires_at))
        return jose.sign_internal(self._envelope(grant, issued, expires_at), self.keys.refresh, REFRESH)

    def verify_refresh(self, token: str) -> Grant:
        """The grant of a refresh token.

        Raises:
            InvalidGrant: it is not ours, or over.
        """
        try:
            claims = jose.verify_internal(token, self.keys.refresh, REFRESH)
            return self._grant(claims)
        except jose.Rejected as error:
            raise InvalidGrant("the refresh token is expired or was not issued here", detail=str(error)) from error

    def issue_code(self, code: Code) -> str:
        """An authorization code, which nobody but us can read."""
        now = int(self.now())
        claims = self._envelope(code.grant, now, now + self.lifetimes.code_s)
        return jose.seal(claims | {"redirect_uri": code.redirect_uri, "challenge": code.code_challenge}, self.keys.code, CODE)

    def verify_code(self, token: str) -> Code:
        """What an authorization code says.

        Raises:
            InvalidGrant: it is not ours, or over.
        """
        try:
            claims = jose.unseal(token, self.keys.code, CODE)
            grant = self._grant(claims, "redirect_uri", "challenge")
        except jose.Rejected as error:
            raise InvalidGrant("the code is expired or was not issued here", detail=str(error)) from error
        return Code(grant=grant, redirect_uri=claims["redirect_uri"], code_challenge=claims["challenge"])

    def _envelope(self, grant: Grant, issued: int, expires_at: int) -> dict[str, Any]:
        claims = {
            "iss": self.issuer,
            "sub": grant.user_id,
            "aud": self.issuer,
            "client_id": grant.client_id,
            "fid": grant.family_id,
            "jti": grant.jti,
            "iat": issued,
            "exp": expires_at,
            "scope": grant.scope,
            "resource": grant.resource,
            "auth_time": grant.auth_time,
            "v": 1,
        }
        return claims if grant.asked_scope == grant.scope else claims | {"asked": grant.asked_scope}

    def _grant(self, claims: dict[str, Any], *more: str) -> Grant:
        claims.setdefault("asked", claims.get("scope"))
        self._check(claims, ("sub", "aud", "client_id", "jti", "scope", "fid", "resource", "asked", *more))
        if claims["aud"] != self.issuer or type(claims.get("auth_time")) not in (int, float) or claims.get("v") != 1:
            raise jose.Rejected("not addressed to this issuer, or of another version")
        return Grant(
            family_id=claims["fid"],
            jti=claims["jti"],
            user_id=claims["sub"],
            client_id=claims["client_id"],
            scope=claims["scope"],
            asked_scope=claims["asked"],
            resource=claims["resource"],
            auth_time=claims["auth_time"],
        )

    def _check(self, claims: Mapping[str, Any], texts: tuple[str, ...]) -> None:
        """Issuer, times and the shape of the members that are read later."""
        now = self.now()
        issued, expires_at = claims.get("iat"), claims.get("exp")
        if claims.get("iss") != self.issuer:
            raise jose.Rejected("another issuer")
        if type(expires_at) is not int or type(issued) is not int or now >= expires_at or issued > now + MAX_FUTURE_S:
            raise jose.Rejected("expired, or from the future")
        if not all(isinstance(claims.get(name), str) for name in texts):
            raise jose.Rejected("a claim is missing")
