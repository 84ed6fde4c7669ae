"""A13 in a real browser: what a client says of itself reaches the page as text, and nothing of it runs."""

import json
import shutil
import time
from pathlib import Path
from urllib.parse import urlencode

import httpx2
import jinja2
import pytest

from lazyoauth import Config, MemoryRefreshTokenStates, Server, answers, http
from tests.attacks.harness import attack
from tests.attacks.test_pages import Unescaped
from tests.flows.node import answer_of, packages
from tests.flows.served import served
from tests.flows.test_pages_axe import Late
from tests.lazymcp.chromium import find_chromium
from tests.lazyoauth.journey import CALLBACK, PASSWORD, SECRET, Clock, Journey, make_users, mount
from tests.lazyoauth.publisher import Publisher

SCRIPT = Path(__file__).with_name("markup.mjs")
RUN_TIMEOUT_S = 120
MARK = "Marked"
#: Each in a text and out of an attribute's quotes.
RUNNING = ('"><script>alert(1)</script>', '"><img src=x onerror=alert(1)>', "<svg/onload=alert(1)>")
DOCUMENT = "https://client.example/{}.json"


async def open_in_chromium(cache: pytest.Cache, folder: Path, origin: str, visits: dict[str, str]) -> list[str]:
    """What it found, by visit."""
    node, installed = packages(cache, ("playwright-core@1.65.1",))
    shutil.copy(SCRIPT, installed)
    job = {"chromium": find_chromium(), "origin": origin, "visits": visits, "user": "ada", "password": PASSWORD, "mark": MARK}
    (folder / "job.json").write_text(json.dumps(job))
    found: list[str] = await answer_of(node, installed / SCRIPT.name, str(folder / "job.json"), timeout_s=RUN_TIMEOUT_S)
    return found


async def visits_of(journey: Journey, publisher: Publisher) -> dict[str, str]:
    """A registration, a document and a broken request for each payload."""
    visits = {}
    for number, payload in enumerate(RUNNING):
        said = {"scope": payload, "state": payload, "login_hint": payload}
        named = f"{MARK} {payload}"
        await journey.register(client_name=named, client_uri="javascript:alert(1)")
        visits[f"registered {number}"] = f"/oauth/authorize?{urlencode(journey.request(**said))}"
        document = DOCUMENT.format(number)
        about = {"client_id": document, "client_name": named, "client_uri": "https://client.example/'onload=alert(1)"}
        publisher.publish(document, {**about, "redirect_uris": [CALLBACK], "token_endpoint_auth_method": "none"})
        visits[f"document {number}"] = f"/oauth/authorize?{urlencode(journey.request(client_id=document, **said))}"
        wrong = journey.request(client_id=payload, redirect_uri=payload)
        visits[f"error {number}"] = f"/oauth/authorize?{urlencode(wrong)}"
    return visits


def take_out_escaping(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(jinja2, "Environment", Unescaped)


async def pages_seen(cache: pytest.Cache, folder: Path, caplog: pytest.LogCaptureFixture) -> list[str]:
    """What Chromium found on all pages of a server of our own."""
    # A bare uvicorn writes down whole addresses; `lazyapp serve` does not.
    caplog.set_level("WARNING", "uvicorn.access")
    late, publisher = Late(), Publisher()
    await publisher.open()
    async with served(late) as url, httpx2.AsyncClient(base_url=url) as client:
        config = Config(
            issuer=url,
            refresh_token_states=MemoryRefreshTokenStates(time.time),
            authenticator=make_users(),
            secret=SECRET,
            test_documents=publisher.bases,
        )
        server = Server(config)
        late.app = mount(server)
        journey = Journey(server, client, make_users(), Clock())
        found = await open_in_chromium(cache, folder, url, await visits_of(journey, publisher))
    await publisher.close()
    return found


@pytest.mark.slow
@attack(escaping=take_out_escaping)
async def test_a13_chromium_finds_markup_in_what_a_client_says(cache, tmp_path, caplog):
    """OWASP, cross-site scripting: on the login, consent and error pages, by registration and by document."""
    found = await pages_seen(cache, tmp_path, caplog)
    # CSP Level 3: `default-src 'none'` is a second guard, and stops what the first would have let in.
    assert not [line for line in found if "ran" in line.split()]
    return found


@pytest.mark.slow
async def test_a13_chromium_runs_what_a_client_says_where_neither_guard_is(cache, tmp_path, caplog, monkeypatch):
    """So it was the policy that stopped it above, and no payload is one in name only."""
    take_out_escaping(monkeypatch)
    monkeypatch.setattr(answers, "HEADERS", dict(http.NO_STORE))
    found = await pages_seen(cache, tmp_path, caplog)
    for number in range(len(RUNNING)):
        assert [line for line in found if line.endswith("ran 1") and f" {number}:" in line], (number, found)
