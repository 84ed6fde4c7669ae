"""What looks for secrets finds them: in this process and in served ones, as they are and in disguise."""

import base64
import logging
import subprocess
import sys
from urllib.parse import quote

import httpx2
import pytest

from tests.flows.conftest import application
from tests.flows.serving import ROOT, Server
from tests.lazyoauth.conftest import clock, start, users
from tests.secrecy.crossing import Visit
from tests.secrecy.ledger import Leaks, Ledger, check
from tests.secrecy.plugin import LEDGER

__all__ = ["application", "clock", "start", "users"]

SECRET = "s3cret/with+signs=of-its-own"
#: Both log at DEBUG what a request brings, as a careless line in an endpoint would.
TEST = """
import logging

import pytest

from tests.lazyoauth.conftest import clock, start, users


@pytest.mark.parametrize("says", [True, False])
async def test_it(start, says):
    login = await start().login()
    logging.getLogger("careless").debug("for %s", login.access_token if says else "somebody")


def test_it_is_still_looking():
    pass
"""
CARELESS = """

@app.middleware("http")
async def careless(request, call_next):
    import logging

    logging.getLogger("careless").debug("cookies: %s", request.headers.get("cookie"))
    return await call_next(request)
"""


def test_a_test_in_whose_time_a_token_is_logged_fails(tmp_path):
    """Issue 4, "every secret that crossed the wire grepped in all logs"; the failure names logger and kind, not the secret."""
    (tmp_path / "test_careless.py").write_text(TEST)
    options = [
        "-p",
        "tests.secrecy.plugin",
        "-o",
        "asyncio_mode=auto",
        "-q",
        "--tb=line",
        "--show-capture=no",
        "--rootdir",
        str(tmp_path),
    ]
    command = [sys.executable, "-m", "pytest", *options, str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert "3 passed, 1 error" in done.stdout, done.stdout
    assert "careless: access_token" in done.stdout
    assert "eyJ" not in done.stdout


async def test_a_served_process_that_logs_a_cookie_is_caught_when_it_ends(application, tmp_path):
    """The same for a process of its own, whatever client has called."""
    entry = application / "init" / "app.py"
    entry.write_text(entry.read_text() + CARELESS)
    environment = {"DATABASE_URL": f"sqlite+aiosqlite:///{tmp_path}/x.sqlite3"}
    with pytest.raises(Leaks) as caught, Server(tmp_path / "server.log", environment, folder=application) as server:
        httpx2.get(server.url, headers={"Cookie": f"lazyapp={SECRET}"})
    assert "server.log: cookie" in str(caught.value)
    assert SECRET not in str(caught.value)


async def test_a_whole_login_is_seen(request, start):
    """Each kind of secret that a login has: were one missed, nobody would look for it."""
    journey = start()
    login = await journey.login()
    await journey.refresh(login.refresh_token)
    await journey.call(login.access_token)
    secrets = request.node.stash[LEDGER].secrets
    assert {"password", "code", "code_verifier", "access_token", "refresh_token", "transaction", "cookie"} <= set(secrets.values())
    assert {login.access_token, login.refresh_token, journey.verifier} <= secrets.keys()


def test_secrets_are_seen_wherever_a_request_has_them():
    """RFC 6749, section 2.3.1; RFC 7523, section 2.2; RFC 6750, section 2."""
    seen = {}
    visit = Visit(lambda kind, secret: seen.setdefault(secret, kind))
    basic = base64.b64encode(b"nightly:" + SECRET.encode())
    headers = [
        (b"authorization", b"Basic " + basic),
        (b"cookie", b"a=short; b=a-long-session-id"),
        (b"content-type", b"x-www-form"),
    ]
    visit.read_request({"query_string": b"state=not-a-secret-at-all&code=the-code-in-an-address", "headers": headers})
    visit.read_form({"type": "http.request", "body": b"client_assertion=header.pay", "more_body": True})
    visit.read_form({"type": "http.request", "body": b"load.signature", "more_body": False})
    visit.read_answer({"type": "http.response.start", "headers": [(b"Set-Cookie", b"lazyapp=new-session-id; Path=/")]})
    visit.read_answer({"type": "http.response.body", "body": b'{"client_secret": "made-for-you-alone"}'})
    assert seen == {
        basic.decode(): "basic credentials",
        SECRET: "client_secret",
        "a-long-session-id": "cookie",
        "the-code-in-an-address": "code",
        "header.payload.signature": "client_assertion",
        "new-session-id": "cookie",
        "made-for-you-alone": "client_secret",
    }


@pytest.mark.parametrize(
    "disguised",
    [
        SECRET,
        quote(SECRET),
        quote(SECRET, safe=""),
        base64.b64encode(f"{SECRET} and more".encode()).decode(),
        repr(SECRET.encode()),
    ],
)
def test_a_secret_is_found_in_every_spelling(disguised):
    with pytest.raises(Leaks, match=r"uvicorn\.access: code"):
        check({SECRET: "code"}, {"quiet": "nothing", "uvicorn.access": f"GET /x?code={disguised} 200"})
    check({SECRET: "code"}, {"uvicorn.access": "GET /x?code=s3cret/with+signs 200"})


def test_a_traceback_is_read_too():
    """The line of an exception is where values are most often seen."""
    ledger = Ledger()
    ledger.keep("password", SECRET)
    try:
        raise ValueError(SECRET)
    except ValueError:
        ledger.hear(logging.getLogger("x").makeRecord("x", logging.ERROR, "x.py", 1, "failed", (), sys.exc_info()))
    with pytest.raises(Leaks, match="x: password"):
        ledger.check()
