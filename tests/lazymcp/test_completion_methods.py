"""lazymcp/completion_methods.py: `completion/complete` (MCP, server/utilities/completion)."""

import pytest

from lazyauth import Claims, User, signed_in
from lazymcp import Base, prompt
from tests.lazymcp.asgi_peer import ERAS, served
from tests.lazymcp.test_completion import REPORT, USER, Directory, asked


@pytest.fixture(params=ERAS, scope="module")
def peer(request):
    return served(Directory(), era=request.param)


@pytest.mark.parametrize(
    ("ref", "name"),
    [
        ({"type": "ref/prompt", "name": "directory.nobody"}, "x"),
        ({"type": "ref/prompt", "name": "directory.emails"}, "x"),
        ({"type": "ref/prompt", "name": "directory.fixed"}, "x"),
        ({"type": "ref/prompt", "name": 5}, "x"),
        ({"type": "ref/prompt"}, "x"),
        ({"type": "ref/resource", "uri": "app://nothing"}, "x"),
        ({"type": "ref/resource", "uri": "app://one"}, "x"),
        ({"type": "ref/resource", "name": "directory.report"}, "who"),
        ({"type": "ref/tool", "name": "directory.report"}, "who"),
        ({}, "x"),
        ([], "x"),
        (None, "x"),
        (REPORT, "nobody"),
        (REPORT, ""),
    ],
)
async def test_what_is_unknown_is_the_clients_mistake(peer, ref, name):
    """Completion, "Error handling": -32602."""
    assert (await asked(peer, ref, name, "a")).error["code"] == -32602


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"ref": REPORT},
        {"ref": REPORT, "argument": {}},
        {"ref": REPORT, "argument": {"name": "who"}},
        {"ref": REPORT, "argument": {"name": "who", "value": 5}},
        {"ref": REPORT, "argument": {"name": ["who"], "value": ""}},
        {"ref": REPORT, "argument": [], "context": {}},
        {"ref": REPORT, "argument": {"name": "who", "value": ""}, "context": []},
        {"ref": REPORT, "argument": {"name": "who", "value": ""}, "context": {"arguments": []}},
        {"ref": REPORT, "argument": {"name": "who", "value": ""}, "context": {"arguments": {"kind": 5}}},
    ],
)
async def test_what_is_malformed_is_the_clients_mistake(peer, params):
    assert (await peer.ask("completion/complete", params)).error["code"] == -32602


async def test_an_empty_context_is_none(peer):
    for context in (None, {}, {"arguments": None}, {"arguments": {}}):
        params = {"ref": REPORT, "argument": {"name": "kind", "value": "b"}, "context": context}
        assert (await peer.ask("completion/complete", params)).result["completion"]["values"] == ["brief"]


async def test_what_a_caller_may_not_see_completes_like_the_unknown():
    """Design, section 4: what the authorizer hides answers exactly like the unknown."""
    peer = served(Directory())
    for ref, name in ((REPORT, "who"), (USER, "email")):
        with signed_in(User("eve"), Claims({"sub": "eve", "mcps": []})):
            hidden = (await asked(peer, ref, name, "a")).error
        kind = next(key for key in ("name", "uri") if key in ref)
        unknown = (await asked(peer, {**ref, kind: "other"}, name, "a")).error
        assert hidden == {**unknown, "message": hidden["message"]} | ({"data": {"uri": USER["uri"]}} if kind == "uri" else {})
        assert hidden["message"] == unknown["message"].replace("other", ref[kind])


@pytest.mark.parametrize("era", ERAS)
async def test_the_capability_is_declared_where_something_completes(era):
    """Completion, "Capabilities"."""

    class Plain(Base):
        @prompt
        def plain(self, text: str) -> str:
            """Nothing completes."""
            return text

    for module, declared in ((Directory(), True), (Plain(), False)):
        peer = served(module, era=era)
        answer = await (peer.ask("server/discover") if era == ERAS[0] else peer.initialize())
        assert ("completions" in answer.result["capabilities"]) is declared
