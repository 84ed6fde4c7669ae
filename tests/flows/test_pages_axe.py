"""The pages of a login and of connected apps in a real browser, judged by axe-core: light and dark, wide and narrow.

WCAG 2.2, levels A and AA. Design, section 5: the pages work without JavaScript.
"""

import asyncio
import json
import os
import shutil
import subprocess
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
from tests.flows.node import packages
from tests.flows.served import served
from tests.flows.serving import PASSWORD as ADMIN_PASSWORD
from tests.flows.serving import USER as ADMIN
from tests.flows.serving import Server as ServerProcess
from tests.lazymcp.chromium import find_chromium
from tests.lazyoauth.journey import PASSWORD, SECRET, Browser, Clock, Journey, make_users, mount

PACKAGES = ("axe-core@4.14.1", "playwright-core@1.65.1")
SCRIPT = Path(__file__).with_name("pages_axe.mjs")
RUN_TIMEOUT_S = 300
LOGIN, CONSENT = "input[type=password]", "button[value=allow]"
Acts = Sequence[tuple[str, str]]
Visit = Mapping[str, Any]


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


def visit(name: str, path: str, *acts: tuple[str, str], judged: bool = True, javascript: bool = True) -> Visit:
    """What a person does from a path on, and whether what they see then is judged."""
    return {"name": name, "path": path, "acts": acts, "judged": judged, "javascript": javascript}


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


async def look(cache: pytest.Cache, folder: Path, origin: str, visits: Sequence[Visit]) -> list[dict[str, Any]]:
    """Everything that the browser saw."""
    chromium = find_chromium()
    node, installed = packages(cache, PACKAGES)
    shutil.copy(SCRIPT, installed)
    job = folder / "job.json"
    shots = os.environ.get("LAZYAPP_TEST_SHOTS")  # a folder, for whoever wants to look too
    job.write_text(json.dumps({"chromium": chromium, "origin": origin, "visits": visits, "shots": shots}))
    command = (node, str(installed / SCRIPT.name), str(job))
    process = await asyncio.create_subprocess_exec(*command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        out, complaint = await asyncio.wait_for(process.communicate(), RUN_TIMEOUT_S)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    assert process.returncode == 0, complaint.decode()
    seen: list[dict[str, Any]] = json.loads(out)
    return seen


def judge(seen: Sequence[Mapping[str, Any]]) -> Mapping[str, str]:
    """No violation, no word on the console, nothing wider than the screen; gives the text of each page."""
    for page in seen:
        assert page["faults"] == [], page["name"]
        # The browser itself notes an answer of 400 or 422; that is what such a page is.
        assert [line for line in page["said"] if "the server responded with a status of 4" not in line] == [], page["name"]
    told = {page["name"]: page["text"] for page in seen}
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
