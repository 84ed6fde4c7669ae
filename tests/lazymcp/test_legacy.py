"""lazymcp/legacy.py: the porch of 2025-11-25, 2025-06-18 and 2025-03-26."""

import ast
import re
from pathlib import Path

import pytest

import lazymcp
from lazymcp import legacy
from lazymcp.protocol import VERSION_KEY
from tests.lazymcp.admin_module import AdminMCP
from tests.lazymcp.asgi_peer import MODERN, OLDER, served


@pytest.fixture(params=OLDER)
def peer(request):
    return served(AdminMCP(), era=request.param, secret="secret", instructions="Count first.")


async def test_initialize_settles_on_the_revision_the_client_asked_for(peer):
    """2025-11-25, basic/lifecycle, "Version negotiation"."""
    answer = await peer.initialize()
    assert answer.result["protocolVersion"] == peer.era
    assert answer.result["serverInfo"] == {"name": "lazymcp", "version": "0"}
    assert answer.result["instructions"] == "Count first."
    assert set(answer.result["capabilities"]) >= {"tools", "resources", "prompts", "extensions", "logging"}
    assert (await peer.ask("tools/list")).status == 200
    assert (await peer.ask("ping")).result == {}


@pytest.mark.parametrize("asked", ["2024-11-05", "1.0", MODERN, "2099-01-01"])
async def test_another_revision_is_offered_our_newest_of_the_handshake(asked):
    peer = served(AdminMCP(), era=OLDER[0])
    assert (await peer.initialize(protocolVersion=asked)).result["protocolVersion"] == OLDER[0]


@pytest.mark.parametrize("params", [{"protocolVersion": 5}, {"capabilities": []}, {"clientInfo": "me"}, {"protocolVersion": None}])
async def test_a_malformed_handshake_is_refused(peer, params):
    assert (await peer.initialize(**params)).error["code"] == -32602


async def test_a_session_is_ended_with_404_and_a_missing_one_is_no_harm(peer):
    """2025-11-25, basic/transports: 404 lets the client initialize again; https://github.com/datagouv/datagouv-mcp/issues/25."""
    assert (await peer.ask("tools/list")).status == 200
    answer = await peer.ask("tools/list", headers={"mcp-session-id": "nonsense"})
    assert (answer.status, answer.error["code"]) == (404, -32600)
    message = peer.message("notifications/initialized")
    del message["id"]
    answer = await peer.post(
        b'{"jsonrpc":"2.0","method":"notifications/initialized"}', {**peer.headers_for(message), "mcp-session-id": "x"}
    )
    assert answer.status == 404


async def test_any_server_with_the_secret_goes_on_with_a_session(peer):
    """https://github.com/PrefectHQ/fastmcp/issues/1003."""
    await peer.initialize()
    other = served(AdminMCP(), era=peer.era, secret="secret")
    other.headers = peer.headers
    assert (await other.ask("tools/list")).status == 200


async def test_a_session_goes_on_when_the_secret_is_replaced(peer):
    """Design, section 5: keys rotate with fallbacks."""
    await peer.initialize()
    other = served(AdminMCP(), era=peer.era, secret="new", secret_fallbacks=("secret",))
    other.headers = peer.headers
    assert (await other.ask("tools/list")).status == 200
    gone = served(AdminMCP(), era=peer.era, secret="new")
    gone.headers = peer.headers
    assert (await gone.ask("tools/list")).status == 404


@pytest.mark.parametrize("version", ["2024-11-05", "1.0", "2025-06-17", ""])
async def test_a_version_header_we_do_not_know_is_400(peer, version):
    """2025-06-18, basic/transports."""
    answer = await peer.ask("tools/list", headers={"mcp-protocol-version": version})
    assert (answer.status, answer.error["code"]) == (400, -32022)
    assert set(OLDER) < set(answer.error["data"]["supported"])


async def test_a_missing_version_header_is_the_oldest(peer):
    assert (await peer.ask("tools/list", headers={"mcp-protocol-version": None})).status == 200


async def test_errors_about_a_request_are_answers_like_others(peer):
    """Before 2026-07-28 the status told about the transport only."""
    answer = await peer.ask("no/such")
    assert (answer.status, answer.error["code"]) == (200, -32601)
    assert (await peer.ask("server/discover")).error["code"] == -32601


async def test_meta_must_still_be_an_object(peer):
    for meta in ("x", [], 5):
        assert (await peer.ask("tools/list", {"_meta": meta})).error["code"] == -32602
    assert (await peer.ask("tools/list", progressToken=1.5)).error["code"] == -32602


@pytest.mark.parametrize(
    ("params", "header", "is_modern"),
    [
        ({}, None, False),
        ({}, OLDER[0], False),
        ({}, "2024-11-05", False),
        ({}, MODERN, True),
        ({}, "2027-01-01", True),
        ({"_meta": {VERSION_KEY: MODERN}}, None, True),
        ({"_meta": {VERSION_KEY: 5}}, OLDER[0], True),
        ({"_meta": {"progressToken": 1}}, None, False),
        ({"_meta": "x"}, None, False),
    ],
)
def test_the_era_of_a_request(params, header, is_modern):
    """Design, section 4: the body decides."""
    headers = {} if header is None else {b"mcp-protocol-version": header.encode()}
    assert legacy.is_modern(params, headers) is is_modern


async def test_a_list_is_kept_in_both_forms():
    peer = served(AdminMCP(), era=OLDER[0])
    first, second = [(await peer.ask("tools/list")).body for _ in range(2)]
    assert first == second
    peer.era = MODERN
    assert (await peer.ask("tools/list")).result["resultType"] == "complete", "the older form is a copy"


def test_only_the_porch_speaks_of_older_revisions():
    """Design, section 1: one revision is the house, the others are a porch."""
    words = re.compile("|".join([*OLDER, "initialize", "32002", "session-id"]))
    knowing = set()
    for path in Path(lazymcp.__file__).parent.glob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        said = [str(node.value) for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in docs]
        if any(words.search(text) for text in said):
            knowing.add(path.name)
    assert knowing == {"legacy.py", "sessions.py", "porch.py", "conversation.py", "legacy_desk.py"}
