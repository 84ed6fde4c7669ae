"""A19: what opens the one door is tried at the other: a tool's token at the pages, the pages' cookie at the tools."""

import pytest

from lazyapp import web
from lazyauth import Claims, User, signed_in
from lazyoauth.bearer import BearerGuard
from tests.attacks.harness import attack, replaced
from tests.attacks.test_tokens import unverified
from tests.lazyapp.sign_in_site import Site, sign_in
from tests.lazyapp.test_one_login import CALL, HEADERS, ask, token
from tests.lazyoauth.journey import PASSWORD

signed_in_by_cookie = web._Web._signed_in
guarded = BearerGuard.__call__


async def by_token_or_cookie(self, here):
    for name, value in here.scope["headers"]:
        if name == b"authorization":
            return User(unverified(value.decode().partition(" ")[2], None, None)["sub"])
    return await signed_in_by_cookie(self, here)


async def by_cookie_or_token(self, scope, receive, send):
    visitor = await self._choose(scope).config.browser.current(scope)
    if visitor is None:
        return await guarded(self, scope, receive, send)
    with signed_in(User(visitor.user_id), Claims({"mcps": ["*"]})):
        return await self._app(scope, receive, send)


def cookie_beside_a_token(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(web, "brings_token", lambda _: False)


@attack(
    no_token_at_the_pages=replaced(web._Web, "_signed_in", by_token_or_cookie),
    no_cookie_at_the_tools=replaced(BearerGuard, "__call__", by_cookie_or_token),
    not_both_at_once=cookie_beside_a_token,
)
async def test_a19_the_key_of_one_door_is_tried_at_the_other(tmp_path):
    """https://github.com/everruns/everruns/pull/2333; RFC 8707, section 2: a token is for the resource that it names."""
    site = Site(tmp_path)
    site.users.add("ada", PASSWORD, ["*"])
    with site.open() as browser:
        sign_in(browser)
        bearer = {"authorization": f"Bearer {token(browser, ask(browser))}"}
        program = site.another()
        through = ["cookie at /mcp"] * (browser.post("/mcp", json=CALL, headers=HEADERS).status_code == 200)
        through += ["token at a page"] * (program.get("/notes", headers=bearer).text != "nobody")
        through += ["token at the app's own interface"] * program.get("/api/me", headers=bearer).is_success
        # A request with a token is a program's, which no cross-site check has looked at: its cookie does not count.
        through += ["both at a page"] * (browser.get("/notes", headers=bearer).text != "nobody")
        assert program.post("/mcp", json=CALL, headers=HEADERS | bearer).status_code == 200, "each is good at its own"
        assert browser.get("/notes").text == "ada"
    return through
