"""lazymcp/lists.py: pages, cursors and what is kept (MCP, server/utilities/pagination and caching)."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lazyauth import Claims, User, signed_in
from lazymcp import Base, Scope, ToolSpec, prompt, resource, tool
from lazymcp.errors import InvalidParams
from lazymcp.lists import page_of
from lazymcp.options import Options
from tests.lazymcp.admin_module import AdminMCP
from tests.lazymcp.asgi_peer import ERAS, Peer, served


class Seven(Base):
    name = ""

    def tools(self):
        return [ToolSpec(name=f"t{number}", desc="One.", fn=self.nothing) for number in range(7)]

    async def nothing(self) -> None: ...


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(("size", "pages"), [(0, 1), (1, 7), (3, 3), (7, 1), (100, 1)])
async def test_pages_join_to_the_whole_list_in_order(era, size, pages):
    peer = served(Seven(), era=era, page_size=size)
    names, cursor, count = [], None, 0
    while count == 0 or cursor is not None:
        result = (await peer.ask("tools/list", {} if cursor is None else {"cursor": cursor})).result
        names += [entry["name"] for entry in result["tools"]]
        cursor, count = result.get("nextCursor"), count + 1
    assert names == [f"t{number}" for number in range(7)]
    assert count == pages


@pytest.mark.parametrize("cursor", ["x", "MA==", "OTk=", "LTE=", "Mw", "é", "My4w", 3, [], {}, True, "M" * 5000, "AAAAAAAAAAAA"])
@pytest.mark.parametrize("size", [0, 3])
async def test_a_cursor_that_we_did_not_give_out_is_refused(cursor, size):
    """Pagination: -32602."""
    peer = served(Seven(), page_size=size)
    await peer.ask("tools/list")
    assert (await peer.ask("tools/list", {"cursor": cursor})).error["code"] == -32602


ENTRIES = [{"n": number} for number in range(7)]


def test_an_empty_cursor_is_the_first_page():
    """Pagination: an empty string is a legal cursor."""
    first = page_of("x", ENTRIES, "", 2)
    assert first == page_of("x", ENTRIES, None, 2)
    assert first["x"] == ENTRIES[:2]
    assert len(first["nextCursor"]) == 12


@given(st.binary(max_size=12), st.integers(0, 8))
def test_nothing_but_our_own_cursors_is_served(data, size):
    """Pagination: invalid cursors are -32602, whatever they are made of."""
    given_out, cursor = {"", None}, None
    while size and (cursor := page_of("x", ENTRIES, cursor, size).get("nextCursor")):
        given_out.add(cursor)
    name = base64.urlsafe_b64decode(page_of("x", ENTRIES, None, 1)["nextCursor"])[:6]
    for made in (data, name + data, name + bytes(2) + data[:1]):
        for text in (base64.urlsafe_b64encode(made).decode(), base64.b64encode(made).decode().rstrip("="), made.decode("latin-1")):
            if text not in given_out:
                with pytest.raises(InvalidParams, match="not one that this list gave out"):
                    page_of("x", ENTRIES, text, size)


class Everything(AdminMCP):
    """At least two of each, so that every list has a second page."""

    name = "admin"

    @tool
    async def one_more(self) -> None:
        """One more."""

    @prompt
    def another(self) -> str:
        """Another."""
        return ""

    @resource("app://admin/more/{x}")
    async def more(self, x: str) -> str:
        """More."""
        return x


LISTS = {
    "tools/list": {},
    "prompts/list": {},
    "resources/list": {},
    "resources/templates/list": {},
    "resources/directory/read": {"uri": "skill://admin/oncall"},
}


async def test_the_cursor_of_one_list_is_none_of_another():
    """A cursor taken to another list would silently leave entries out."""
    peer = served(Everything(), page_size=1)
    cursors = {method: (await peer.ask(method, params)).result["nextCursor"] for method, params in LISTS.items()}
    assert len(set(cursors.values())) == len(LISTS)
    for method, params in LISTS.items():
        for other, cursor in cursors.items():
            answer = await peer.ask(method, {**params, "cursor": cursor})
            assert ("result" in answer.messages[0]) is (method == other), (method, other)


async def scopes_of(peer, *methods):
    return {method: (await peer.ask(method)).result["cacheScope"] for method in methods}


async def test_public_is_only_what_depends_on_nobody():
    """Caching: "public" only if the answer does not depend on the caller."""
    methods = ("tools/list", "resources/templates/list")
    assert await scopes_of(served(AdminMCP(), tool_names="dotted"), *methods) == dict.fromkeys(methods, "public")
    assert await scopes_of(served(AdminMCP()), *methods) == {"tools/list": "private", "resources/templates/list": "public"}, (
        "names are spelled for the client"
    )
    assert await scopes_of(served(AdminMCP(), authorizer=lambda *_: True), *methods) == dict.fromkeys(methods, "private")
    with signed_in(User("ada"), Claims({"sub": "ada", "mcps": ["*"]})):
        assert await scopes_of(served(AdminMCP(), tool_names="dotted"), *methods) == dict.fromkeys(methods, "private")


async def test_what_is_kept_is_bounded_and_never_given_to_the_wrong_caller():
    scope = Scope(Options(page_size=1))
    scope.register(AdminMCP(), *(type(f"M{number}", (Seven,), {"name": f"m{number}"})() for number in range(9)))
    peer = Peer(scope.asgi())
    for number in range(300):
        mcps = [f"m{bit}" for bit in range(9) if number >> bit & 1]
        with signed_in(User("ada"), Claims({"sub": "ada", "mcps": mcps})):
            names = [entry["name"] for entry in (await peer.ask("tools/list")).result["tools"]]
            assert names == ([f"{mcps[0]}.t0"] if mcps else [])
    assert len(scope._registry.pages) <= 256
