"""The panel at `/_lazy` in a real browser: judged by axe-core in light and dark, wide and narrow; with and without scripts.

WCAG 2.2, levels A and AA: no violation, no word on the console, none of the content security policy.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest

import lazyoauth
from tests.flows.looking import clean, look, visit
from tests.flows.served import served
from tests.lazyapp.developing.panel_site import HOSTILE, HTML, Site, application


@asynccontextmanager
async def shop(folder: Path, **config: Any) -> AsyncIterator[tuple[str, Site]]:
    """The shop in development on a socket; gives its address too."""
    app = application(folder, **{"oauth": None, **config})
    async with served(app, lifespan="on") as url, httpx2.AsyncClient(base_url=url) as http:
        yield url, Site(app, http)


async def busy(site: Site) -> dict[str, str]:
    """Let everything happen that the panel tells of; gives the addresses of what has one of its own."""
    page = await site.http.get("/books?reset_token=hunter2&page=2", headers=HTML)
    await site.http.post("/books", headers=HTML)
    await site.http.get("/<b>nobody</b>%1b", headers=HTML)
    called = await site.call("tools/call", {"name": "notes.count", "arguments": {"tag": HOSTILE}})
    failure = called["result"]["content"][0]["text"].rpartition("/")[2]
    request_id = page.headers["x-request-id"]
    return {
        "tool-error": f"/_lazy/errors/{failure}",
        "page-error": f"/_lazy/errors/{request_id}",
        "request": f"/_lazy/requests/{request_id}",
    }


async def test_every_page_of_the_panel_is_for_everyone(cache: pytest.Cache, tmp_path: Path):
    """WCAG 2.2 A and AA, by axe-core, however much a stranger has sent."""
    async with shop(tmp_path) as (url, site):
        pages = await busy(site) | {
            "overview": "/_lazy",
            "routes": "/_lazy/routes?method=GET&path=/books/3",
            "mcp": "/_lazy/mcp",
            "services": "/_lazy/services",
            "requests": "/_lazy/requests",
            "errors": "/_lazy/errors",
            "log": "/_lazy/log?level=warning",
            "missing": "/_lazy/nobody",
        }
        told = clean(
            await look(cache, tmp_path, url, [visit(f"panel-{name}", path, ("see", "h1")) for name, path in pages.items()])
        )
    assert "books#show" in told["panel-routes"]
    assert "raise KeyError(tag)" in told["panel-tool-error"]
    assert "notes.count" in told["panel-mcp"]
    assert "hunter2" not in "".join(told.values())


async def test_it_works_without_scripts_and_by_keyboard(cache: pytest.Cache, tmp_path: Path):
    """docs/panel.md: JavaScript is an enhancement only."""
    async with shop(tmp_path) as (url, site):
        await busy(site)
        visits = [
            visit(
                "filtered",
                "/_lazy/requests",
                ("fill", "count"),
                ("press", "Enter"),
                ("see", "text=1 request"),
                judged=False,
                javascript=False,
            ),
            visit(
                "asked",
                "/_lazy/routes",
                ("fill", "/books/7"),
                ("press", "Enter"),
                ("see", "strong"),
                judged=False,
                javascript=False,
            ),
            visit(
                "skipped",
                "/_lazy/log",
                ("press", "Tab"),
                ("see", ".skip:focus"),
                ("press", "Enter"),
                judged=False,
                javascript=False,
            ),
            visit(
                "followed",
                "/_lazy",
                ("click", "a.figure:has-text('error')"),
                ("click", "tbody a >> nth=0"),
                ("see", "h1.wrong"),
                judged=False,
            ),
        ]
        seen = await look(cache, tmp_path, url, visits)
    told = clean(seen)
    assert "notes.count" in told["filtered"]
    assert "books#show" in told["asked"]
    assert seen[2]["url"].endswith("/_lazy/log#main")
    assert "KeyError" in told["followed"]


async def test_scripts_copy_an_error_and_follow_what_happens(cache: pytest.Cache, tmp_path: Path):
    async with shop(tmp_path) as (url, site):
        pages = await busy(site)

        async def ticking() -> None:
            while True:
                await site.http.get("/tick")
                await asyncio.sleep(0.2)

        task = asyncio.create_task(ticking())
        try:
            visits = [
                visit(
                    "copied",
                    pages["tool-error"],
                    ("click", "text=Copy as Markdown"),
                    ("see", "button:has-text('Copied'), textarea:focus"),
                ),
                visit("following", "/_lazy/requests?word=tick", ("click", ".follow input"), ("see", "tbody tr:nth-child(8)")),
            ]
            clean(await look(cache, tmp_path, url, visits))
        finally:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task


async def test_the_logins_of_ai_clients_wear_the_same_look(cache: pytest.Cache, tmp_path: Path):
    def oauth(ctx: Any) -> lazyoauth.Config:
        return lazyoauth.Config(issuer=ctx.settings.public_url, refresh_token_states=lazyoauth.MemoryRefreshTokenStates())

    async with shop(tmp_path, oauth=oauth) as (url, site):
        await site.http.post("/mcp", json={})
        await site.http.get("/oauth/authorize?client_id=nobody")
        await site.http.post("/oauth/token", data={"grant_type": "authorization_code", "code": "x", "client_id": "nobody"})
        visits = [visit("panel-logins", "/_lazy", ("click", "nav >> text=Logins"), ("see", "table"))]
        told = clean(await look(cache, tmp_path, url, visits))
    assert "Call of /mcp" in told["panel-logins"]
