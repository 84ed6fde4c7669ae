"""`/livez` and `/readyz` say whether the process runs and whether it can serve."""

from httpx2 import ASGITransport, AsyncClient

from lazyapp.health import livez, readyz


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
