"""`lazyapp.testing.login`: the login of an AI client in one call."""

import pytest

import lazyauth
from lazyapp.testing import Client, LoginRefused, NotSignedIn
from lazyapp.testing import client as opened
from tests.lazyapp.testing.shop import ANN, shop
from tests.lazyapp.testing.test_people import own_users


async def test_a_client_logs_in_refreshes_and_signs_out(client: Client) -> None:
    """The whole login, in process: RFC 6749, sections 4.1 and 6; RFC 7009."""
    first = await client.connect("Claude", ANN)
    assert (first.scope, first.claims["sub"], first.claims["aud"]) == ("mcp", "ann", "http://localhost:3000/mcp")
    second = await first.refresh()
    assert second.refresh_token != first.refresh_token
    assert (await client.mcp(token=second.access_token).call("shop.who")).text == "ann"
    await second.revoke()
    with pytest.raises(LoginRefused) as refused:
        await second.refresh()
    assert refused.value.error == "invalid_grant"
    assert "ey" not in repr(first), "tokens are secrets"


async def test_it_is_listed_among_the_connected_apps(client: Client) -> None:
    await client.connect("Claude", ANN)
    await client.sign_in(ANN)
    (await client.get("/oauth/connections")).see("Claude", "a computer of yours (localhost)")


async def test_a_person_may_type_their_password_or_a_wrong_one() -> None:
    async with opened(shop(auth=own_users_now)) as client:
        tokens = await client.connect(user="bob", password="a long password")
        assert tokens.claims["sub"] == "bob"
        with pytest.raises(LoginRefused, match=r"the login came no further than .*, which says: "):
            await client.connect(user="bob", password="another password")


async def own_users_now(_: object) -> lazyauth.MemoryUsers:
    return await own_users()


async def test_a_person_may_say_no(client: Client) -> None:
    """RFC 6749, section 4.1.2.1."""
    with pytest.raises(LoginRefused) as refused:
        await client.connect(user=ANN, allow=False)
    assert refused.value.error == "access_denied"


async def test_scopes_and_callback_are_the_clients_choice(client: Client) -> None:
    tokens = await client.connect(user=ANN, scopes=["mcp"], redirect_uri="https://client.example/cb")
    assert tokens.scope == "mcp"
    with pytest.raises(LoginRefused) as refused:
        await client.connect(user=ANN, redirect_uri="ftp://nowhere")
    assert refused.value.error == "invalid_redirect_uri"


async def test_without_a_user_or_an_authorization_server_it_says_so(client: Client) -> None:
    with pytest.raises(NotSignedIn, match=r"connect\(user=…\)"):
        await client.connect("Claude")
    async with opened(shop(oauth=None, auth=await own_users())) as other:
        with pytest.raises(LoginRefused, match=r"answers 404: are there a Config\(oauth=…\) and an MCP module\?"):
            await other.connect(user="bob")


async def test_a_token_is_made_once_for_each_user(client: Client) -> None:
    assert await client.token(ANN) == await client.token(ANN)
    assert await client.token(ANN) != await client.token(lazyauth.User("bob", {"mcps": ["*"]}))
