"""`/_lazy/logins`: who sees it, and what it says."""

import asyncio
from collections.abc import Mapping
from html.parser import HTMLParser
from pathlib import Path

import httpx2
import pytest

import lazyapp
import lazyauth
import lazymcp
import lazyoauth
from lazyapp.login_trace import KEPT, PATH, LoginTrace, logins
from lazyapp.settings import Settings
from lazyoauth import Event

SECRET = "0123456789abcdef" * 4


def event(endpoint: str, client: str = "", outcome: str = "ok", when: float = 0.0, **more: str) -> Event:
    return Event(when, endpoint, client, outcome, "RFC 6749, section 5.2", **more)


async def ask(
    trace: LoginTrace,
    *,
    peer: str = "127.0.0.1",
    host: str = "localhost:3000",
    method: str = "GET",
    more: Mapping[str, str] | None = None,
) -> httpx2.Response:
    transport = httpx2.ASGITransport(app=trace.page, client=(peer, 50000))
    async with httpx2.AsyncClient(transport=transport, base_url="http://localhost:3000") as http:
        return await http.request(method, PATH, headers={"host": host, **(more or {})})


@pytest.mark.parametrize(("peer", "host"), [("127.0.0.1", "localhost:3000"), ("::1", "[::1]:3000"), ("127.0.0.1", "127.0.0.1")])
async def test_this_machine_sees_the_page(peer: str, host: str) -> None:
    assert (await ask(LoginTrace(), peer=peer, host=host)).status_code == 200


@pytest.mark.parametrize(
    ("peer", "host"),
    [
        ("192.0.2.7", "localhost:3000"),  # from the network
        ("127.0.0.1", "example.ngrok.app"),  # by a tunnel, which connects from here
        ("127.0.0.1", "localhost.evil.example"),  # by a name that leads here
        ("127.0.0.1", "127.0.0.1.evil.example"),
    ],
)
async def test_nobody_else_does(peer: str, host: str) -> None:
    answer = await ask(LoginTrace(), peer=peer, host=host)
    assert (answer.status_code, answer.text) == (404, "Not Found\n")


@pytest.mark.parametrize("name", ["Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-IP", "CF-Connecting-IP"])
async def test_a_tunnel_that_says_our_host_does_not_either(name: str) -> None:
    """`ngrok http --host-header=rewrite` and `cloudflared --http-host-header` put localhost in the place of their own name."""
    answer = await ask(LoginTrace(), more={name: "198.51.100.7"})
    assert (answer.status_code, answer.text) == (404, "Not Found\n")


async def test_nothing_can_be_sent_to_it() -> None:
    assert (await ask(LoginTrace(), method="POST")).status_code == 404
    assert (await ask(LoginTrace(), method="HEAD")).text == ""


async def test_what_strangers_say_is_shown_as_text_and_runs_nowhere() -> None:
    trace = LoginTrace()
    trace(event("register", "<script>alert(1)</script>", detail="<img src=x>", client_name="<b>Claude</b>"))
    answer = await ask(trace)
    tags = _tags(answer.text)
    assert "script" not in tags
    assert "img" not in tags
    assert "&lt;b&gt;Claude&lt;/b&gt;" in answer.text
    assert "script-src" not in answer.headers["content-security-policy"]
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert answer.headers["cache-control"] == "no-store"


async def test_a_broken_step_is_marked_in_words_and_its_rule_is_a_link() -> None:
    trace = LoginTrace()
    trace(event("token", "c", "invalid_grant", detail="it was used before", client_name="Codex"))
    page = (await ask(trace)).text
    assert "✗ invalid_grant" in page
    assert 'href="https://www.rfc-editor.org/rfc/rfc6749#section-5.2"' in page
    assert "1 step, 1 went wrong" in page


async def test_its_bar_leads_to_the_pages_beside_it() -> None:
    trace = LoginTrace()
    assert "<nav" not in (await ask(trace)).text
    trace.links = [("/_lazy/routes", "Routes"), (PATH, "Logins")]
    page = (await ask(trace)).text
    assert '<a href="/_lazy/routes">Routes</a>' in page
    assert f'<a href="{PATH}" aria-current="page">Logins</a>' in page


