"""The bearer guard. RFC 6750; RFC 9728, section 5; MCP 2026-07-28, authorization."""

import asyncio

import pytest

from lazyauth import current_user
from lazyoauth import MemoryRefreshTokenStates
from lazyoauth.bearer import BearerGuard
from tests.lazyoauth.conftest import Start
from tests.lazyoauth.journey import ISSUER, Clock, Journey, echo

METADATA = f'resource_metadata="{ISSUER}/.well-known/oauth-protected-resource/mcp"'


@pytest.mark.parametrize("headers", [{}, {"authorization": "Basic YTpi"}, {"authorization": ""}, {"cookie": "session=x"}])
async def test_without_a_token_the_challenge_says_where_to_get_one(journey: Journey, headers):
    """RFC 9728, section 5.1; RFC 6750, section 3.1: no error code when no token was sent; SEP-2207: no offline_access."""
    answer = await journey.http.post("/mcp", headers=headers)
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == f'Bearer {METADATA}, scope="mcp"'
    assert "error" not in answer.json()
    assert answer.headers["access-control-allow-origin"] == "*"
    assert "WWW-Authenticate" in answer.headers["access-control-expose-headers"]


@pytest.mark.parametrize("token", ["", "x", "a.b.c", "ä", "x y", "a" * 30_000])
async def test_a_bad_token_is_called_invalid(journey: Journey, token):
    """RFC 6750, section 3.1."""
    answer = await journey.http.post("/mcp", headers={"authorization": f"Bearer {token}".encode()})
    assert answer.status_code == 401
    challenge = answer.headers["www-authenticate"]
    assert challenge.startswith('Bearer error="invalid_token", error_description="')
    assert METADATA in challenge
    assert answer.json()["error"] == "invalid_token"


async def test_a_good_token_makes_its_user_current(journey: Journey):
    """Design: the guard sets what lazymcp and controllers read; nothing of it stays behind."""
    login = await journey.login()
    for method in ("GET", "POST", "DELETE"):
        answer = await journey.http.request(method, "/mcp", headers={"authorization": f"bearer {login.access_token}"})
        assert answer.text == "ada admin"
    assert current_user() is None


async def test_a_token_in_the_query_is_refused(journey: Journey):
    """MCP 2026-07-28, authorization: tokens must not be in the URI; RFC 6750, section 3.1 for both ways at once."""
    login = await journey.login()
    alone = await journey.http.post(f"/mcp?access_token={login.access_token}")
    assert alone.status_code == 401
    assert "Authorization header" in alone.headers["www-authenticate"]
    both = await journey.http.post("/mcp?a=1&access_token=x", headers={"authorization": f"Bearer {login.access_token}"})
    assert (both.status_code, both.json()["error"]) == (400, "invalid_request")
    harmless = await journey.http.post("/mcp?about=access_token", headers={"authorization": f"Bearer {login.access_token}"})
    assert harmless.status_code == 200


async def test_two_authorization_headers_are_refused(journey: Journey):
    """RFC 9110, section 5.3: which one would count?"""
    login = await journey.login()
    headers = [("authorization", f"Bearer {login.access_token}"), ("authorization", "Bearer x")]
    assert (await journey.http.post("/mcp", headers=headers)).status_code == 400


async def test_a_preflight_needs_no_token(journey: Journey):
    """The Fetch standard: a preflight never has credentials. Nobody is signed in behind it."""
    assert (await journey.http.options("/mcp")).text == "nobody"


async def test_a_token_is_good_until_its_last_second_and_no_longer(journey: Journey):
    """RFC 9068, section 4, remembered or not."""
    login = await journey.login()
    assert (await journey.call(login.access_token)).status_code == 200
    journey.clock.now += 3599
    assert (await journey.call(login.access_token)).status_code == 200
    journey.clock.now += 1
    assert (await journey.call(login.access_token)).status_code == 401


async def test_a_login_that_ends_elsewhere_is_noticed_within_five_seconds(journey: Journey):
    """Design, section 5: NOTIFY is faster; this is what holds when the news is lost."""
    login = await journey.login()
    assert (await journey.call(login.access_token)).status_code == 200
    states = journey.server.config.refresh_token_states
    for family_id in list(states._families):
        await states.revoke(family_id)
    journey.clock.now += 5
    answer = await journey.call(login.access_token)
    assert answer.status_code == 401
    assert "has ended" in answer.headers["www-authenticate"]


async def test_a_login_that_ends_here_is_dead_at_once(journey: Journey):
    """`Server.revoke` is what a page "connected apps" calls."""
    login = await journey.login()
    assert (await journey.call(login.access_token)).status_code == 200
    (family_id,) = journey.server.config.refresh_token_states._families
    assert await journey.server.revoke(family_id)
    assert (await journey.call(login.access_token)).status_code == 401


class Away(MemoryRefreshTokenStates):
    """A store that cannot be asked."""

    async def is_active(self, family_id: str) -> bool:
        raise OSError("connection refused")


