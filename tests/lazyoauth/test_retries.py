"""Refresh tokens that come again, through HTTP: after a lost answer, from two windows of one client, from a thief."""

import asyncio
import random
import time
from contextlib import AsyncExitStack

import pytest
from sqlalchemy.ext.asyncio import create_async_engine

from lazyoauth import MemoryRefreshTokenStates, SQLRefreshTokenStates
from tests.lazyoauth.conftest import Start
from tests.lazyoauth.journey import Clock, Journey, Tokens, error_of, tokens_of

DEAD = (400, "invalid_grant")


async def test_a_lost_answer_is_given_again(start: Start, clock: Clock) -> None:
    """https://github.com/DuendeArchive/Support/issues/667: the same refresh token, byte for byte, and a fresh access token."""
    journey = start(refresh_retry_window_s=30)
    login = await journey.login()
    second = tokens_of(await journey.refresh(login.refresh_token))
    clock.now += 29
    again = tokens_of(await journey.refresh(login.refresh_token))
    assert again.refresh_token == second.refresh_token
    assert again.access_token != second.access_token
    assert (await journey.call(again.access_token)).status_code == 200
    third = tokens_of(await journey.refresh(again.refresh_token))
    assert third.refresh_token != second.refresh_token


async def test_when_the_window_has_closed_a_used_token_ends_the_login(start: Start, clock: Clock) -> None:
    """RFC 9700, section 4.14.2: a thief is noticed by the window later than without one, and no more than that."""
    journey = start(refresh_retry_window_s=30)
    login = await journey.login()
    second = tokens_of(await journey.refresh(login.refresh_token))
    clock.now += 30
    assert error_of(await journey.refresh(login.refresh_token)) == DEAD
    assert error_of(await journey.refresh(second.refresh_token)) == DEAD
    assert (await journey.call(second.access_token)).status_code == 401


async def test_without_a_window_a_retry_ends_the_login(start: Start) -> None:
    """RFC 9700, section 4.14.2, and the default."""
    journey = start()
    login = await journey.login()
    await journey.refresh(login.refresh_token)
    assert error_of(await journey.refresh(login.refresh_token)) == DEAD


async def test_thief_and_owner_hold_the_same_token_and_the_later_one_is_found_out(start: Start, clock: Clock) -> None:
    """RFC 9700, section 4.14.2: inside the window there is never a second line of tokens."""
    journey = start(refresh_retry_window_s=30)
    stolen = (await journey.login()).refresh_token
    thief, owner = tokens_of(await journey.refresh(stolen)), tokens_of(await journey.refresh(stolen))
    assert thief.refresh_token == owner.refresh_token
    clock.now += 60
    assert tokens_of(await journey.refresh(owner.refresh_token))
    clock.now += 60
    assert error_of(await journey.refresh(thief.refresh_token)) == DEAD


async def test_the_window_is_not_for_codes(start: Start) -> None:
    """RFC 6749, section 4.1.2: a code that comes twice ends what the first use began."""
    journey = start(refresh_retry_window_s=300, refresh_burst_merge_s=5)
    code = await journey.code()
    first = tokens_of(await journey.exchange(code))
    assert error_of(await journey.exchange(code)) == DEAD
    assert error_of(await journey.refresh(first.refresh_token)) == DEAD


async def test_a_revoked_login_has_no_window(start: Start) -> None:
    """RFC 7009, section 2.1."""
    journey = start(refresh_retry_window_s=300, refresh_burst_merge_s=5)
    login = await journey.login()
    second = tokens_of(await journey.refresh(login.refresh_token))
    await journey.http.post("/oauth/revoke", data={"client_id": journey.client_id, "token": second.refresh_token})
    for known in (login.refresh_token, second.refresh_token):
        assert error_of(await journey.refresh(known)) == DEAD


