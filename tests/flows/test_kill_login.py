"""A process that is lost, or a database, at any point of a login: nobody has to begin again."""

import asyncio
import re
from collections import Counter
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx2
import pytest

from tests.flows.authorization import CHALLENGE, VERIFIER, Login, Wire
from tests.flows.browser import Browser
from tests.flows.front import Front
from tests.flows.outage import fragile_postgres
from tests.flows.python_clients import CALLBACK
from tests.flows.serving import PASSWORD, USER, Server, free_port

LOGINS, ROUNDS = 8, 6


def set_tolerance(application: Path, window_s: float, merge_s: float) -> None:
    """Have the application forgive used refresh tokens for so long, whatever it would."""
    settings = application / "init" / "oauth.py"
    text = settings.read_text(encoding="utf-8")
    for name, value in (("refresh_retry_window_s", window_s), ("refresh_burst_merge_s", merge_s)):
        text, found = re.subn(rf"{name}=.*,", f"{name}={value},", text)
        assert found == 1
    settings.write_text(text, encoding="utf-8")


class Walk:
    """One login, step by step, so that something can happen before each."""

    def __init__(self, http: httpx2.AsyncClient, browser: Browser, url: str) -> None:
        self.url, self.browser = url, browser
        self.wire = Wire(http, url)
        self.client_id = self.code = ""
        self.login: Login

    async def register(self) -> None:
        self.client_id = await self.wire.register()

    async def authorize(self) -> None:
        asked = {
            "response_type": "code",
            "client_id": self.client_id,
            "redirect_uri": CALLBACK,
            "code_challenge": CHALLENGE,
            "code_challenge_method": "S256",
            "resource": f"{self.url}/mcp",
            "scope": "mcp offline_access",
        }
        assert (await self.browser.open(f"{self.url}/oauth/authorize?{urlencode(asked)}")).status == 200

    async def log_in(self) -> None:
        assert (await self.browser.submit({"User name": USER, "Password": PASSWORD})).status == 200

    async def consent(self) -> None:
        """The question is looked at once more, as after a pause."""
        assert self.browser.page is not None
        assert "Allow" in (await self.browser.open(self.browser.page.url)).text

    async def agree(self) -> None:
        await self.browser.submit(press="Allow")
        assert self.browser.came_back is not None
        (self.code,) = parse_qs(urlsplit(self.browser.came_back).query)["code"]

    async def exchange(self) -> None:
        grant = {"grant_type": "authorization_code", "code": self.code, "redirect_uri": CALLBACK, "code_verifier": VERIFIER}
        self._keep(await self.wire.token({**grant, "client_id": self.client_id}))

    async def refresh(self) -> None:
        self._keep(await self.wire.refresh(self.login))

    async def call(self) -> None:
        assert (await self.wire.call(self.login.access_token)).json()["result"]["structuredContent"]

    def _keep(self, answer: httpx2.Response) -> None:
        assert answer.status_code == 200, answer.text
        self.login = Login(self.client_id, answer.json()["access_token"], answer.json()["refresh_token"])


@pytest.mark.slow
async def test_before_each_step_of_a_login_the_process_that_served_it_is_killed(postgres_url, tmp_path):
    """Two processes on one PostgreSQL; the state of a login is in the database and in what the client and the browser hold."""
    async with Front() as front, httpx2.AsyncClient(timeout=30) as http, Browser(callback=CALLBACK) as browser:
        environment = {"DATABASE_URL": postgres_url, "PUBLIC_URL": front.url}
        servers = [
            Server(tmp_path / f"{number}.log", environment, options=("--production",), port=free_port()) for number in range(2)
        ]
        with servers[0], servers[1]:
            walk = Walk(http, browser, front.url)
            steps = [
                walk.register,
                walk.authorize,
                walk.log_in,
                walk.consent,
                walk.agree,
                walk.exchange,
                walk.refresh,
                walk.call,
            ]
            await front.lead_to(servers[0].port)
            for number, step in enumerate(steps):
                lost, next_one = servers[number % 2], servers[1 - number % 2]
                lost.kill()
                await front.lead_to(next_one.port)
                restarting = asyncio.create_task(asyncio.to_thread(lost.start))
                await step()
                await restarting
            assert len(steps) == 8
        assert all("Traceback" not in server.log for server in servers)


@pytest.mark.slow
async def test_postgresql_is_restarted_under_load_and_no_login_is_lost(application, tmp_path):
    """503 while it is away, and then everybody goes on: neither an error of ours nor a revocation by mistake.

    With the retry window of production: a commit whose answer was lost is otherwise no different from theft. Without the merging of
    bursts, so that each refresh is a write.
    """
    set_tolerance(application, window_s=30, merge_s=0)
    async with fragile_postgres() as postgres, httpx2.AsyncClient(timeout=60) as http:
        environment = {"DATABASE_URL": postgres.url, "LAZYOAUTH_LIMITS": "tokens=off,logins=off,registrations=off"}
        with Server(tmp_path / "server.log", environment, folder=application) as server:
            wire, seen = Wire(http, server.url), Counter()
            logins = []
            client_id = await wire.register()
            for _ in range(LOGINS):
                async with Browser(callback=CALLBACK) as browser:
                    logins.append(await wire.log_in(client_id, browser))
            over = asyncio.Event()
            users = [asyncio.create_task(use(wire, login, over, seen)) for login in logins]
            for _ in range(ROUNDS):
                await asyncio.sleep(0.3)
                await asyncio.to_thread(postgres.crash)
                await asyncio.to_thread(postgres.recover)
            await asyncio.sleep(0.3)
            over.set()
            await asyncio.gather(*users)
        assert seen.keys() <= {200, 503}, seen
        assert seen[200] > LOGINS * ROUNDS
        assert not re.search("came again|internal error", server.log)


async def use(wire: Wire, login: Login, over: asyncio.Event, seen: Counter[int]) -> None:
    """A client that refreshes and calls for ever; what it is told to try again it tries again with the same token."""
    while not over.is_set() or seen[200] == 0:
        answer = await wire.refresh(login)
        seen[answer.status_code] += 1
        if answer.status_code == 503:
            assert int(answer.headers["retry-after"]) > 0
            await asyncio.sleep(0.05)
            continue
        assert answer.status_code == 200, answer.text
        login = Login(login.client_id, answer.json()["access_token"], answer.json()["refresh_token"])
        called = await wire.call(login.access_token)
        seen[called.status_code] += 1
    for _ in range(200):
        answer = await wire.refresh(login)
        if answer.status_code == 200:
            return
        assert answer.status_code == 503, answer.text
        await asyncio.sleep(0.05)
    raise AssertionError("the database never came back")