async def test_when_the_store_is_away_the_door_is_closed_but_nobody_is_sent_to_log_in(start: Start, clock):
    """503 and Retry-After: a 401 would start a new login in every client."""
    journey = start(refresh_token_states=Away(clock))
    login = await journey.login()
    answer = await journey.call(login.access_token)
    assert answer.status_code == 503
    assert int(answer.headers["retry-after"]) > 0
    assert "www-authenticate" not in answer.headers


async def test_the_store_is_asked_once_for_many_calls(start: Start, clock):
    """Design, section 9: a verified token is remembered."""

    class Counting(MemoryRefreshTokenStates):
        asked = 0

        async def is_active(self, family_id: str) -> bool:
            Counting.asked += 1
            return await super().is_active(family_id)

    journey = start(refresh_token_states=Counting(clock))
    login = await journey.login()
    for _ in range(20):
        assert (await journey.call(login.access_token)).status_code == 200
    assert Counting.asked == 1


async def test_memory_is_bounded_and_keeps_what_is_used(start: Start, monkeypatch):
    """Least recently used goes first."""
    monkeypatch.setattr("lazyoauth.bearer.REMEMBERED", 2)
    journey = start()
    guard = journey.server.guard(echo)
    assert isinstance(guard, BearerGuard)
    logins = [await journey.login() for _ in range(3)]

    async def call(number: int) -> int:
        header = (b"authorization", f"Bearer {logins[number].access_token}".encode())
        scope = {"type": "http", "method": "POST", "path": "/mcp", "query_string": b"", "headers": [header]}
        sent: list[dict[str, object]] = []

        async def send(message):
            sent.append(message)

        await guard(scope, None, send)
        return sent[0]["status"]

    assert [await call(number) for number in (0, 1, 0, 2)] == [200, 200, 200, 200]
    assert [logins[0].access_token.encode() in header for header in guard._known] == [True, False]
    assert [logins[2].access_token.encode() in header for header in guard._known] == [False, True]


class Gated(MemoryRefreshTokenStates):
    """A store that gives its prepared answers when it is told to."""

    def __init__(self, clock: Clock) -> None:
        super().__init__(clock)
        self.asked: asyncio.Queue[asyncio.Future[bool]] = asyncio.Queue()

    async def is_active(self, family_id: str) -> bool:
        answer: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self.asked.put_nowait(answer)
        return await answer


async def test_a_token_pushed_out_of_memory_while_the_store_answers_is_still_good(start: Start, clock, monkeypatch):
    """Between the question and the answer other requests run, and one of them may need the place."""
    monkeypatch.setattr("lazyoauth.bearer.REMEMBERED", 1)
    journey = start(refresh_token_states=(states := Gated(clock)))
    first, second = await journey.login(), await journey.login()
    one = asyncio.create_task(journey.call(first.access_token))
    answer_one = await states.asked.get()
    other = asyncio.create_task(journey.call(second.access_token))
    answer_other = await states.asked.get()
    answer_one.set_result(True)
    answer_other.set_result(True)
    assert [(await call).status_code for call in (one, other)] == [200, 200]


async def test_a_login_that_ends_between_two_requests_is_no_failure(start: Start, clock):
    """Both ask, the first hears that it has ended and forgets the token, the second had asked just before."""
    journey = start(refresh_token_states=(states := Gated(clock)))
    login = await journey.login()
    calls = [asyncio.create_task(journey.call(login.access_token)) for _ in range(2)]
    ended, alive = await states.asked.get(), await states.asked.get()
    ended.set_result(False)
    assert {call.result().status_code for call in (await asyncio.wait(calls, return_when=asyncio.FIRST_COMPLETED))[0]} == {401}
    alive.set_result(True)
    assert sorted([(await call).status_code for call in calls]) == [200, 401]


async def test_no_websocket_gets_past(journey: Journey):
    """There is none in MCP, so none is let through without a token."""
    sent = []

    async def send(message):
        sent.append(message)

    async def receive():
        return {"type": "websocket.connect"}

    await journey.server.guard(echo)({"type": "websocket", "path": "/mcp", "headers": [], "query_string": b""}, receive, send)
    assert sent == [{"type": "websocket.close", "code": 1008}]


async def test_callers_do_not_see_each_other(journey: Journey):
    """Each request has its own user, however they interleave."""
    journey.users.add("bob", "battery staple", ["*"])
    ada = await journey.login()
    browser = journey.browser()
    await browser.open("/oauth/authorize", journey.request())
    await browser.log_in("bob", "battery staple")
    bob = (await journey.exchange((await browser.decide("allow"))["code"])).json()["access_token"]
    answers = await asyncio.gather(*(journey.call(token) for token in [ada.access_token, bob] * 10))
    assert [answer.text for answer in answers] == ["ada admin", "bob *"] * 10
