"""Several processes, one family, one PostgreSQL. A short run; `bin/test --races` does a million attempts."""

import pytest

from tests.races.course import RACES, Race, Result, course

PROCESSES, CONCURRENT, ROUNDS = 4, 160, 1


async def run(url: str, store: str, races: tuple[Race, ...], rounds: int) -> list[Result]:
    results = [Result(race) for race in races]
    async with course(url, store, PROCESSES) as running:
        for _ in range(rounds):
            for result in results:
                await running.run(result, CONCURRENT)
    return results


async def test_however_four_processes_race_at_most_one_rotation_wins(postgres_url: str) -> None:
    """RFC 9700, section 4.14.2; RFC 6749, section 4.1.2; https://github.com/keycloak/keycloak/issues/51312."""
    for result in await run(postgres_url, "ours", RACES, ROUNDS):
        assert (result.rounds, result.violations) == (ROUNDS, []), result.race.name
        assert result.attempts >= ROUNDS * CONCURRENT
        assert set(result.winners) <= {0, 1}


@pytest.mark.parametrize("race", [RACES[0], RACES[3]], ids=["refresh", "code"])
async def test_a_store_that_reads_and_then_writes_is_caught(postgres_url: str, race: Race) -> None:
    """The control: races in which everyone wins nothing would be shown by the test above."""
    (result,) = await run(postgres_url, "reads then writes", (race,), 1)
    assert any(winners > 1 for winners in result.winners)
    assert any("winners" in violation for violation in result.violations)
