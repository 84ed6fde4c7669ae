"""A client and a person's browser, talking to a real server in this process: what most tests of lazyoauth are made of."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import httpx2
from starlette.types import ASGIApp, Receive, Scope, Send

from lazyauth import Credential, InvalidCredentials, User, current_claims, current_user
from lazyoauth import Config, Server
from lazyoauth.pkce import challenge_of

ISSUER = "https://app.example"
RESOURCE = f"{ISSUER}/mcp"
CALLBACK = "https://client.example/callback"
SECRET = "0123456789abcdef0123456789abcdef"
PASSWORD = "correct horse"
FORM = {"content-type": "application/x-www-form-urlencoded"}


class Clock:
    """A clock that stands still until it is told to move."""

    def __init__(self, now: float = 1_800_000_000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    """The guarded resource: it says who calls."""
    user, claims = current_user(), current_claims()
    text = f"{user.id if user else 'nobody'} {','.join(claims.mcps) if claims else ''}".strip()
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/plain")]})
    await send({"type": "http.response.body", "body": text.encode()})


def mount(server: Server) -> ASGIApp:
    """An application as any ASGI framework would make it: exact paths, the guarded resource, 404 for the rest."""
    table: dict[str, ASGIApp] = {**server.routes, **server.resource_routes, server.config.resource_path: server.guard(echo)}

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        application_for_path = table.get(scope["path"])
        if application_for_path is None:
            await send({"type": "http.response.start", "status": 404, "headers": []})
            await send({"type": "http.response.body", "body": b""})
        else:
            await application_for_path(scope, receive, send)

    return application


class PlainUsers:
    """An application's own authenticator, without the 50 ms that a real one takes; test_server.py has a real one."""

    def __init__(self) -> None:
        self.passwords: dict[str, tuple[User, str]] = {}

    def add(self, user_id: str, password: str, mcps: list[str]) -> None:
        self.passwords[user_id] = (User(user_id, {"mcps": mcps}), password)

    def remove(self, user_id: str) -> None:
        del self.passwords[user_id]

    async def authenticate(self, credential: Credential) -> User:
        user, password = self.passwords.get(credential.identifier, (None, ""))
        if user is None or credential.secret != password:
            raise InvalidCredentials
        return user

    async def find_user(self, user_id: str) -> User | None:
        return self.passwords.get(user_id, (None, ""))[0]


def make_users() -> PlainUsers:
    users = PlainUsers()
    users.add("ada", PASSWORD, ["admin"])
    return users


@dataclass
class Tokens:
    """An answer of the token endpoint."""

    access_token: str
    refresh_token: str
    scope: str
    raw: Mapping[str, Any]


@dataclass
class Journey:
    """One server, seen from outside."""

    server: Server
    http: httpx2.AsyncClient
    users: PlainUsers
    clock: Clock
    client_id: str = ""
    verifier: str = field(default_factory=lambda: secrets.token_urlsafe(32))

    def browser(self) -> "Browser":
        """Another person's browser: its own cookies."""
        return Browser(httpx2.AsyncClient(transport=self.http._transport, base_url=self.server.config.issuer))

    async def register(self, *redirect_uris: str, **more: Any) -> str:
        body = {"client_name": "Test client", "redirect_uris": list(redirect_uris or [CALLBACK]), **more}
        answer = await self.http.post("/oauth/register", json=body)
        assert answer.status_code == 201, answer.text
        self.client_id = answer.json()["client_id"]
        return self.client_id

    def request(self, **changes: str | None) -> dict[str, str]:
        """A good authorization request, with changes; None leaves a parameter out."""
        parameters: dict[str, str | None] = {
            "response_type": "code",
            "client_id": self.client_id,
            "redirect_uri": CALLBACK,
            "code_challenge": challenge_of(self.verifier),
            "code_challenge_method": "S256",
            "state": "st/ate=1&2",
            "scope": "mcp",
            "resource": f"{self.server.config.issuer}/mcp",
            **changes,
        }
        return {name: value for name, value in parameters.items() if value is not None}

    async def code(self, browser: "Browser | None" = None, **changes: str | None) -> str:
        """Everything up to an authorization code."""
        if not self.client_id:
            await self.register()
        browser = browser or self.browser()
        await browser.open("/oauth/authorize", self.request(**changes))
        await browser.log_in()
        return (await browser.decide("allow"))["code"]

    async def token(self, **form: str) -> httpx2.Response:
        """Ask the token endpoint, as this client unless the form says otherwise."""
        return await self.http.post("/oauth/token", data={"client_id": self.client_id, **form})

    async def exchange(self, code: str, **changes: str) -> httpx2.Response:
        form = {"grant_type": "authorization_code", "code": code, "redirect_uri": CALLBACK, "code_verifier": self.verifier}
        return await self.token(**form | changes)

    async def refresh(self, refresh_token: str, **changes: str) -> httpx2.Response:
        return await self.token(**{"grant_type": "refresh_token", "refresh_token": refresh_token, **changes})

    async def login(self, **changes: str | None) -> Tokens:
        """A whole login, to its tokens."""
        return tokens_of(await self.exchange(await self.code(**changes)))

    async def call(self, access_token: str) -> httpx2.Response:
        """Call the guarded resource."""
        return await self.http.post("/mcp", headers={"authorization": f"Bearer {access_token}"})


