"""The login of an AI client in one call: registration, authorization, the person's yes, and the code for tokens.

Each step is the real one, over HTTP in this process, as a client goes it: RFC 9728, RFC 8414, RFC 7591, and RFC 6749 with PKCE,
`resource` and `iss`.
"""

import base64
import hashlib
import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import httpx2

from lazyapp.testing.browser import Browser
from lazyapp.testing.errors import LoginRefused
from lazyapp.testing.page import Page

CALLBACK = "http://localhost:8976/callback"
RESOURCE_DOCUMENT, SERVER_DOCUMENT = "/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-authorization-server"


@dataclass(frozen=True, slots=True)
class Tokens:
    """What a client holds after a login.

    Attributes:
        access_token: the bearer token for `/mcp`.
        refresh_token: good for one `refresh`; "" where none was given.
        scope: what was granted.
        expires_in: seconds that the access token lives.
        client_id: the client's.
    """

    access_token: str = field(repr=False)
    refresh_token: str = field(repr=False)
    scope: str
    expires_in: int
    client_id: str
    _login: "Login" = field(repr=False, compare=False)

    @property
    def claims(self) -> Mapping[str, Any]:
        """What the access token says, its signature not looked at."""
        part = self.access_token.split(".")[1]
        claims: Mapping[str, Any] = json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
        return claims

    async def refresh(self) -> "Tokens":
        """New tokens for the refresh token, which is used up by this.

        Raises:
            LoginRefused: the login is over.
        """
        return await self._login.token(self.client_id, grant_type="refresh_token", refresh_token=self.refresh_token)

    async def revoke(self) -> None:
        """End the login, as a client does that signs out. RFC 7009."""
        await self._login.revoke(self.client_id, self.refresh_token or self.access_token)


@dataclass(frozen=True, slots=True)
class Asked:
    """What a client asks the person for.

    Args:
        client_name: what the client calls itself.
        scopes: what it asks for; None leaves that to the server.
        redirect_uri: where the answer goes; nothing is sent there.
        allow: whether the person says yes.
    """

    client_name: str = "Test client"
    scopes: Sequence[str] | None = None
    redirect_uri: str = CALLBACK
    allow: bool = True


class Login:
    """The way to tokens.

    Args:
        http: sends what the client itself sends.
    """

    def __init__(self, http: httpx2.AsyncClient) -> None:
        self._http = http
        self._server: Mapping[str, Any] = {}
        self._resource = ""

    async def connect(self, asked: Asked, browser: Browser, password: tuple[str, str] | None) -> Tokens:
        """Go the whole way.

        Args:
            asked: what the client asks for.
            browser: the person's, signed in unless a password is given.
            password: the name and the password that the person types.

        Raises:
            LoginRefused: it ended without a token.
        """
        await self._discover()
        client_id = await self._register(asked)
        verifier, state = secrets.token_urlsafe(32), secrets.token_urlsafe(16)
        answer = await self._answer(browser, self._request(asked, client_id, verifier, state), asked, password)
        if answer.get("state") != state or answer.get("iss", self._server["issuer"]) != self._server["issuer"]:
            raise LoginRefused("", f"the answer is not to what was asked: {answer}")
        if "code" not in answer:
            raise LoginRefused(answer.get("error", ""), answer.get("error_description", "the answer has no code"))
        form = {"code": answer["code"], "redirect_uri": asked.redirect_uri, "code_verifier": verifier, "resource": self._resource}
        return await self.token(client_id, grant_type="authorization_code", **form)

    async def token(self, client_id: str, **form: str) -> Tokens:
        """Ask the token endpoint.

        Raises:
            LoginRefused: it refused.
        """
        answer = await self._http.post(self._server["token_endpoint"], data={"client_id": client_id, **form})
        found = answer.json()
        if answer.status_code != 200:
            raise LoginRefused(str(found.get("error", "")), str(found.get("error_description", answer.status_code)))
        return Tokens(
            access_token=found["access_token"],
            refresh_token=found.get("refresh_token", ""),
            scope=found.get("scope", ""),
            expires_in=found["expires_in"],
            client_id=client_id,
            _login=self,
        )

    async def revoke(self, client_id: str, token: str) -> None:
        """Ask the revocation endpoint."""
        answer = await self._http.post(self._server["revocation_endpoint"], data={"client_id": client_id, "token": token})
        answer.raise_for_status()

    async def _discover(self) -> None:
        if self._server:
            return
        resource = await self._http.get(RESOURCE_DOCUMENT)
        server = await self._http.get(SERVER_DOCUMENT)
        for answer in (resource, server):
            if answer.status_code != 200:
                what = f"{answer.request.url} answers {answer.status_code}"
                raise LoginRefused("", f"{what}: are there a Config(oauth=…) and an MCP module?")
        self._resource, self._server = resource.json()["resource"], server.json()

    async def _register(self, asked: Asked) -> str:
        body = {"client_name": asked.client_name, "redirect_uris": [asked.redirect_uri], "token_endpoint_auth_method": "none"}
        answer = await self._http.post(self._server["registration_endpoint"], json=body)
        found = answer.json()
        if answer.status_code != 201:
            raise LoginRefused(str(found.get("error", "")), str(found.get("error_description", answer.status_code)))
        return str(found["client_id"])

    def _request(self, asked: Asked, client_id: str, verifier: str, state: str) -> str:
        digest = hashlib.sha256(verifier.encode()).digest()
        parameters = {
            "response_type": "code",
            "client_id": client_id,
            "redirect_uri": asked.redirect_uri,
            "code_challenge": base64.urlsafe_b64encode(digest).decode().rstrip("="),
            "code_challenge_method": "S256",
            "state": state,
            "resource": self._resource,
            **({} if asked.scopes is None else {"scope": " ".join(asked.scopes)}),
        }
        return f"{self._server['authorization_endpoint']}?{urlencode(parameters)}"

    async def _answer(self, browser: Browser, url: str, asked: Asked, password: tuple[str, str] | None) -> Mapping[str, str]:
        """What arrives at the client when the person has signed in and answered."""
        page = await browser.get(url)
        if password is not None and not page.location:
            page.fill({"username": password[0], "password": password[1]})
            page = await page.press("Sign in")
        if not page.location:
            page = await _decide(page, allow=asked.allow)
        if not page.location.startswith(asked.redirect_uri):
            raise LoginRefused("", f"the login ended at {page!r}, which says: {page.words[:500]}")
        return dict(parse_qsl(urlsplit(page.location).query))


async def _decide(page: Page, *, allow: bool) -> Page:
    forms = [form for form in page.forms if form.has_button("Allow") and form.has_button("Deny")]
    if len(forms) != 1:
        raise LoginRefused("", f"the login came no further than {page!r}, which says: {page.words[:500]}")
    return await page.press("Allow" if allow else "Deny", forms[0])
