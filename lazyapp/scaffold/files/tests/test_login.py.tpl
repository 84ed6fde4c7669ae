"""The login: of people at the pages{% if oauth %}, and of their AI clients{% endif %}."""

{% if oauth %}
import pytest

from lazyapp.testing import Client, LoginRefused
{% else %}
from lazyapp.testing import Client
{% endif %}
from tests.people import ANN


async def test_a_person_signs_in_and_out(client: Client) -> None:
    await client.sign_in(ANN)
    page = await client.get("/")
    page = await page.click("Sign out")
    page = await page.press("Sign out")
    page.see_not("Sign out")


async def test_a_wrong_password_is_refused(client: Client) -> None:
    page = await client.get("/login")
    page = await page.fill({"User name": "ann", "Password": "guessed"}).press("Sign in")
    assert page.status == 422
    page.see("The name or the password is wrong.")
{% if oauth %}


async def test_a_client_stays_signed_in(client: Client) -> None:
    tokens = await client.connect("Claude", ANN)
    assert tokens.claims["sub"] == "ann"
    assert (await tokens.refresh()).access_token != tokens.access_token


async def test_a_person_may_say_no(client: Client) -> None:
    with pytest.raises(LoginRefused, match="access_denied"):
        await client.connect("Claude", ANN, allow=False)
{% endif %}
