"""A36: everything that is secret crosses the wire of a process that logs all it can, and stands in no log and on no error page."""

import secrets
import time

import httpx2
import pytest

from lazyoauth import http, pages
from tests.attacks.harness import attack
from tests.attacks.spying import Spy
from tests.flows.authorization import CHALLENGE, VERIFIER, Wire
from tests.flows.browser import Browser
from tests.flows.conftest import application
from tests.flows.python_clients import CALLBACK
from tests.flows.serving import PASSWORD, SECRET_KEY, USER, Server
from tests.lazyoauth.journey import PASSWORD as ADAS
from tests.lazyoauth.signing import Signer
from tests.lazyoauth.test_client_credentials import basic

__all__ = ["application"]

CRASH = """

@app.get("/boom")
async def boom(password: str = "") -> None:
    raise RuntimeError("boom")
"""
#: Called while the application starts, which is after the web server has set up its own logging.
TALK = """
import logging


def talk() -> None:
    logging.basicConfig(level=logging.DEBUG, force=True)
    for name in list(logging.root.manager.loggerDict):
        logger = logging.getLogger(name)
        logger.setLevel(logging.DEBUG)
        logger.propagate = True


"""

#: A client with a secret and one with a key, to be put below.
CLIENTS = """

CLIENTS = (
    lazyoauth.RegisteredClient(id="nightly", name="Nightly", grant_types=("client_credentials",), secret={secret!r}),
    lazyoauth.RegisteredClient(id="robot", name="Robot", grant_types=("client_credentials",), jwks={jwks!r}),
)
"""
WRONG_PASSWORD = "a wrong password"
CLIENT_SECRET = "of the nightly report: 30 characters + more"
ROBOT = Signer("robot", time.time)


async def test_a36_no_secret_is_logged_or_shown_at_debug(application, tmp_path):
    """RFC 9700, section 4.2; OWASP, logging: a whole login, its mistakes, a crash with its development page, all at DEBUG."""
    entry = application / "init" / "app.py"
    entry.write_text(entry.read_text() + CRASH)
    settings = application / "init" / "oauth.py"
    ours = (
        settings.read_text().replace("    return", "    talk()\n    return").replace("issuer=", "clients=CLIENTS,\n        issuer=")
    )
    settings.write_text(TALK + ours + CLIENTS.format(secret=CLIENT_SECRET, jwks=ROBOT.jwks))
    spy = Spy()
    environment = {"DATABASE_URL": f"sqlite+aiosqlite:///{tmp_path}/logs.sqlite3"}
    async with httpx2.AsyncClient(timeout=30, event_hooks=spy.hooks()) as client, Browser(callback=CALLBACK) as browser:
        browser._http.event_hooks = spy.hooks()
        with Server(tmp_path / "server.log", environment, folder=application) as server:
            page = await everything(Wire(client, server.url), client, browser, server.url)
            await clients_of_their_own(client, server.url)
            await sign_in_to_the_pages(browser, server.url)
        log = server.log
    assert log.count("DEBUG") > 50, "it was talkative"
    assert {
        "password",
        "code",
        "code_verifier",
        "access_token",
        "refresh_token",
        "cookie",
        "authorization Bearer",
        "authorization Basic",
        "client_secret",
        "client_assertion",
        "state",
    } <= spy.secrets.keys()
    spy.secrets |= {"SECRET_KEY": {SECRET_KEY}, "the secret itself": {CLIENT_SECRET, PASSWORD, WRONG_PASSWORD}}
    assert spy.found_in(log) == []
    assert spy.found_in(page) == []


