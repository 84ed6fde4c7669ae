"""The authorization endpoint: which requests are good. RFC 6749, section 4.1; RFC 9207; RFC 8707."""

import html
from functools import cache
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lazyoauth import AccessDenied, Config, MemoryRefreshTokenStates, Server
from lazyoauth.authorize import MAX_STATE_LENGTH, error_url
from tests.lazyoauth.journey import CALLBACK, FORM, ISSUER, RESOURCE, SECRET, Journey, arriving, make_users
from tests.lazyoauth.test_redirects import REFUSED


@cache
def make_server() -> Server:
    return Server(Config(issuer=ISSUER, refresh_token_states=MemoryRefreshTokenStates(), authenticator=make_users(), secret=SECRET))


STATES = ["a b+c&d=e", "%41", "<script>", "æøå 漢字", "x" * MAX_STATE_LENGTH]


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("decision", ["allow", "deny"])
async def test_the_answer_carries_state_and_iss_once(journey: Journey, state, decision):
    """RFC 9207, section 2; RFC 6749, section 4.1.2: `state` comes back byte for byte."""
    await journey.register()
    browser = journey.browser()
    await browser.open("/oauth/authorize", journey.request(state=state))
    await browser.log_in()
    found = await browser.decide(decision)
    assert found["iss"] == ISSUER
    assert found["state"] == state
    assert ("code" in found) is (decision == "allow")


async def test_an_answer_without_state_has_none(journey: Journey):
    """RFC 6749, section 4.1.2."""
    await journey.register()
    browser = journey.browser()
    await browser.open("/oauth/authorize", journey.request(state=None))
    await browser.log_in()
    assert set(await browser.decide("allow")) == {"code", "iss"}


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"response_type": None}, "invalid_request"),
        ({"response_type": "token"}, "unsupported_response_type"),
        ({"response_type": "code id_token"}, "unsupported_response_type"),
        ({"response_mode": "fragment"}, "invalid_request"),
        ({"response_mode": "form_post"}, "invalid_request"),
        ({"code_challenge": None}, "invalid_request"),
        ({"code_challenge_method": None}, "invalid_request"),
        ({"code_challenge_method": "plain"}, "invalid_request"),
        ({"code_challenge": "short"}, "invalid_request"),
        ({"resource": "https://evil.example/mcp"}, "invalid_target"),
        ({"resource": ISSUER}, "invalid_target"),
        ({"resource": f"{RESOURCE}#x"}, "invalid_target"),
    ],
)
async def test_what_is_wrong_is_told_to_the_client(journey: Journey, changes, error):
    """RFC 6749, section 4.1.2.1; RFC 7636, section 4.4.1; RFC 8707, section 2; RFC 9207, section 2."""
    await journey.register()
    answer = await journey.http.get("/oauth/authorize", params=journey.request(**changes))
    assert answer.status_code == 303
    assert answer.headers["location"].startswith(f"{CALLBACK}?")
    found = arriving(answer)
    assert (found["error"], found["iss"], found["state"]) == (error, ISSUER, "st/ate=1&2")


@pytest.mark.parametrize("prompt", ["none", "none login", "consent none"])
@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_nothing_is_approved_without_a_page(journey: Journey, prompt, method):
    """OpenID Connect Core, section 3.1.2.6; RFC 9700, section 4.11.2: not even for who agreed a moment ago in this browser."""
    browser = journey.browser()
    await journey.code(browser)
    request = journey.request(prompt=prompt)
    if method == "GET":
        answer = await browser.http.get("/oauth/authorize", params=request)
    else:
        answer = await browser.http.post("/oauth/authorize", content=urlencode(request), headers=FORM)
    assert answer.status_code == 303
    assert answer.headers["location"].startswith(f"{CALLBACK}?")
    found = arriving(answer)
    assert set(found) == {"error", "error_description", "state", "iss"}
    assert (found["error"], found["state"], found["iss"]) == ("login_required", "st/ate=1&2", ISSUER)


@pytest.mark.parametrize("changes", [{"redirect_uri": "https://evil.example/"}, {"client_id": "unknown"}])
async def test_an_error_without_a_page_goes_to_no_strangers_address(journey: Journey, changes):
    """RFC 9700, section 4.11.2: `prompt=none` is the way to make an open redirector of an error."""
    await journey.register()
    answer = await journey.http.get("/oauth/authorize", params=journey.request(prompt="none", **changes))
    assert (answer.status_code, "location" in answer.headers) == (400, False)


@pytest.mark.parametrize("prompt", ["login", "consent", "select_account", "nonesuch", ""])
async def test_any_other_prompt_is_what_happens_anyway(journey: Journey, prompt):
    """Clients send it to be sure that there is a page."""
    await journey.register()
    answer = await journey.http.get("/oauth/authorize", params=journey.request(prompt=prompt))
    assert 'name="password"' in answer.text


