"""A process that dies between the commit of a rotation and its answer: the worst moment there is for a refresh token."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

import httpx2
import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine

from lazyoauth import jti
from tests.flows.authorization import Login, Wire, after
from tests.flows.browser import Browser
from tests.flows.front import Front
from tests.flows.python_clients import CALLBACK
from tests.flows.serving import Server, free_port
from tests.flows.test_kill_login import set_tolerance

#: What the example sets in production.
MERGE_S = 1
#: An application that dies when the head of a token answer is about to be sent; where its processes should, they are told.
DEADLY = """
import os
import signal


class App(lazyapp.App):
    async def __call__(self, scope, receive, send):
        async def answer(message):
            if scope.get("path") == "/oauth/token" and message["type"] == "http.response.start" and "DIE" in os.environ:
                if os.path.exists(os.environ["DIE"]):
                    os.kill(os.getpid(), signal.SIGKILL)
            await send(message)

        await super().__call__(scope, receive, answer)


app = App("""


class Lost(NamedTuple):
    """A client whose refresh was committed and never answered, at the other process now."""

    wire: Wire
    browser: Browser
    login: Login
    database: str


@asynccontextmanager
async def lost_answer(database: str, application: Path) -> AsyncIterator[Lost]:
    """Two processes of one application on one PostgreSQL; the first has died with the answer."""
    code = application / "init" / "app.py"
    before, found, after_it = code.read_text(encoding="utf-8").partition("app = lazyapp.App(")
    assert found
    code.write_text(before + DEADLY + after_it, encoding="utf-8")
    trigger = application / "die"
    async with Front() as front, httpx2.AsyncClient(timeout=30) as http, Browser(callback=CALLBACK) as browser:
        environment = {"DATABASE_URL": database, "PUBLIC_URL": front.url}
        dying, living = (
            Server(application / f"{number}.log", given, folder=application, options=("--production",), port=free_port())
            for number, given in enumerate([environment | {"DIE": str(trigger)}, environment])
        )
        with dying, living:
            await front.lead_to(dying.port)
            wire = Wire(http, front.url)
            first = await wire.log_in(await wire.register(), browser)
            row = await kept(database)
            assert generation(row) == 1
            # Until then the refresh would belong to the burst that began with the code, and nothing would rotate.
            await asyncio.sleep((jti.issued(row.current_jti) or 0) + MERGE_S + 0.1 - time.time())
            trigger.touch()
            with pytest.raises(httpx2.TransportError):
                await wire.refresh(first)
            assert generation(await kept(database)) == 2, "committed"
            await front.lead_to(living.port)
            yield Lost(wire, browser, first, database)
            dying.kill()
        assert "Traceback" not in living.log


class Row(NamedTuple):
    """The one family of the database."""

    current_jti: str
    revoked: bool


async def kept(database: str) -> Row:
    engine = create_async_engine(database)
    async with engine.connect() as connection:
        row = (await connection.execute(text("SELECT current_jti, revoked FROM lazyoauth_refresh_families"))).one()
    await engine.dispose()
    return Row(*row)


def generation(row: Row) -> int | None:
    return jti.generation(row.current_jti)


@pytest.mark.slow
async def test_a_client_whose_answer_died_with_the_process_goes_on(postgres_url, application):
    """https://github.com/PrefectHQ/fastmcp/issues/4901: it sends its old token again, and every process has the same answer.

    By what the example sets in production.
    """
    async with lost_answer(postgres_url, application) as (wire, _, login, database):
        committed = await kept(database)
        answers = [await wire.refresh(login) for _ in range(2)]
        successors = [after(login, answer) for answer in answers]
        assert len({successor.refresh_token for successor in successors}) == 1
        assert await kept(database) == committed, "the successor is the one that was committed before the process died"
        assert (await wire.call(successors[0].access_token)).status_code == 200
        assert (await wire.refresh(successors[0])).status_code == 200


@pytest.mark.slow
async def test_without_a_window_a_lost_answer_costs_one_login_and_nothing_worse(postgres_url, application):
    """RFC 9700, section 4.14.2; RFC 6749, section 5.2: `invalid_grant`, which clients answer with a new login."""
    set_tolerance(application, window_s=0, merge_s=0)
    async with lost_answer(postgres_url, application) as (wire, browser, login, database):
        for _ in range(2):
            refused = await wire.refresh(login)
            assert (refused.status_code, refused.json()["error"]) == (400, "invalid_grant")
        assert (await kept(database)).revoked
        assert (await wire.call(login.access_token)).status_code == 401
        again = await wire.log_in(login.client_id, browser)
        assert (await wire.call(again.access_token)).status_code == 200
        assert (await wire.refresh(again)).status_code == 200
