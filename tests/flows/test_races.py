"""Many refreshes with one token at the same moment, through HTTP."""

import asyncio
from collections import Counter

import httpx2

from tests.flows.authorization import Login, Wire
from tests.flows.browser import Browser
from tests.flows.python_clients import CALLBACK
from tests.flows.serving import Server

FAMILIES, AT_ONCE = 20, 40
NO_LIMITS = "registrations=off,tokens=off,logins=off"


async def test_of_forty_refreshes_with_one_token_exactly_one_succeeds(database_url, tmp_path):
    """Issue 2: strict mode; the losers end the family, so even the winner's successor is dead."""
    environment = {"DATABASE_URL": database_url, "LAZYOAUTH_LIMITS": NO_LIMITS}
    limits = httpx2.Limits(max_connections=AT_ONCE)
    with Server(tmp_path / "server.log", environment) as server:
        async with httpx2.AsyncClient(timeout=60, limits=limits) as http, Browser(callback=CALLBACK) as browser:
            client = Wire(http, server.url)
            client_id = await client.register()
            for _ in range(FAMILIES):
                await race(client, await client.log_in(client_id, browser))
    assert "Traceback" not in server.log


async def race(client: Wire, login: Login) -> None:
    answers = await asyncio.gather(*(client.refresh(login) for _ in range(AT_ONCE)))
    assert Counter(answer.status_code for answer in answers) == {200: 1, 400: AT_ONCE - 1}
    assert {answer.json()["error"] for answer in answers if answer.status_code == 400} == {"invalid_grant"}
    (winner,) = (answer.json() for answer in answers if answer.status_code == 200)
    successor = Login(login.client_id, winner["access_token"], winner["refresh_token"])
    assert (await client.refresh(successor)).json()["error"] == "invalid_grant"
    assert (await client.call(successor.access_token)).status_code == 401
