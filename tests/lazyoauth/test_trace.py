"""The trace of a login: what an observer is told, and what it is never told."""

import secrets

import pytest

from lazyoauth import Event
from lazyoauth.trace import BROKEN, RULES
from tests.lazyoauth.conftest import Start
from tests.lazyoauth.journey import CALLBACK, PASSWORD, Journey, tokens_of


@pytest.fixture
def events() -> list[Event]:
    return []


@pytest.fixture
def journey(start: Start, events: list[Event]) -> Journey:
    return start(observer=events.append)


def told(events: list[Event]) -> list[tuple[str, str, str]]:
    return [(event.endpoint, event.outcome, event.rule) for event in events]


async def test_a_whole_login_is_told_step_by_step_with_the_rule_each_obeys(journey: Journey, events: list[Event]) -> None:
    """RFC 9728, RFC 8414, RFC 7591, RFC 6749 and RFC 6750, in the order of a first login."""
    await journey.http.post("/mcp")
    await journey.http.get("/.well-known/oauth-protected-resource/mcp")
    await journey.http.get("/.well-known/oauth-authorization-server")
    tokens = await journey.login()
    await journey.call(tokens.access_token)
    await journey.call(tokens.access_token)
    await journey.refresh(tokens.refresh_token)
    assert told(events) == [
        ("resource", "challenged", "RFC 9728, section 5.1"),
        ("resource document", "ok", RULES["resource document"]),
        ("server document", "ok", RULES["server document"]),
        ("register", "ok", RULES["register"]),
        ("authorize", "ok", RULES["authorize"]),
        ("login", "ok", RULES["login"]),
        ("consent", "ok", RULES["consent"]),
        ("consent", "ok", RULES["consent"]),
        ("token", "ok", RULES["token"]),
        ("resource", "ok", RULES["resource"]),  # once: a token that is known is no step of a login
        ("token", "ok", RULES["token"]),
    ]
    assert {event.client for event in events[3:]} == {journey.client_id}
    assert events[3].client_name == "Test client"
    assert [event.detail for event in events if event.endpoint == "token"] == ["authorization_code", "refresh_token"]
    assert {event.when for event in events} == {journey.clock()}


async def test_what_broke_is_told_with_its_rule_and_the_reason(journey: Journey, events: list[Event]) -> None:
    """RFC 6749, section 5.2; RFC 8707, section 2; RFC 6750, section 3.1."""
    await journey.register()
    browser = journey.browser()
    await browser.open("/oauth/authorize", journey.request(resource="https://other.example/mcp"))
    await browser.open("/oauth/authorize", journey.request(client_id="nobody"))
    await browser.open("/oauth/authorize", journey.request())
    await browser.log_in(password="wrong")
    await browser.log_in()
    await browser.decide("deny")
    await journey.exchange("no code")
    await journey.call("no token")
    broken = [event for event in events if event.outcome not in ("ok", "challenged")]
    assert told(broken) == [
        ("authorize", "invalid_target", BROKEN["invalid_target"]),
        ("authorize", "invalid_request", "RFC 6749, section 5.2"),
        ("login", "refused", "RFC 6749, section 3.1"),
        ("consent", "access_denied", BROKEN["access_denied"]),
        ("token", "invalid_grant", "RFC 6749, section 5.2"),
        ("resource", "invalid_token", BROKEN["invalid_token"]),
    ]
    assert "not registered" in broken[1].detail
    assert all(event.detail for event in broken)


async def test_no_event_carries_a_secret(journey: Journey, events: list[Event]) -> None:
    """Tokens, codes, passwords, cookies, verifiers and state stay out of what an observer is told."""
    state = secrets.token_urlsafe(12)
    await journey.register()
    browser = journey.browser()
    await browser.open("/oauth/authorize", journey.request(state=state))
    sealed = browser.form.values["transaction"]
    await browser.log_in(password="a wrong passphrase")
    await browser.log_in()
    code = (await browser.decide("allow"))["code"]
    tokens = tokens_of(await journey.exchange(code))
    await journey.exchange(code)
    await journey.call(tokens.access_token)
    await journey.refresh(tokens.refresh_token)
    cookies = [cookie.value or "" for cookie in browser.http.cookies.jar]
    carried = [
        code,
        tokens.access_token,
        tokens.refresh_token,
        journey.verifier,
        state,
        sealed,
        PASSWORD,
        "a wrong passphrase",
        *cookies,
    ]
    text = repr(events)
    assert [secret for secret in carried if secret and secret in text] == []
    assert CALLBACK not in text


async def test_without_an_observer_nothing_stands_between_a_request_and_its_endpoint(start: Start) -> None:
    journey = start()
    assert type(journey.server.routes["/oauth/token"]).__name__ == "Endpoint"
    assert (await journey.login()).access_token


async def test_preflights_and_the_stylesheet_are_no_steps_of_a_login(journey: Journey, events: list[Event]) -> None:
    await journey.http.options("/oauth/token")
    await journey.http.get("/oauth/style.css")
    assert events == []


async def test_what_a_stranger_says_of_itself_is_one_short_line(journey: Journey, events: list[Event]) -> None:
    await journey.http.get("/.well-known/oauth-authorization-server", headers={"user-agent": "x\x1b[31m" + "y" * 500})
    assert "\x1b" not in events[0].detail
    assert len(events[0].detail) == 200


async def test_a_call_with_the_token_of_an_ended_login_is_its_clients(journey: Journey, events: list[Event]) -> None:
    """RFC 6750, section 3.1: also where the token was known already."""
    tokens = await journey.login()
    await journey.call(tokens.access_token)
    await journey.http.post("/oauth/revoke", data={"client_id": journey.client_id, "token": tokens.refresh_token})
    await journey.call(tokens.access_token)
    assert told(events)[-2:] == [("revoke", "ok", RULES["revoke"]), ("resource", "invalid_token", BROKEN["invalid_token"])]
    assert events[-1].client == journey.client_id


async def test_what_the_application_answers_behind_the_guard_is_not_the_logins_fault(start: Start, events: list[Event]) -> None:
    journey = start(observer=events.append)
    await journey.http.get("/mcp?unknown=1", headers={"authorization": "Basic YTpi"})
    assert told(events) == [("resource", "challenged", BROKEN["challenged"])]
