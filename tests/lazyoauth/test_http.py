"""What every OAuth endpoint has in common. RFC 6749, sections 3.2 and 5; the CORS protocol of the Fetch standard."""

import asyncio
import logging
from urllib.parse import urlencode

import pytest
from starlette.requests import Request

from lazyoauth import Limits, MemoryRefreshTokenStates, RotateOutcome, http
from lazyoauth.errors import RequestTimeout
from lazyoauth.http import MAX_FORM_BYTES
from tests.lazyoauth.conftest import Start
from tests.lazyoauth.journey import FORM, Journey, error_of

MACHINE = ["/oauth/token", "/oauth/revoke", "/oauth/register", "/oauth/jwks", "/.well-known/oauth-authorization-server"]
MACHINE += ["/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"]
PEOPLE = ["/oauth/authorize", "/oauth/login", "/oauth/consent"]


@pytest.mark.parametrize("path", MACHINE)
async def test_a_script_on_any_page_may_call_what_machines_call(journey: Journey, path):
    """https://github.com/modelcontextprotocol/inspector/issues/758, https://github.com/getsentry/sentry-mcp/issues/999."""
    asked = {"origin": "http://localhost:6274", "access-control-request-method": "POST"}
    preflight = await journey.http.options(path, headers=asked | {"access-control-request-headers": "mcp-protocol-version"})
    assert preflight.status_code == 204
    assert preflight.headers["access-control-allow-origin"] == "*"
    assert "mcp-protocol-version" in preflight.headers["access-control-allow-headers"].lower()
    assert "authorization" in preflight.headers["access-control-allow-headers"].lower()
    assert "POST" in preflight.headers["access-control-allow-methods"]
    for answer in (preflight, await journey.http.get(path, headers=asked), await journey.http.post(path, headers=asked)):
        assert answer.headers["access-control-allow-origin"] == "*"
        assert "access-control-allow-credentials" not in answer.headers
        assert {"WWW-Authenticate", "Mcp-Session-Id"} <= set(answer.headers["access-control-expose-headers"].split(", "))


@pytest.mark.parametrize("path", PEOPLE)
async def test_no_script_may_call_the_pages(journey: Journey, path):
    """They look at cookies."""
    for answer in (await journey.http.options(path, headers={"origin": "https://evil.example"}), await journey.http.get(path)):
        assert not any(name.startswith("access-control") for name in answer.headers)


@pytest.mark.parametrize("path", [*PEOPLE, *MACHINE[:3]])
@pytest.mark.parametrize("method", ["GET", "POST", "PUT"])
async def test_no_answer_of_an_endpoint_is_kept(journey: Journey, path, method):
    """RFC 6749, section 5.1; Pragma for proxies that know HTTP/1.0 only. What succeeds is in the tests of each endpoint."""
    answer = await journey.http.request(method, path)
    assert (answer.headers["cache-control"], answer.headers["pragma"]) == ("no-store", "no-cache")


TOKEN_NAMES = ["grant_type", "code", "redirect_uri", "code_verifier", "client_id", "refresh_token", "scope", "token"]


@pytest.mark.parametrize("name", TOKEN_NAMES)
@pytest.mark.parametrize("path", ["/oauth/token", "/oauth/revoke"])
async def test_a_repeated_parameter_is_refused(journey: Journey, path, name):
    """RFC 6749, section 3.2; with the same value too, for which of two counts is for nobody to guess."""
    good = {"client_id": await journey.register(), "grant_type": "refresh_token", "token": "x"}
    form = [*(pair for pair in good.items() if pair[0] != name), (name, "x"), (name, "x")]
    answer = await journey.http.post(path, content=urlencode(form), headers=FORM)
    assert error_of(answer) == (400, "invalid_request")
    assert "repeated" in answer.json()["error_description"]


@pytest.mark.parametrize("path", MACHINE[:3])
@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
async def test_another_method_is_told_the_right_one(journey: Journey, path, method):
    """RFC 9110, section 15.5.6; in JSON as everything here."""
    answer = await journey.http.request(method, path)
    assert error_of(answer) == (405, "invalid_request")
    assert answer.headers["allow"] == "POST, OPTIONS"


async def test_documents_answer_head(journey: Journey):
    """RFC 9110, section 9.3.2."""
    assert (await journey.http.head("/.well-known/oauth-authorization-server")).status_code == 200


@pytest.mark.parametrize(
    ("content", "headers"),
    [
        ("grant_type=x&grant_type=y", FORM),
        ("client_id=a&client_id=a", FORM),
        ('{"grant_type": "refresh_token"}', {"content-type": "application/json"}),
        ("grant_type=refresh_token", {}),
        ("grant_type=refresh_token", {"content-type": "multipart/form-data; boundary=x"}),
        (b"\xff\xfe", FORM),
        (b"a=%ff", FORM),
        ("a=1&" * 100, FORM),
        ("a=%00", FORM),
    ],
)
async def test_a_malformed_body_is_an_oauth_error(journey: Journey, content, headers):
    """https://github.com/anthropics/claude-code/issues/83679: a JSON object with `error`, never a framework's 422."""
    for path in ("/oauth/token", "/oauth/revoke"):
        assert error_of(await journey.http.post(path, content=content, headers=headers)) == (400, "invalid_request")


async def test_the_charset_of_a_form_does_not_matter(journey: Journey):
    """Clients write `application/x-www-form-urlencoded; charset=UTF-8`."""
    headers = {"content-type": f"{FORM['content-type']}; charset=UTF-8"}
    answer = await journey.http.post("/oauth/token", content="grant_type=x", headers=headers)
    assert error_of(answer) == (401, "invalid_client")