@pytest.mark.parametrize("more", [{"sec-fetch-site": "cross-site"}, {"origin": "https://evil.example"}])
async def test_no_other_site_sees_it(more: Mapping[str, str]) -> None:
    """Fetch Metadata Request Headers, section 2.4."""
    answer = await ask(LoginTrace(), more=more)
    assert (answer.status_code, answer.text) == (404, "Not Found\n")


async def test_an_empty_trace_says_what_to_do() -> None:
    assert "Connect one to /mcp" in (await ask(LoginTrace())).text


async def test_it_keeps_the_last_events_only() -> None:
    trace = LoginTrace()
    for number in range(KEPT + 5):
        trace(event("token", f"client-{number}"))
    page = (await ask(trace)).text
    assert "client-4<" not in page
    assert f"client-{KEPT + 4}<" in page


async def test_the_applications_own_observer_is_told_as_well() -> None:
    told: list[Event] = []
    trace = LoginTrace(told.append)
    trace(event("token", "c"))
    assert [found.client for found in told] == ["c"]


def test_each_login_is_a_group_with_the_steps_before_the_client_had_a_name() -> None:
    events = [
        event("resource", outcome="challenged"),
        event("server document"),
        event("register", "a"),
        event("authorize", "a"),
        event("register", "b", when=1.0),
        event("token", "a", when=2.0),
        event("authorize", "a", when=3.0),
        event("resource", outcome="challenged", when=900.0),
    ]
    assert [[(found.endpoint, found.client) for found in group] for group in logins(events)] == [
        [("resource", ""), ("server document", ""), ("register", "a"), ("authorize", "a"), ("token", "a")],
        [("register", "b")],
        [("authorize", "a")],
        [("resource", "")],
    ]


def test_what_was_asked_long_before_is_no_part_of_a_login() -> None:
    events = [event("server document"), event("server document", when=500.0), event("register", "a", when=900.0)]
    assert [len(group) for group in logins(events)] == [1, 1, 1]


@pytest.mark.parametrize(("env", "status"), [("development", 200), ("test", 404), ("production", 404)])
async def test_an_application_has_the_page_in_development_alone(tmp_path: Path, env: str, status: int) -> None:
    answers = await _served(tmp_path, env, {"host": "localhost:3000"})
    assert answers[PATH].status_code == status
    assert ("Call of /mcp" in answers[PATH].text) == (env == "development")


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: set[str] = set()

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.found.add(tag)


def _tags(html: str) -> set[str]:
    parser = _Tags()
    parser.feed(html)
    return parser.found


class _NoteMCP(lazymcp.Base):
    @lazymcp.tool
    def note(self) -> str:
        """Read the note."""
        return "noted"


async def _served(folder: Path, env: str, headers: Mapping[str, str]) -> dict[str, httpx2.Response]:
    """A refused call of /mcp and then the page, of an application in that environment."""
    config = lazyapp.Config(
        name="notes",
        oauth=lambda ctx: lazyoauth.Config(
            issuer=ctx.settings.public_url,
            refresh_token_states=_Durable(),
            authenticator=_Kept(),
        ),
        mcp=lambda ctx, scope: scope.register(_NoteMCP()),
    )
    url = "https://notes.example" if env == "production" else "http://localhost:3000"
    database = f"sqlite:///{folder}/notes.sqlite3"
    settings = Settings(
        env=env,
        root=folder,
        given_public_url=url,
        secret_key=SECRET,
        database_url=database,
        allowed_hosts="localhost",
        migrate="auto",
    )
    app = lazyapp.App(config, settings=settings)
    async with app.router.lifespan_context(app):
        transport = httpx2.ASGITransport(app=app, client=("127.0.0.1", 50000))
        async with httpx2.AsyncClient(transport=transport, base_url="http://localhost:3000") as http:
            await asyncio.wait_for(http.post("/mcp", json={}), 30)
            return {PATH: await http.get(PATH, headers=headers)}


class _Durable(lazyoauth.MemoryRefreshTokenStates):
    is_shared = is_durable = True


class _Kept:
    """Users of an application's own, of whom nobody signs in here."""

    async def authenticate(self, credential: lazyauth.Credential) -> lazyauth.User:
        raise lazyauth.InvalidCredentials

    async def find_user(self, user_id: str) -> lazyauth.User | None:
        return None
