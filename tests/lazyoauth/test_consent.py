"""What a person is told before they agree, and when they are not asked again. RFC 9700, section 4.11."""

from dataclasses import replace

import pytest

from lazyoauth import RegisteredClient
from lazyoauth.consent import about, publisher_of
from lazyoauth.records import AuthorizationRequest, Client
from tests.lazyoauth.conftest import Start
from tests.lazyoauth.journey import Browser, Journey

DESK = RegisteredClient(id="desk", name="Desk", redirect_uris=("https://desk.example/cb", "http://localhost/cb"))
AT_DESK = {"client_id": "desk", "redirect_uri": "https://desk.example/cb"}


def asked(redirect_uri: str) -> AuthorizationRequest:
    return AuthorizationRequest(
        client_id="x",
        redirect_uri=redirect_uri,
        scope="mcp",
        asked_scope="mcp",
        resource="https://app.example/mcp",
        code_challenge="c",
    )


def client(name: str = "Notes", uri: str = "", **more: object) -> Client:
    known: dict[str, object] = {"id": "dyn1_x", "redirect_uris": ("https://notes.example/cb",), **more}
    return Client(name=name, uri=uri, **known)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("uri", "link"),
    [
        ("https://notes.example/", "https://notes.example/"),
        ("https://notes.example/about?x=1", "https://notes.example/about?x=1"),
        ("https://notes.example:443/", "https://notes.example:443/"),
        ("http://notes.example/", ""),
        ("https://evil.example/", ""),
        ("https://notes.example.evil.example/", ""),
        ("https://notes.example@evil.example/", ""),
        ("https://evil.example@notes.example/", ""),
        ("https://notes.example:8443/", ""),
        ("https://notes.example/\u202egnp", ""),
        ("https://notes.example/ x", ""),
        ("javascript:alert(1)", ""),
        ("https://[", ""),
        ("https://notes.example:x/", ""),
        ("", ""),
    ],
)
def test_only_a_home_page_on_the_same_host_becomes_a_link(uri, link):
    """A13: https, and the host to which the answer goes."""
    assert about(client(uri=uri), asked("https://notes.example/cb"))["client_link"] == link


def test_a_document_is_told_by_the_host_that_publishes_it():
    """Client ID metadata documents, section 4: the id is the URL of the document."""
    published = client("Claude", id="https://claude.ai/oauth/client", kind="document", uri="https://claude.ai/")
    told = about(published, asked("https://claude.ai/api/callback"))
    assert (told["client_publisher"], told["client_brand"], told["client_link"]) == ("claude.ai", "", "https://claude.ai/")
    borrowed = about(replace(published, id="https://evil.example/client"), asked("https://evil.example/cb"))
    assert (borrowed["client_publisher"], borrowed["client_brand"]) == ("evil.example", "Claude")


def test_on_this_machine_a_name_is_held_against_who_published_it():
    """RFC 8252, section 8.6: any program can answer there, so a client that registered itself has nothing to be held against."""
    local = asked("http://localhost:7777/cb")
    assert about(client("Claude Code"), local)["client_brand"] == ""
    assert about(client("Claude Code", id="https://claude.ai/x", kind="document"), local)["client_brand"] == ""
    assert about(client("Claude Code", id="https://evil.example/x", kind="document"), local)["client_brand"] == "Claude"


def test_who_is_vouched_for_may_bear_any_name():
    """The operator knows it."""
    known = client("Claude gateway", kind="registered", verified=True)
    assert about(known, asked("https://gateway.example/cb"))["client_brand"] == ""


@pytest.mark.parametrize(
    ("client_id", "host"), [("https://a.example/x", "a.example"), ("https://[", ""), ("dyn1_x", ""), ("http://a.example/", "")]
)
def test_the_publisher_is_in_the_id(client_id, host):
    """Whatever a stranger writes there."""
    assert publisher_of(client_id) == host


async def again(journey: Journey, **changes: str | None) -> Browser:
    """Another login of the same person, up to what follows the password."""
    browser = journey.browser()
    await browser.open("/oauth/authorize", journey.request(**changes))
    await browser.log_in()
    return browser


@pytest.fixture
async def remembered(start: Start) -> Journey:
    """Ada has agreed to the desk's request, and that login goes on."""
    journey = start(clients=(DESK,), scopes=("mcp", "notes"))
    journey.client_id = "desk"
    code = (await (await again(journey, **AT_DESK, scope="mcp notes")).decide("allow"))["code"]
    await journey.exchange(code, redirect_uri=AT_DESK["redirect_uri"])
    return journey


@pytest.mark.parametrize("scope", ["mcp notes", "mcp", "notes"])
async def test_what_was_agreed_to_is_not_asked_again(remembered, scope):
    """A11: the same client, host, resource, and no more scopes."""
    page = (await again(remembered, **AT_DESK, scope=scope)).page
    assert page.status_code == 303
    assert page.headers["location"].startswith("https://desk.example/cb?code=")


async def test_whatever_is_different_is_asked(remembered: Journey):
    """Another host, a prompt, another person; and everything once the login has ended."""
    remembered.users.add("bob", "correct horse", [])
    on_this_machine = await again(remembered, client_id="desk", redirect_uri="http://localhost:1234/cb")
    assert "Allow access?" in on_this_machine.page.text
    assert "Allow access?" in (await again(remembered, **AT_DESK, prompt="consent")).page.text
    stranger = remembered.browser()
    await stranger.open("/oauth/authorize", remembered.request(**AT_DESK))
    assert "Allow access?" in (await stranger.log_in("bob")).text
    (connection,) = await remembered.server.connections_of("ada")
    await remembered.server.revoke(connection.family_id)
    assert "Allow access?" in (await again(remembered, **AT_DESK)).page.text


async def test_more_than_was_agreed_to_is_asked(start: Start):
    """A11: the scope set."""
    journey = start(clients=(DESK,), scopes=("mcp", "notes"))
    journey.client_id = "desk"
    code = (await (await again(journey, **AT_DESK, scope="mcp")).decide("allow"))["code"]
    await journey.exchange(code, redirect_uri=AT_DESK["redirect_uri"])
    assert (await again(journey, **AT_DESK, scope="mcp")).page.status_code == 303
    assert "Allow access?" in (await again(journey, **AT_DESK, scope="mcp notes")).page.text


async def test_a_client_that_registered_itself_is_never_remembered(journey: Journey):
    """https://github.com/neondatabase/mcp-server-neon/issues/66: while a login of it goes on, too."""
    await journey.login()
    assert len(await journey.server.connections_of("ada")) == 1
    assert "Allow access?" in (await again(journey)).page.text


async def test_an_application_says_what_its_scopes_allow(start: Start):
    """In words, on the page; without them the scope's name."""
    journey = start(scopes=("mcp", "notes", "files"), scope_texts={"notes": "Read <your> notes"}, name="Shop")
    await journey.register()
    page = (await again(journey, scope=None)).page.text
    assert "<li>Read &lt;your&gt; notes</li>" in page
    assert "<li>files in Shop</li>" in page