async def test_a_large_body_is_cut_short(journey: Journey):
    """No more than the limit is ever held."""
    answer = await journey.http.post("/oauth/token", content=b"a" * (MAX_FORM_BYTES + 1), headers=FORM)
    assert error_of(answer) == (413, "invalid_request")


async def test_a_body_that_does_not_arrive_is_cut_off(monkeypatch):
    """RFC 9110, section 15.5.9."""

    async def receive():
        await asyncio.Event().wait()

    monkeypatch.setattr(http, "BODY_TIMEOUT_S", 0.01)
    with pytest.raises(RequestTimeout):
        await http.read_body(Request({"type": "http", "method": "POST", "headers": []}, receive), 100)


async def test_made_up_clients_are_counted_as_one(start: Start):
    """Otherwise every made-up name would be a limit, and memory, of its own."""
    journey = start(limits=Limits(tokens="3/minute"))
    statuses = [
        (await journey.http.post("/oauth/token", data={"grant_type": "refresh_token", "client_id": f"made-up-{n}"})).status_code
        for n in range(5)
    ]
    assert statuses == [401, 401, 401, 429, 429]


async def test_token_requests_are_limited_by_client_and_network(start: Start):
    """RFC 6585, section 4; https://github.com/jagduvi1/Cellarion/pull/785: one client cannot use up another's share."""
    journey = start(limits=Limits(tokens="3/minute"))
    await journey.register()
    for _ in range(3):
        assert error_of(await journey.refresh("x")) == (400, "invalid_grant")
    refused = await journey.refresh("x")
    assert error_of(refused) == (429, "temporarily_unavailable")
    assert int(refused.headers["retry-after"]) > 0
    await journey.register(client_name="Another")
    assert error_of(await journey.refresh("x")) == (400, "invalid_grant")


@pytest.mark.parametrize("path", [*PEOPLE, *MACHINE[:3]])
@pytest.mark.parametrize(("host", "query"), [(b"[::1", b""), (b"\xff", b""), (b"", b"client_id=\xff"), (b"a b", b"%zz&&=&")])
async def test_a_malformed_host_or_query_is_no_failure_of_ours(journey: Journey, caplog, path, host, query):
    """RFC 9112, section 3.2: what a server in front of us lets through is answered with a 4xx all the same."""
    scope = {"type": "http", "path": path, "query_string": query, "headers": [(b"host", host)], "client": None}
    sent = []

    async def receive():
        return {"type": "http.request", "body": b""}

    async def send(message):
        sent.append(message)

    for method in ("GET", "POST", "OPTIONS"):
        await journey.server.routes[path](scope | {"method": method}, receive, send)
    assert all(message["status"] < 500 for message in sent if message["type"] == "http.response.start")
    assert "failed" not in caplog.text


class Broken(MemoryRefreshTokenStates):
    """A store that answers nonsense, as a programming error would."""

    async def rotate(self, *_: object) -> RotateOutcome:  # type: ignore[override]
        return None  # type: ignore[return-value]


async def test_a_failure_of_ours_is_an_oauth_error_with_a_reference(start: Start, clock, caplog):
    """No framework's page, no detail; the log has the traceback under the same reference."""
    journey = start(refresh_token_states=Broken(clock))
    code = await journey.code()
    with caplog.at_level(logging.ERROR, "lazyoauth"):
        answer = await journey.exchange(code)
    assert error_of(answer) == (500, "server_error")
    reference = answer.json()["error_description"].rpartition(" ")[2]
    assert reference in caplog.text
    assert "AttributeError" not in answer.text


@pytest.mark.parametrize("path", PEOPLE)
async def test_a_layout_that_fails_leaves_a_plain_page_with_a_reference(start: Start, caplog, path):
    """The application's `render` makes the error page too; its failure is ours to answer, and each is logged once."""

    def render(view: str, _: object) -> str:
        raise LookupError(f"no layout for {view}")

    journey = start(render=render)
    await journey.register()
    for parameters in (journey.request(), {"client_id": "unknown"}):
        caplog.clear()
        answer = await journey.http.get(path, params=parameters)
        if path == "/oauth/login":
            answer = await journey.http.post(path)
        assert answer.status_code == 500
        assert answer.headers["content-type"] == "text/plain; charset=utf-8"
        assert answer.headers["cache-control"] == "no-store"
        assert "location" not in answer.headers
        reference = answer.text.rstrip(".").rpartition(" ")[2]
        assert caplog.text.count(reference) == 1
        assert "no layout for oauth/error" in caplog.text
        assert "layout" not in answer.text


async def test_nothing_secret_is_logged_at_any_level(start: Start, caplog):
    """No code, token, verifier, password or cookie, in a whole login with its replays and errors."""
    caplog.set_level(logging.DEBUG)
    journey = start()
    browser = journey.browser()
    code = await journey.code(browser)
    first = await journey.exchange(code)
    tokens = first.json()
    second = (await journey.refresh(tokens["refresh_token"])).json()
    await journey.refresh(tokens["refresh_token"])
    await journey.exchange(code, code_verifier="w" * 43)
    await journey.call(second["access_token"])
    await journey.call("not-a-token-but-somebodys-secret")
    await browser.open("/oauth/authorize", journey.request())
    await browser.log_in(password="wrong password")
    secrets = [code, journey.verifier, "w" * 43, "correct horse", "wrong password", "not-a-token-but-somebodys-secret"]
    secrets += [tokens["access_token"], tokens["refresh_token"], second["access_token"], second["refresh_token"]]
    secrets += [cookie.value for cookie in browser.http.cookies.jar if cookie.value]
    assert caplog.records
    ours = "\n".join(f"{record.name} {record.getMessage()}" for record in caplog.records if record.name.startswith("lazyoauth"))
    assert ours
    assert [secret for secret in secrets if secret in ours] == []
