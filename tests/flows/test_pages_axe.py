"""The pages of a login and of connected apps in a real browser, judged by axe-core: light and dark, wide and narrow.

WCAG 2.2, levels A and AA. Design, section 5: the pages work without JavaScript.
"""

import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlencode

import httpx2
import pytest
from starlette.types import ASGIApp, Receive, Scope, Send

from lazyoauth import Config, MemoryRefreshTokenStates, RegisteredClient, Server
from tests.flows.looking import Acts, Visit, clean, look, visit
from tests.flows.served import served
from tests.flows.serving import PASSWORD as ADMIN_PASSWORD
from tests.flows.serving import USER as ADMIN
from tests.flows.serving import Server as ServerProcess
from tests.lazyoauth.journey import PASSWORD, SECRET, Browser, Clock, Journey, make_users, mount

LOGIN, CONSENT = "input[type=password]", "button[value=allow]"


def by_keyboard(user: str, password: str) -> Acts:
    """Sign in without a mouse; the first field has the focus."""
    return (("see", "#oauth-username:focus"), ("type", user), ("press", "Tab"), ("type", password), ("press", "Enter"))


class Late:
    """An application that is known only after its address is."""

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self.app(scope, receive, send)


@asynccontextmanager
async def standing_alone() -> AsyncIterator[Journey]:
    """The authorization server with its own layout, on a socket."""
    late, users = Late(), make_users()
    users.add("bob", PASSWORD, [])
    async with served(late) as url:
        config = Config(
            issuer=url,
            refresh_token_states=MemoryRefreshTokenStates(time.time),
            authenticator=users,
            secret=SECRET,
            name="Harbour",
            scopes=("mcp", "notes"),
            scope_texts={"notes": "Read and change your notes"},
            clients=(RegisteredClient(id="desk", name="Harbour Desk", redirect_uris=("https://desk.example/cb",)),),
        )
        server = Server(config)
        late.app = mount(server)
        async with httpx2.AsyncClient(base_url=url) as http:
            yield Journey(server, http, users, Clock())


@asynccontextmanager
async def example_app(folder: Path) -> AsyncIterator[Journey]:
    """The example application as a process; the pages wear its layout."""
    with ServerProcess(folder / "log", {"DATABASE_URL": f"sqlite+aiosqlite:///{folder}/logins.sqlite3"}) as process:
        async with httpx2.AsyncClient(base_url=process.url) as http:
            known: Any = SimpleNamespace(config=SimpleNamespace(issuer=process.url))
            yield Journey(known, http, make_users(), Clock())


async def asking(journey: Journey, name: str, callback: str) -> str:
    """The path to which a client sends a person."""
    await journey.register(callback, client_name=name)
    return f"/oauth/authorize?{urlencode(journey.request(redirect_uri=callback, scope=None))}"


async def visits_of(journey: Journey, user: str, password: str) -> list[Visit]:
    """What a login and the list of connected apps show, and the way through them without a script."""
    plain = await asking(journey, "Notes helper", "https://notes.example/callback")
    login = (*by_keyboard(user, password), ("see", CONSENT))
    apps = (*by_keyboard(user, password), ("see", "button[name=end]"))
    there = ("arrive", "https://notes.example/**")
    return [
        # Somebody else's name, for the next try of that one has to wait.
        visit("login-wrong", plain, *by_keyboard("eve", "wrong"), ("see", "[role=alert]")),
        visit("consent", plain, *login),
        visit("error", "/oauth/authorize?client_id=x", ("see", "[role=alert]")),
        visit("apps", "/oauth/connections", *apps),
        visit("allowed", plain, *login, ("click", CONSENT), there, judged=False, javascript=False),
        visit(
            "ended",
            "/oauth/connections",
            *apps,
            ("click", "button[name=end]"),
            ("see", "[role=status]"),
            judged=False,
            javascript=False,
        ),
    ]


def judge(seen: Sequence[Mapping[str, Any]]) -> Mapping[str, str]:
    """The pages are clean, and say what they should; gives the text of each page."""
    told = clean(seen)
    assert "wrong" in told["login-wrong"]
    assert "unverified" in told["consent"]
    assert told["allowed"] == "arrived"
    assert told["apps"].count("Disconnect\n") + told["apps"].rstrip().endswith("Disconnect") == 2
    assert "Disconnected" in told["ended"]
    return told


async def connect_two(journey: Journey, user: str, password: str) -> None:
    """Two logins, of which one has no name."""
    for name, callback in (("Notes helper", "https://notes.example/callback"), ("", "http://127.0.0.1:8765/cb")):
        await journey.register(callback, client_name=name)
        browser = Browser(httpx2.AsyncClient(base_url=journey.server.config.issuer))
        await browser.open("/oauth/authorize", journey.request(redirect_uri=callback, scope=None))
        await browser.log_in(user, password)
        code = (await browser.decide("allow"))["code"]
        await browser.http.aclose()
        assert (await journey.exchange(code, redirect_uri=callback)).status_code == 200


async def test_the_pages_of_the_package_are_for_everyone(cache: pytest.Cache, tmp_path: Path):
    """WCAG 2.2 A and AA, by axe-core; the keyboard signs in; without JavaScript the same pages come."""
    async with standing_alone() as journey:
        await connect_two(journey, "ada", PASSWORD)
        desk = journey.request(client_id="desk", redirect_uri="https://desk.example/cb", scope=None)
        visits = [
            visit("known", f"/oauth/authorize?{urlencode(desk)}", *by_keyboard("ada", PASSWORD), ("see", CONSENT)),
            visit("apps-none", "/oauth/connections", *by_keyboard("bob", PASSWORD), ("see", "h1:has-text('Connected')")),
        ]
        brand = await asking(journey, "Claude", "https://claude.example/cb")
        local = await asking(journey, "Editor", "http://localhost:7777/cb")
        switch = ("click", "button[value=switch]")
        visits += [
            visit("login", brand, ("see", LOGIN)),
            visit("brand", brand, *by_keyboard("ada", PASSWORD), ("see", CONSENT)),
            visit("local", local, *by_keyboard("ada", PASSWORD), ("see", CONSENT)),
            visit("other", brand, *by_keyboard("ada", PASSWORD), switch, ("see", LOGIN), judged=False, javascript=False),
            visit("apps-login", "/oauth/connections", ("see", LOGIN)),
            *await visits_of(journey, "ada", PASSWORD),
        ]
        told = judge(await look(cache, tmp_path, journey.server.config.issuer, visits))
    assert "unverified" not in told["known"]
    assert "Read and change your notes" in told["consent"]
    assert "not known to belong to Claude" in told["brand"]
    assert "Any program on this computer" in told["local"]
    assert "No application is connected" in told["apps-none"]


async def test_in_the_layout_of_the_example_application_they_are_too(cache: pytest.Cache, tmp_path: Path):
    """The same pages, in the clothes that an application puts on them."""
    async with example_app(tmp_path) as journey:
        await connect_two(journey, ADMIN, ADMIN_PASSWORD)
        judge(await look(cache, tmp_path, journey.server.config.issuer, await visits_of(journey, ADMIN, ADMIN_PASSWORD)))
