"""lazyapp/developing/all.py: everything below `/_lazy`, for its owner alone, and nothing of it in production."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx2
import pytest

import lazyoauth
from lazyapp.developing.all import developing
from lazyapp.developing.memory import Memory
from tests.lazyapp.developing.panel_site import HTML, application, opened
from tests.lazyapp.developing.test_door import FOREIGN

#: Below each part: pages, files and addresses that are made up.
BELOW = ["", "/", "/x", "/routes", "/errors/abc", "/panel.js"]


def oauth(ctx: Any) -> lazyoauth.Config:
    return lazyoauth.Config(issuer=ctx.settings.public_url, refresh_token_states=lazyoauth.MemoryRefreshTokenStates())


async def parts_of(folder: Path) -> list[str]:
    """The prefixes of all the parts, by the table itself: who adds one has it tested here."""
    async with opened(folder, oauth=oauth) as site:
        door: Any = site.app._web
        found = [prefix for prefix, _ in door._routes]
        assert {*developing(site.app, Memory())} <= {*found}
        return found


async def asked(
    app: Any, paths: list[str], method: str, peer: str = "127.0.0.1", headers: dict[str, str] | None = None
) -> set[Any]:
    """The different answers to requests for each of the paths."""
    transport = httpx2.ASGITransport(app=app, client=(peer, 50000))
    async with httpx2.AsyncClient(transport=transport, base_url="http://localhost:3000") as http:
        answers = [await http.request(method, path, headers={**HTML, **(headers or {})}) for path in paths]
    return {(answer.status_code, answer.text) for answer in answers}


async def test_no_part_is_there_for_a_stranger(tmp_path):
    """docs/panel.md: nothing of the panel, the trace or the preview is reachable from another address: each route."""
    paths = [prefix + below for prefix in await parts_of(tmp_path) for below in BELOW]
    assert {"/_lazy", "/_lazy/logins", "/_lazy/preview", "/_lazy/mcp", "/_lazy/assets/panel.js"} <= {*paths}
    async with opened(tmp_path, oauth=oauth) as site:
        for name, who in FOREIGN.items():
            for method in ("GET", "POST", "DELETE"):
                assert await asked(site.app, paths, method, **who) == {(404, "Not Found\n")}, (name, method)


@pytest.mark.parametrize("env", ["production", "test"])
async def test_outside_development_no_part_is_there_for_anybody(tmp_path, env):
    """docs/panel.md: the same for production; the answer is what the application says of any page that it does not have."""
    paths = [prefix + below for prefix in await parts_of(tmp_path) for below in BELOW]
    app = application(tmp_path, env, mcp=None, oauth=None, dependencies=None)
    async with app.router.lifespan_context(app):
        for method in ("GET", "POST"):
            nowhere, found = await asked(app, ["/nowhere"], method), await asked(app, paths, method)
            assert {status for status, _ in found} == {404}
            assert found == nowhere


LOADED = """
import json, sys
from pathlib import Path
from tests.lazyapp.developing.panel_site import application
from starlette.testclient import TestClient

found = []
for env in ("production", "development"):
    app = application(Path(sys.argv[1]), env, mcp=None, oauth=None)
    with TestClient(app, base_url="http://localhost") as client:
        client.get("/_lazy")
        client.get("/nowhere")
    found.append(sorted(name for name in sys.modules if name.startswith("lazyapp.developing")))
print(json.dumps(found))
"""


def test_production_loads_nothing_of_it_and_development_only_what_it_needs(tmp_path):
    """A reload is to be served within a second; the schemas of the server for agents alone take a good part of one."""
    root = Path(__file__).parents[3]
    done = subprocess.run([sys.executable, "-c", LOADED, str(tmp_path)], cwd=root, capture_output=True, text=True, check=True)
    production, development = json.loads(done.stdout)
    assert production == []
    assert "lazyapp.developing.door" in development
    assert "lazyapp.developing.about" not in development


async def test_outside_development_no_page_of_an_error_leads_there(tmp_path):
    app = application(tmp_path, "test", mcp=None, oauth=None, force_detail_errors=True)
    async with app.router.lifespan_context(app):
        ((status, text),) = await asked(app, ["/books"], "GET")
    assert (status, "RuntimeError" in text, "_lazy" in text) == (500, True, False)


async def test_two_applications_remember_their_own_requests(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    async with opened(tmp_path / "a") as one, opened(tmp_path / "b") as other:
        await one.http.get("/only-here")
        assert "only-here" in await one.page("/_lazy/requests")
        assert "only-here" not in await other.page("/_lazy/requests")


async def test_a_run_that_ends_takes_its_memory_and_its_parts_along(tmp_path):
    async with opened(tmp_path) as site:
        await site.http.get("/only-once")
        app = site.app
    assert app._traced is None
    async with app.router.lifespan_context(app):
        transport = httpx2.ASGITransport(app=app, client=("127.0.0.1", 50000))
        async with httpx2.AsyncClient(transport=transport, base_url="http://localhost:3000") as http:
            answer = await http.get("/_lazy/requests", headers=HTML)
    assert answer.status_code == 200
    assert "only-once" not in answer.text


async def test_middlewares_are_watched_too(tmp_path):
    """What a middleware answers is an answer of the application."""

    def closed(app: Any) -> Any:
        async def answer(scope: Any, receive: Any, send: Any) -> None:
            if scope["type"] == "http" and scope["path"] == "/closed":
                await send({"type": "http.response.start", "status": 418, "headers": []})
                await send({"type": "http.response.body", "body": b""})
            else:
                await app(scope, receive, send)

        return answer

    async with opened(tmp_path, middlewares=[closed]) as site:
        assert (await site.http.get("/closed")).status_code == 418
        page = await site.page("/_lazy/requests")
    assert "/closed" in page
    assert "418" in page