async def test_the_newest_token_is_its_own_successor_within_a_burst(start: Start, clock: Clock) -> None:
    """https://github.com/openai/codex/issues/45944: three more requests within 20 ms."""
    journey = start(refresh_retry_window_s=30, refresh_burst_merge_s=1)
    login = await journey.login()
    clock.now += 3000
    second = tokens_of(await journey.refresh(login.refresh_token))
    clock.now += 0.5
    assert tokens_of(await journey.refresh(second.refresh_token)).refresh_token == second.refresh_token
    clock.now += 0.5
    assert tokens_of(await journey.refresh(second.refresh_token)).refresh_token != second.refresh_token


async def test_any_process_answers_a_retry_with_the_same_bytes(start: Start, database_url: str) -> None:
    """Two servers that share nothing but database and secret, and whose clocks are 90 seconds apart."""
    async with AsyncExitStack() as closing:
        journeys = []
        for skew_s in (-45, 45):
            engine = create_async_engine(database_url)
            closing.push_async_callback(engine.dispose)
            states = await closing.enter_async_context(SQLRefreshTokenStates(engine))
            journeys.append(
                start(refresh_token_states=states, refresh_retry_window_s=60, now=lambda skew_s=skew_s: time.time() + skew_s)
            )
        login = await journeys[0].login()
        journeys[1].client_id = journeys[0].client_id
        answers = await asyncio.gather(*(journey.refresh(login.refresh_token) for journey in journeys * 4))
        assert len({tokens_of(answer).refresh_token for answer in answers}) == 1


async def test_a_login_goes_on_after_a_backup_was_restored(start: Start, clock: Clock, caplog: pytest.LogCaptureFixture) -> None:
    """`heal_after_restore`: and without it the client logs in again, with nobody else thrown out."""
    for heals in (True, False):
        states = MemoryRefreshTokenStates(clock)
        journey = start(heal_after_restore=heals, refresh_token_states=states)
        login = await journey.login()
        (family,) = states._families.values()
        backup = family.current_jti
        newest = tokens_of(await journey.refresh(tokens_of(await journey.refresh(login.refresh_token)).refresh_token))
        family.current_jti = backup
        caplog.clear()
        answer = await journey.refresh(newest.refresh_token)
        assert "back in time" in caplog.text
        assert not family.revoked
        if heals:
            assert tokens_of(await journey.refresh(tokens_of(answer).refresh_token))
            assert error_of(await journey.refresh(newest.refresh_token)) == DEAD
        else:
            assert error_of(answer) == DEAD


async def chaos(journey: Journey, clock: Clock, dice: random.Random) -> bool:
    """Four tasks of one client share a token file without a lock, half of what they read is stale. Whether the login survives."""
    login = await journey.login()
    file: list[Tokens] = [login]
    survived = True

    async def task() -> None:
        nonlocal survived
        for _ in range(6):
            stale = dice.random() < 0.5 and len(file) > 1
            held = file[-2] if stale else file[-1]
            for _ in range(dice.randrange(4)):
                await asyncio.sleep(0)
            clock.now += 0.06 / 24
            answer = await journey.refresh(held.refresh_token)
            if answer.status_code != 200:
                survived = False
                return
            file.append(tokens_of(answer))

    await asyncio.gather(*(task() for _ in range(4)))
    return survived


@pytest.mark.parametrize(
    ("window_s", "merge_s", "least", "most"),
    [(0, 0, 0, 0), (60, 0, 5, 12), (60, 1, 12, 12)],
    ids=["strict", "window", "window and merge"],
)
async def test_a_hostile_client_survives_with_a_window_and_merged_bursts(
    start: Start, clock: Clock, window_s, merge_s, least, most
):
    """https://github.com/anthropics/claude-code/issues/85236: one credential store among processes; twelve logins."""
    journey = start(refresh_retry_window_s=window_s, refresh_burst_merge_s=merge_s)
    dice = random.Random(20)
    survivors = 0
    for _ in range(12):
        survivors += await chaos(journey, clock, dice)
        clock.now += 600
    assert least <= survivors <= most
