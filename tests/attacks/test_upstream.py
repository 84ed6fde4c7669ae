"""A10: somebody else's sign-in at the upstream provider is brought to a victim's browser."""

from collections.abc import Iterator

import pytest

from tests.lazyauth.openid_provider import running
from tests.lazyauth.test_sso import site, travel


@pytest.fixture(scope="module")
def provider() -> Iterator[str]:
    with running() as url:
        yield url


@pytest.mark.parametrize("bound", [True, False], ids=["guarded", "without the browser's own cookie"])
def test_a10_the_callback_of_one_browser_is_opened_in_another(provider, tmp_path, bound):
    """https://github.com/PrefectHQ/fastmcp/pull/3201: what began in one browser ends there, or the victim acts as the attacker."""
    with site(tmp_path, f"{provider}/good").open() as browser:
        callback = travel(browser)
        if bound:
            # Another browser: nothing of what the first one was given.
            browser.cookies.clear()
        answer = browser.get(callback)
        assert (answer.status_code == 303) is not bound
        assert (browser.get("/notes/3").status_code == 200) is not bound
