"""What can go wrong in the authorization server, each case with the form it takes on the wire.

The message is for the peer: it names the rule that was broken and nothing that we hold. `detail` is for the log.
"""

from collections.abc import Mapping


class ConfigError(Exception):
    """A setting of `lazyoauth.Config` that cannot work; the message is one sentence that says what to set."""


class OAuthError(Exception):
    """Base of all protocol errors. RFC 6749, sections 4.1.2.1 and 5.2."""

    code = "server_error"
    status = 500

    def __init__(self, message: str, *, detail: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.detail = detail

    def to_dict(self) -> dict[str, str]:
        """The JSON object of RFC 6749, section 5.2."""
        return {"error": self.code, "error_description": self.message}

    def headers(self) -> Mapping[str, str]:
        """Response headers that belong to this error."""
        return {}


class InvalidRequest(OAuthError):
    """A parameter is missing, repeated or malformed. RFC 6749, section 5.2."""

    code, status = "invalid_request", 400


class RequestTooLarge(InvalidRequest):
    """The body is larger than this endpoint reads."""

    status = 413


class RequestTimeout(InvalidRequest):
    """The body does not arrive. RFC 9110, section 15.5.9."""

    status = 408


class InvalidClient(OAuthError):
    """The client is unknown or did not prove who it is; AI clients register again on this code. RFC 6749, section 5.2."""

    code, status = "invalid_client", 401


class InvalidGrant(OAuthError):
    """The code or refresh token is unknown, expired, used or another client's. RFC 6749, section 5.2."""

    code, status = "invalid_grant", 400


class UnauthorizedClient(OAuthError):
    """The client may not use this grant. RFC 6749, section 5.2."""

    code, status = "unauthorized_client", 400


class UnsupportedGrantType(OAuthError):
    """A grant other than those in our metadata. RFC 6749, section 5.2."""

    code, status = "unsupported_grant_type", 400


class UnsupportedResponseType(OAuthError):
    """A response type other than `code`. RFC 6749, section 4.1.2.1."""

    code, status = "unsupported_response_type", 400


class InvalidScope(OAuthError):
    """A refresh asked for more than was granted. RFC 6749, section 6."""

    code, status = "invalid_scope", 400


class InvalidTarget(OAuthError):
    """The resource is not ours, or not the one that was approved. RFC 8707, section 2."""

    code, status = "invalid_target", 400


class LoginRequired(OAuthError):
    """The client wants no page to be shown, and without one nobody can sign in. OpenID Connect Core, section 3.1.2.6."""

    code, status = "login_required", 400


class AccessDenied(OAuthError):
    """The person said no. RFC 6749, section 4.1.2.1."""

    code, status = "access_denied", 403


class InvalidToken(OAuthError):
    """The bearer token is malformed, expired, revoked or meant for another resource. RFC 6750, section 3.1."""

    code, status = "invalid_token", 401


class InvalidRedirectURI(OAuthError):
    """No redirect URI of a registration can be accepted. RFC 7591, section 3.2.2."""

    code, status = "invalid_redirect_uri", 400


class InvalidClientMetadata(OAuthError):
    """A registration cannot be understood. RFC 7591, section 3.2.2."""

    code, status = "invalid_client_metadata", 400


class TemporarilyUnavailable(OAuthError):
    """Nothing is known at the moment, because a store or an authenticator is away; trying again may work."""

    code, status = "temporarily_unavailable", 503

    def __init__(self, message: str, *, detail: str = "", retry_after_s: int = 5) -> None:
        super().__init__(message, detail=detail)
        self.retry_after_s = retry_after_s

    def headers(self) -> Mapping[str, str]:
        return {"Retry-After": str(self.retry_after_s)}


class TooManyRequests(TemporarilyUnavailable):
    """A limit is used up. RFC 6585, section 4, in the JSON shape that OAuth clients can read."""

    status = 429


class UntrustedRedirect(OAuthError):
    """The client or its redirect URI cannot be trusted, so the person sees a page and nobody is redirected.

    RFC 6749, section 4.1.2.1: the authorization server must not redirect to an invalid redirection URI.
    """

    code, status = "invalid_request", 400


class Forbidden(OAuthError):
    """A form came without evidence that our own page in this browser sent it."""

    code, status = "access_denied", 403


class ExpiredTransaction(OAuthError):
    """The login page was left open too long, belongs to another browser, or was answered already."""

    code, status = "invalid_request", 400