async def everything(wire, client, browser, url):
    """A login with its mistakes; the text of the error page of a crash that had secrets in its request."""
    client_id = await wire.register()
    state = secrets.token_urlsafe(16)
    asked = {
        "response_type": "code",
        "client_id": client_id,
        "redirect_uri": CALLBACK,
        "code_challenge": CHALLENGE,
        "code_challenge_method": "S256",
        "state": state,
    }
    await browser.open(str(httpx2.URL(f"{url}/oauth/authorize", params=asked)))
    await browser.submit({"User name": USER, "Password": WRONG_PASSWORD})
    await browser.submit({"User name": USER, "Password": PASSWORD})
    await browser.submit(press="Allow")
    code = dict(httpx2.URL(browser.came_back).params)["code"]
    form = {"grant_type": "authorization_code", "code": code, "redirect_uri": CALLBACK, "client_id": client_id}
    await wire.token(form | {"code_verifier": "w" * 50})
    tokens = (await wire.token(form | {"code_verifier": VERIFIER})).json()
    assert (await wire.call(tokens["access_token"])).status_code == 200
    refreshing = {"grant_type": "refresh_token", "client_id": client_id}
    fresh = (await wire.token(refreshing | {"refresh_token": tokens["refresh_token"]})).json()
    await wire.token(refreshing | {"refresh_token": tokens["refresh_token"]})
    await wire.token(form | {"code_verifier": VERIFIER, "client_secret": secrets.token_urlsafe(20)})
    await client.post(f"{url}/oauth/revoke", data={"client_id": client_id, "token": fresh["refresh_token"]})
    await client.get(f"{url}/mcp", params={"access_token": tokens["access_token"]})
    headers = {
        "Authorization": f"Bearer {tokens['access_token']}",
        "Cookie": "lazyapp=" + secrets.token_urlsafe(30),
        "Accept": "text/html",
    }
    crashed = await client.get(f"{url}/boom", headers=headers)
    assert crashed.status_code == 500
    return crashed.text


async def clients_of_their_own(client, url):
    """Each way in which a client proves itself, right and wrong. RFC 6749, section 2.3.1; RFC 7523, section 2.2."""
    asked = {"grant_type": "client_credentials"}
    in_body = {"client_id": "nightly", "client_secret": CLIENT_SECRET}
    wrong = in_body | {"client_secret": secrets.token_urlsafe(24)}
    good, other = ROBOT.form(ROBOT.sign(aud=url)), ROBOT.form(ROBOT.sign(aud="https://elsewhere.example"))
    expected = [
        ({}, basic("nightly", CLIENT_SECRET), 200),
        ({}, basic("nightly", wrong["client_secret"]), 401),
        (in_body, {}, 200),
        (wrong, {}, 401),
        (good, {}, 200),
        (good, {}, 401),
        (other, {}, 401),
    ]
    for form, headers, status in expected:
        answer = await client.post(f"{url}/oauth/token", data=asked | form, headers=headers)
        assert answer.status_code == status, answer.text
        if status == 200:
            token = answer.json()["access_token"]
            told = await client.post(f"{url}/oauth/introspect", data={"token": token}, headers=basic("nightly", CLIENT_SECRET))
            assert told.json()["active"], told.text


async def sign_in_to_the_pages(browser, url):
    """The login of the pages, wrong and right, and out again."""
    browser._http.cookies.clear()
    for password in (WRONG_PASSWORD, PASSWORD):
        await browser.open(f"{url}/login?next=/accounts")
        page = await browser.submit({"User name": USER, "Password": password})
    assert page.url == f"{url}/accounts"
    await browser.open(f"{url}/oauth/connections")


def take_out_silence(patch: pytest.MonkeyPatch) -> None:
    """Whoever logs what came in, as Authlib's debug lines do."""
    read = http.read_form

    async def tell(request):
        parameters = await read(request)
        http.logger.debug("form: %r", parameters.single)
        return parameters

    patch.setattr(http, "read_form", tell)
    patch.setattr(pages, "read_form", tell)


@pytest.mark.leaks
@attack(parameters_are_not_logged=take_out_silence)
async def test_a36_what_a_form_carries_is_logged(start, caplog):
    """The same in this process, where a line that says too much can be put in."""
    caplog.set_level("DEBUG")
    journey = start()
    login = await journey.login()
    await journey.refresh(login.refresh_token)
    spoken = caplog.text
    secret = {
        "password": ADAS,
        "verifier": journey.verifier,
        "access token": login.access_token,
        "refresh token": login.refresh_token,
    }
    return [name for name, value in secret.items() if value in spoken]
