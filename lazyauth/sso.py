"""`SSO`: people who sign in at another provider, by OpenID Connect. Only this file knows Authlib's Starlette client.

The browser's session holds state, nonce and PKCE verifier from the redirect to the callback, so an answer counts only in the
browser that asked (OpenID Connect Core 1.0, section 15.5.2; RFC 9700, section 4.7). What the provider says is checked before it is
believed: its document is the issuer's own, the ID token is signed by its keys, for us, fresh, and bears our nonce. Who the person
is *here*, and whether they may come in, the application decides.
"""

import inspect
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

from authlib.integrations.starlette_client import OAuth, OAuthError  # type: ignore[import-untyped]
from starlette.requests import Request
from starlette.responses import Response

from lazyauth.errors import SignInFailed
from lazyauth.user import User

logger = logging.getLogger("lazyauth")

Claims = Mapping[str, Any]
UserOf = Callable[[Claims], User | Awaitable[User | None] | None]

TIMEOUT_S = 10.0
LEEWAY_S = 60
_LOOPBACK = ("localhost", "127.0.0.1", "::1")
# Of signatures only those that nobody but the provider can make: no `none`, and no secret that we hold too.
_ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
# Authlib says there at DEBUG which PKCE verifier a sign-in has: no line is worth that, whatever level an application sets.
logging.getLogger("authlib.integrations.base_client.sync_app").addFilter(lambda record: record.levelno > logging.DEBUG)
# Of the provider's document nothing else is used; the rest would reach the HTTP client as settings of its own.
_USED = ("issuer", "authorization_endpoint", "token_endpoint", "jwks_uri", "token_endpoint_auth_methods_supported", "_loaded_at")
_AGAIN = "Try again; if that does not help, tell whoever looks after this site."


class SSO:
    """One provider of an application.

    Args:
        issuer: the provider's issuer identifier, exactly as its document says it.
        client_id: what the provider calls this application.
        client_secret: proves it. It appears in no representation and no log.
        user_of: the user whom these verified claims mean, or None: known there, and not let in here. It may add the user to the
            application's own table; `Config.authenticator` must find whoever it returns.
        label: what the button says.
        scope: what is asked of the provider.

    Raises:
        ValueError: the issuer is no https URL (http is for this machine).
    """

    def __init__(
        self,
        *,
        issuer: str,
        client_id: str,
        client_secret: str,
        user_of: UserOf,
        label: str = "Sign in with your organisation",
        scope: str = "openid email profile",
    ) -> None:
        parts = urlsplit(issuer)
        if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in _LOOPBACK):
            raise ValueError(f"SSO(issuer={issuer!r}) must be an https URL")
        self.label = label
        self._issuer = issuer
        self._client_id = client_id
        self._user_of = user_of
        self._client: Any = OAuth().register(
            name="sso",
            client_id=client_id,
            client_secret=client_secret,
            server_metadata_url=f"{issuer.rstrip('/')}/.well-known/openid-configuration",
            client_kwargs={"scope": scope, "code_challenge_method": "S256", "timeout": TIMEOUT_S},
        )

    def __repr__(self) -> str:
        return f"SSO({self._issuer!r})"

    async def begin(self, request: Request, callback: str) -> Response:
        """Send the browser to the provider.

        Args:
            request: its session (`scope["session"]`) keeps what the callback must match.
            callback: the URL that the provider sends the browser back to, as it is registered there.

        Raises:
            SignInFailed: the provider cannot be reached, or is another than it should be.
        """
        await self._discover()
        response: Response = await self._client.authorize_redirect(request, callback)
        return response

    async def finish(self, request: Request) -> User:
        """The user who comes back from the provider.

        Raises:
            SignInFailed: with a sentence for the person; what exactly was wrong is in the log, without any value of it.
        """
        await self._discover()
        if request.query_params.get("iss", self._issuer) != self._issuer:
            # RFC 9207, section 2.4: the answer of another provider.
            raise SignInFailed(f"The answer came from another provider. {_AGAIN}")
        claims = await self._claims(request)
        user = self._user_of(claims)
        user = await user if inspect.isawaitable(user) else user
        if user is None:
            raise SignInFailed("You are signed in there, and have no account here. Ask whoever looks after this site for one.")
        return user

    async def _claims(self, request: Request) -> Claims:
        expected = {
            "iss": {"essential": True, "value": self._issuer},
            "aud": {"essential": True, "value": self._client_id},
            "exp": {"essential": True},
        }
        try:
            token = await self._client.authorize_access_token(request, claims_options=expected, leeway=LEEWAY_S)
        except OAuthError as error:
            logger.info("single sign-on was not finished: %s", error.error)
            if error.error == "access_denied":
                raise SignInFailed("The provider did not let you in, or you declined.") from None
            if error.error == "mismatching_state":
                raise SignInFailed("This sign-in was begun in another browser, or too long ago. Begin it here again.") from None
            raise SignInFailed(f"The provider answered with an error. {_AGAIN}") from None
        except Exception as error:
            # Untrusted all of it: whatever the provider sends that cannot be read or believed ends here, and is nobody's 500.
            logger.warning("single sign-on failed: %s", type(error).__name__)
            raise SignInFailed(f"What the provider said could not be verified. {_AGAIN}") from None
        if "userinfo" not in token:
            raise SignInFailed(f"The provider did not say who you are. {_AGAIN}")
        claims: Claims = dict(token["userinfo"])
        return claims

    async def _discover(self) -> None:
        """Read the provider's document, once. OpenID Connect Discovery 1.0, section 4.3: it must be the issuer's own."""
        if "_loaded_at" in self._client.server_metadata:
            return
        try:
            found = dict(await self._client.load_server_metadata())
            self._client.server_metadata = {}
            if found.get("issuer") != self._issuer:
                raise ValueError("the document is another issuer's")
            offered = found.get("id_token_signing_alg_values_supported") or ["RS256"]
            algorithms = [name for name in offered if name in _ALGORITHMS] or ["RS256"]
        except Exception as error:
            logger.warning("the document of the provider %s cannot be used: %s", self._issuer, type(error).__name__)
            raise SignInFailed("The provider cannot be reached at the moment. Try again later.") from None
        used = {name: found[name] for name in _USED if name in found}
        self._client.server_metadata = {**used, "id_token_signing_alg_values_supported": algorithms}
