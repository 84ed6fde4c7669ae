"""What users complained about that only a whole application can show: paths, OAuth's documents, services."""

import json

import pytest
from starlette.testclient import TestClient

import lazyapp
import lazymcp
import lazyoauth
from lazyapp.settings import Settings
from lazymcp import tool
from tests.lazymcp.asgi_peer import ERAS, MODERN, OLDER, Peer, read_events

ORIGIN = "https://tools.example.com"


class Notes:
    """A service that counts its lives."""

    opened = 0


class NotesMCP(lazymcp.Base):
    def __init__(self, notes):
        self.notes = notes

    @tool
    async def opened(self) -> int:
        """How often the service was opened."""
        return self.notes.opened

    @tool(scopes=["notes:write"])
    async def write(self) -> str:
        """Write."""
        return "written"


def application(folder, *, has_oauth=False):
    class Counted(Notes):
        opened = 0

    async def open_notes():
        Counted.opened += 1
        yield Counted()

    return lazyapp.App(
        lazyapp.Config(
            name="notes",
            dependencies=lambda services: services.add(Counted, open_notes),
            mcp=lambda ctx, scope: scope.register(NotesMCP(ctx.get(Counted))),
            oauth=oauth if has_oauth else None,
        ),
        settings=Settings(env="test", root=folder, given_public_url=ORIGIN),
    )


def oauth(ctx):
    return lazyoauth.Config(issuer=ctx.settings.public_url, refresh_token_states=lazyoauth.MemoryRefreshTokenStates())


@pytest.fixture
def client(tmp_path):
    with TestClient(application(tmp_path), base_url=ORIGIN, follow_redirects=False) as opened:
        yield opened


@pytest.fixture
def guarded(tmp_path):
    with TestClient(application(tmp_path, has_oauth=True), base_url=ORIGIN, follow_redirects=False) as opened:
        yield opened


def post(client, peer, method, params=None, path="/mcp"):
    message = peer.message(method, params)
    headers = {name: value for name, value in peer.headers_for(message).items() if name != "host"}
    answer = client.post(path, content=json.dumps(message), headers=headers)
    if "mcp-session-id" in answer.headers:
        peer.headers["mcp-session-id"] = answer.headers["mcp-session-id"]
    return answer


def result_of(answer):
    assert answer.status_code == 200, answer.text
    if answer.headers["content-type"] == "text/event-stream":
        return json.loads(read_events(answer.content)[-1].data)["result"]
    return answer.json()["result"]


def begin(client, peer, path="/mcp"):
    said = {"protocolVersion": peer.era, "capabilities": {}, "clientInfo": peer.client}
    return result_of(post(client, peer, "initialize", said, path))


@pytest.mark.requirement("COMPLAINT-7")
@pytest.mark.parametrize("era", OLDER)
def test_a_session_goes_on_at_the_other_spelling_of_the_path(client, era):
    """https://github.com/PrefectHQ/fastmcp/issues/585."""
    for first, second in [("/mcp", "/mcp/"), ("/mcp/", "/mcp")]:
        peer = Peer(None, era)
        begin(client, peer, first)
        assert "mcp-session-id" in peer.headers
        assert result_of(post(client, peer, "tools/list", path=second))["tools"]


@pytest.mark.requirement("COMPLAINT-8")
def test_the_documents_stand_where_a_client_looks_for_them(guarded):
    """https://github.com/PrefectHQ/fastmcp/issues/2077, https://github.com/modelcontextprotocol/python-sdk/issues/1264."""
    challenge = post(guarded, Peer(None), "tools/list").headers["www-authenticate"]
    address = challenge.partition('resource_metadata="')[2].partition('"')[0]
    # RFC 9728, section 3.1: between the host and the path of the resource.
    assert address == f"{ORIGIN}/.well-known/oauth-protected-resource/mcp"
    document = guarded.get(address).json()
    assert document["resource"] == f"{ORIGIN}/mcp"
    (issuer,) = document["authorization_servers"]
    assert guarded.get(f"{issuer}/.well-known/oauth-authorization-server").json()["issuer"] == issuer


@pytest.mark.requirement("COMPLAINT-9")
def test_issuer_and_resource_stand_as_they_were_written(guarded):
    """https://github.com/modelcontextprotocol/python-sdk/issues/1919, https://github.com/modelcontextprotocol/python-sdk/issues/1265."""
    server = guarded.get("/.well-known/oauth-authorization-server").json()
    resource = guarded.get("/.well-known/oauth-protected-resource/mcp").json()
    assert server["issuer"] == ORIGIN
    assert resource["resource"] == f"{ORIGIN}/mcp"
    assert resource["authorization_servers"] == [ORIGIN]
    assert [value for value in (*server.values(), *resource.values()) if isinstance(value, str) and value.endswith("/")] == []


@pytest.mark.requirement("COMPLAINT-10")
def test_a_challenge_names_the_scope(guarded):
    """https://github.com/modelcontextprotocol/python-sdk/issues/3103."""
    refused = post(guarded, Peer(None), "tools/call", {"name": "notes.write"})
    assert refused.status_code == 401
    assert 'scope="mcp"' in refused.headers["www-authenticate"]


@pytest.mark.requirement("COMPLAINT-11")
@pytest.mark.parametrize("era", ERAS)
def test_the_public_name_is_served_without_another_setting(client, era):
    """https://github.com/modelcontextprotocol/python-sdk/issues/1798, https://github.com/apache/doris-mcp-server/issues/203."""
    peer = Peer(None, era)
    if era != MODERN:
        begin(client, peer)
    assert result_of(post(client, peer, "tools/list"))["tools"]
    foreign = client.post("https://evil.example.com/mcp", content="{}", headers={"content-type": "application/json"})
    assert foreign.status_code in {400, 421}


@pytest.mark.requirement("COMPLAINT-15")
def test_services_are_opened_once_for_all_sessions(client):
    """https://github.com/modelcontextprotocol/python-sdk/issues/1304, https://github.com/PrefectHQ/fastmcp/issues/1115."""
    for era in (*ERAS, *ERAS):
        peer = Peer(None, era)
        if era != MODERN:
            begin(client, peer)
        for _ in range(3):
            answer = post(client, peer, "tools/call", {"name": "notes.opened"})
            assert result_of(answer)["structuredContent"] == {"result": 1}
