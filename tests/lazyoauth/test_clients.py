"""Stateless client ids."""

import pytest

from lazyoauth.clients import MAX_ID_LENGTH, REMEMBERED, Clients
from lazyoauth.keys import derive
from tests.lazyoauth.journey import CALLBACK, SECRET

KEYS = derive(SECRET).client_id
CURSOR = (
    "cursor://anysphere.cursor-mcp/oauth/callback",
    "https://www.cursor.com/agents/mcp/oauth/callback",
    "http://localhost:8787/callback",
)


async def test_an_id_is_its_own_registration():
    """RFC 7591, appendix A.5.2; https://github.com/PrefectHQ/fastmcp/issues/1762: another process, after a restart, knows it."""
    made = Clients(KEYS).register("Åsa's client", CURSOR, ("authorization_code",), 1_800_000_000)
    assert len(made.id) < 280
    assert await Clients(derive(SECRET).client_id).find(made.id) == made
    assert made.redirects_to("http://localhost:4000/callback")
    assert not made.redirects_to(CALLBACK)
    assert not made.verified


async def test_what_is_remembered_of_registrations_is_bounded():
    """Registering costs nothing, so a stranger may present any number of ids; all of them stay good."""
    clients = Clients(KEYS)
    made = [clients.register(str(number), (CALLBACK,), ("authorization_code",), 1) for number in range(REMEMBERED + 5)]
    found = [await clients.find(client.id) for client in made]
    assert found == made
    assert len(clients._read) == 5
    assert await clients.find(made[0].id) == made[0]


async def test_ids_outlive_a_new_secret():
    """https://github.com/arc-mcp/arc-1/pull/212: some clients never register again."""
    made = Clients(KEYS).register("x", [CALLBACK], ("authorization_code",), 1)
    rotated = Clients(derive("n" * 32, [SECRET]).client_id)
    assert await rotated.find(made.id)
    assert not await Clients(derive("n" * 32).client_id).find(made.id)


@pytest.mark.parametrize(
    "change",
    [
        lambda client_id: client_id[:-1],
        lambda client_id: client_id + "A",
        lambda client_id: client_id + "=",
        lambda client_id: client_id[:20] + ("A" if client_id[20] != "A" else "B") + client_id[21:],
        lambda client_id: client_id[:30] + "!" + client_id[30:],
        lambda client_id: client_id.removeprefix("dyn1_"),
        lambda client_id: client_id + "\n",
        lambda _: "dyn1_",
        lambda _: "dyn1_" + "A" * MAX_ID_LENGTH,
        lambda _: "https://client.example/metadata.json",
        lambda _: "dyn1_ä",
    ],
)
async def test_an_id_that_was_touched_is_nobody(change):
    """RFC 7591, section 5: whoever could write an id could choose its redirect URI."""
    made = Clients(KEYS).register("x", [CALLBACK], ("authorization_code",), 1)
    assert await Clients(KEYS).find(change(made.id)) is None
