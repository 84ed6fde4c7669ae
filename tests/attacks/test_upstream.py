"""A10: somebody else's sign-in at the upstream provider is brought to a victim's browser."""

from collections.abc import Iterator

import pytest
from authlib.integrations.starlette_client.integration import StarletteIntegration

from tests.attacks.harness import attack, nothing_awaited
from tests.lazyauth.openid_provider import running
from tests.lazyauth.test_sso import site, travel


@pytest.fixture(scope="module")
def provider() -> Iterator[str]:
    with running() as url:
        yield url


def keep_it_for_everybody(patch: pytest.MonkeyPatch) -> None:
    """What a sign-in began with is found by its `state` alone, whichever browser brings it."""
    begun = {}

    async def keep(self, session, state, data):
        begun[state] = data

    async def find(self, session, state):
        return begun.get(state)

    patch.setattr(StarletteIntegration, "set_state_data", keep)
    patch.setattr(StarletteIntegration, "get_state_data", find)
    patch.setattr(StarletteIntegration, "clear_state_data", nothing_awaited)


@attack(kept_in_the_browser=keep_it_for_everybody)
async def test_a10_the_callback_of_one_browser_is_opened_in_another(provider, tmp_path):
    """https://github.com/PrefectHQ/fastmcp/pull/3201: what began in one browser ends there, or the victim acts as the attacker."""
    app = site(tmp_path, f"{provider}/good")
    with app.open() as attacker:
        callback = travel(attacker)
        victim = app.another()
        answer = victim.get(callback)
        through = ["signed in as the attacker"] * (victim.get("/notes").text == "ada")
        assert through or answer.status_code == 403
        # And in the browser where it began it is good, so it was not refused for something else.
        assert through or attacker.get(callback).status_code == 303
        return through