@pytest.mark.parametrize(
    "uri", [uri for uri in REFUSED if uri] + ["https://client.example/other", f"{CALLBACK}/", "http://localhost/callback"]
)
async def test_nobody_is_redirected_to_an_address_that_was_not_registered(journey: Journey, uri):
    """RFC 6749, section 4.1.2.1; RFC 9700, section 4.11: no open redirect."""
    await journey.register()
    answer = await journey.http.get("/oauth/authorize", params=journey.request(redirect_uri=uri))
    assert answer.status_code == 400
    assert "location" not in answer.headers
    assert answer.headers["content-type"].startswith("text/html")


@pytest.mark.parametrize("client_id", [None, "", "unknown", "dyn1_AAAA", "<script>alert(1)</script>"])
async def test_an_unknown_client_is_told_to_the_person(journey: Journey, client_id):
    """https://github.com/backstage/backstage/issues/32645: a page that says what is wrong, and no redirect."""
    answer = await journey.http.get("/oauth/authorize", params=journey.request(client_id=client_id))
    assert answer.status_code == 400
    assert "location" not in answer.headers
    assert "is not registered" in answer.text
    assert "<script" not in answer.text


NAMES = ["client_id", "redirect_uri", "response_type", "response_mode", "scope", "state", "login_hint", "prompt"]
NAMES += ["code_challenge", "code_challenge_method"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_a_repeated_parameter_is_refused(journey: Journey, name, method):
    """RFC 6749, section 3.1: which of two values counts is for nobody to guess."""
    await journey.register()
    request = journey.request(login_hint="ada", response_mode="query", prompt="login")
    twice = f"{urlencode(request)}&{urlencode({name: request[name]})}"
    if method == "GET":
        answer = await journey.http.get(f"/oauth/authorize?{twice}")
    else:
        answer = await journey.http.post("/oauth/authorize", content=twice, headers=FORM)
    assert answer.status_code == 400
    assert "location" not in answer.headers
    assert "invalid_request" in answer.text


@given(st.text(st.characters(exclude_categories=("Cs",)), max_size=MAX_STATE_LENGTH))
def test_whatever_the_state_is_it_comes_back(state):
    """RFC 6749, section 4.1.2: encoded, byte for byte, and it adds no parameter and no line to the redirect."""
    issuer = make_server()._issuers[0]
    url = error_url(issuer, f"{CALLBACK}?tenant=1", state, AccessDenied("no"))
    assert url.isascii()
    assert url.isprintable()
    expected = {"tenant": "1", "error": "access_denied", "error_description": "no", "iss": ISSUER}
    assert parse_qs(urlsplit(url).query) == {
        name: [value] for name, value in (expected | ({"state": state} if state else {})).items()
    }


async def test_a_state_of_any_length_is_not_carried(journey: Journey):
    """It would not fit into the redirect."""
    await journey.register()
    answer = await journey.http.get("/oauth/authorize", params=journey.request(state="x" * (MAX_STATE_LENGTH + 1)))
    assert (answer.status_code, "location" in answer.headers) == (400, False)


async def test_post_works_like_get(journey: Journey):
    """RFC 6749, section 3.1."""
    await journey.register()
    answer = await journey.http.post("/oauth/authorize", content=urlencode(journey.request()), headers=FORM)
    assert answer.status_code == 200
    assert 'name="password"' in answer.text


async def test_the_only_registered_redirect_uri_may_be_left_out(journey: Journey):
    """RFC 6749, section 3.1.2.3."""
    await journey.register()
    assert (await journey.http.get("/oauth/authorize", params=journey.request(redirect_uri=None))).status_code == 200
    await journey.register(CALLBACK, f"{CALLBACK}2")
    assert (await journey.http.get("/oauth/authorize", params=journey.request(redirect_uri=None))).status_code == 400


async def test_a_native_client_gets_its_answer_on_the_port_it_listens_on(journey: Journey):
    """RFC 8252, section 7.3; https://github.com/microsoft/vscode/issues/278512."""
    await journey.register("http://127.0.0.1/", "http://127.0.0.1:33418/")
    browser = journey.browser()
    await browser.open("/oauth/authorize", journey.request(redirect_uri="http://127.0.0.1:51515/"))
    await browser.log_in()
    answer = await browser.send({"decision": "allow"})
    assert answer.headers["location"].startswith("http://127.0.0.1:51515/?code=")


async def test_a_private_use_redirect_is_followed_as_it_is(journey: Journey):
    """https://github.com/makeplane/plane-mcp-server/issues/159."""
    uri = "cursor://anysphere.cursor-mcp/oauth/callback"
    await journey.register(uri)
    browser = journey.browser()
    await browser.open("/oauth/authorize", journey.request(redirect_uri=uri))
    page = await browser.log_in()
    assert "cursor://anysphere.cursor-mcp" in html.unescape(page.text)
    answer = await browser.send({"decision": "allow"})
    assert answer.headers["location"].startswith(f"{uri}?code=")


async def test_a_query_of_the_redirect_uri_is_kept(journey: Journey):
    """RFC 6749, section 3.1.2."""
    uri = f"{CALLBACK}?tenant=1"
    await journey.register(uri)
    browser = journey.browser()
    await browser.open("/oauth/authorize", journey.request(redirect_uri=uri))
    await browser.log_in()
    found = await browser.decide("allow")
    assert found["tenant"] == "1"
    assert "code" in found