def tokens_of(answer: httpx2.Response) -> Tokens:
    assert answer.status_code == 200, answer.text
    body = answer.json()
    return Tokens(body["access_token"], body.get("refresh_token", ""), body["scope"], body)


def error_of(answer: httpx2.Response) -> tuple[int, str]:
    """Status and error code, of an answer that must be JSON and must not be cached."""
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["cache-control"] == "no-store"
    return answer.status_code, answer.json()["error"]


class Browser:
    """What a person does, without a script in sight: opens pages, fills the form in front of them, follows redirects by hand."""

    def __init__(self, http: httpx2.AsyncClient) -> None:
        self.http = http
        self.page: httpx2.Response
        self.form: Form

    async def open(self, path: str, parameters: Mapping[str, str] | None = None) -> httpx2.Response:
        self._see(await self.http.get(path, params=parameters))
        return self.page

    async def send(self, values: Mapping[str, str], headers: Mapping[str, str] | None = None) -> httpx2.Response:
        """Send the form of the page, as a browser would."""
        evidence = {"sec-fetch-site": "same-origin", "origin": "null"} if headers is None else headers
        data = {**self.form.values, **values}
        answer = await self.http.post(self.form.action, data=data, headers=evidence)
        if answer.status_code == 303 and answer.headers["location"].startswith("/"):
            return await self.open(answer.headers["location"])
        self._see(answer)
        return answer

    async def log_in(self, username: str = "ada", password: str = PASSWORD) -> httpx2.Response:
        return await self.send({"username": username, "password": password})

    async def decide(self, decision: str) -> dict[str, str]:
        """Answer the consent page; what arrives at the client."""
        answer = await self.send({"decision": decision})
        assert answer.status_code == 303, answer.text
        return arriving(answer)

    def _see(self, page: httpx2.Response) -> None:
        self.page = page
        self.form = Form()
        self.form.feed(page.text)


def arriving(answer: httpx2.Response) -> dict[str, str]:
    """The parameters that a redirect takes to the client, each of them once."""
    pairs = parse_qsl(urlsplit(answer.headers["location"]).query, keep_blank_values=True)
    assert len(pairs) == len(dict(pairs)), "a parameter came twice"
    return dict(pairs)


class Form(HTMLParser):
    """The one form of a page: where it goes, and what is filled in already."""

    def __init__(self) -> None:
        super().__init__()
        self.action = ""
        self.values: dict[str, str] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        if tag == "form":
            self.action = found.get("action") or ""
            assert found.get("method") == "post"
        elif tag == "input" and found.get("name"):
            self.values[str(found["name"])] = found.get("value") or ""


def make_journey(config: Config, users: PlainUsers, clock: Clock) -> Journey:
    server = Server(config)
    transport = httpx2.ASGITransport(app=mount(server))
    return Journey(server, httpx2.AsyncClient(transport=transport, base_url=config.issuer), users, clock)
