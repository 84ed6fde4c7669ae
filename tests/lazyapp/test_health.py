"""`/livez` and `/readyz` say whether the process runs and whether it can serve."""

import asyncio
from pathlib import Path

import pytest
from httpx2 import ASGITransport, AsyncClient

from lazyapp.app import App
from lazyapp.config import Config
from lazyapp.health import livez, readyz
from lazyapp.settings import Settings


async def ask(app: object) -> tuple[int, dict[str, object]]:
    async with AsyncClient(transport=ASGITransport(app=app), base_url="http://localhost") as client:  # type: ignore[arg-type]
        response = await client.get("/readyz")
        return response.status_code, response.json()


async def test_a_process_that_answers_is_alive() -> None:
    assert await ask(livez()) == (200, {"status": "alive"})


async def test_readiness_follows_the_pings_and_keeps_reasons_to_itself() -> None:
    async def ready() -> dict[str, str | None]:
        return {"Accounts": None}

    async def failing() -> dict[str, str | None]:
        return {"Accounts": "ConnectionError: 10.0.0.3", "Mailer": None}

    async def starting() -> None:
        return None

    assert await ask(readyz(ready)) == (200, {"status": "ready", "failing": []})
    assert await ask(readyz(failing)) == (503, {"status": "failing", "failing": ["Accounts"]})
    assert await ask(readyz(starting)) == (503, {"status": "starting"})


async def test_metrics_and_livez_answer_under_load_and_while_a_service_hangs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """docs/deploy.md, CONTROL_PLANE_ADDR: what is told of a process does not wait for what the process waits for."""
    monkeypatch.setattr("lazyapp.services.PING_WITHIN_S", 600)
    asked, answers, go = asyncio.Event(), asyncio.Event(), asyncio.Event()
    under_way: list[asyncio.Event] = [asyncio.Event() for _ in range(20)]

    async def hang(_: object) -> None:
        asked.set()
        await answers.wait()

    config = Config(name="shop", dependencies=lambda services: services.add(object, object, ping=hang))
    app = App(config, settings=Settings(env="development", root=tmp_path))

    @app.get("/work/{number}")
    async def work(number: int) -> str:
        under_way[number].set()
        await go.wait()
        return "done"

    transport = ASGITransport(app=app)
    async with app.router.lifespan_context(app), AsyncClient(transport=transport, base_url="http://localhost:3000") as client:
        pages = [asyncio.create_task(client.get(f"/work/{number}")) for number in range(len(under_way))]
        readiness = asyncio.create_task(client.get("/readyz"))
        async with asyncio.timeout(60):
            await asyncio.gather(asked.wait(), *(each.wait() for each in under_way))
            assert (await client.get("/metrics")).status_code == 200
            assert (await client.get("/livez")).json() == {"status": "alive"}
            assert not any(task.done() for task in (readiness, *pages))
            answers.set()
            go.set()
            assert (await readiness).json() == {"status": "ready", "failing": []}
            assert {(await page).status_code for page in pages} == {200}
