"""`lazyapp.testing.people`: signed-in users."""

import pytest

import lazyauth
from lazyapp.testing import Client, NotSignedIn
from lazyapp.testing import client as opened
from tests.lazyapp.testing.shop import ANN, shop


async def own_users() -> lazyauth.MemoryUsers:
    users = lazyauth.MemoryUsers()
    await users.add("bob", "a long password")
    return users


async def test_a_user_of_the_test_is_signed_in_and_out_without_a_password(client: Client) -> None:
    """docs/testing.md, "Who is signed in"."""
    await client.sign_in(ANN)
    (await client.get("/me")).see("ann bought")
    client.sign_out()
    (await client.get("/me")).see("nobody bought")


async def test_signing_out_by_the_page_works_as_for_anybody(client: Client) -> None:
    await client.sign_in(ANN)
    page = await (await client.get("/logout")).press("Sign out")
    page.see("You are signed out.")
    (await client.get("/me")).see("nobody")


async def test_two_people_have_two_browsers(client: Client) -> None:
    ann, bob = await client.as_user(ANN), await client.as_user(lazyauth.User("bob"))
    (await ann.get("/me")).see("ann")
    (await bob.get("/me")).see("bob")
    (await client.get("/me")).see("nobody")


async def test_the_users_of_the_application_are_signed_in_by_their_id() -> None:
    users = await own_users()
    async with opened(shop(auth=users)) as client:
        await client.sign_in("bob")
        (await client.get("/me")).see("bob")
        await client.sign_in(ANN)
        assert await users.find_user("ann") == ANN
    assert await users.find_user("ann") is None  # what the test brought is gone with it
    assert "find_user" not in vars(users)


async def test_somebody_else_may_have_been_brought_under_the_same_id(client: Client) -> None:
    """A second User of one id replaces the first at once."""
    await client.sign_in(ANN)
    (await client.get("/role")).see("None")
    await client.sign_in(lazyauth.User("ann", {"role": "clerk"}))
    (await client.get("/role")).see("clerk")


async def test_a_stranger_is_refused_with_what_to_do(client: Client) -> None:
    with pytest.raises(NotSignedIn, match=r"nobody here is called 'eve'.*lazyauth\.User\('eve', \{\"mcps\": \[\"\*\"\]\}\)"):
        await client.sign_in("eve")


async def test_an_application_without_users_says_so() -> None:
    async with opened(shop(oauth=None)) as client:
        with pytest.raises(NotSignedIn, match=r"this application has no users; give its Config an auth= or an oauth="):
            await client.sign_in(ANN)
