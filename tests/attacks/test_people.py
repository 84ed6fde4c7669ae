"""A19, A31 to A33 and A46: passwords, and people who may no longer do what they could."""

import asyncio
import time

import pytest

from lazyauth import Credential, InvalidCredentials, LoginThrottle, MemoryUsers, User, passwords
from lazyoauth import answers, sign_in
from lazyoauth import users as people
from tests.attacks.harness import attack, replaced, yes
from tests.lazyoauth.journey import PASSWORD


async def check_at_once(issuer, credential, _address):
    return await issuer.authenticator.authenticate(credential)


@attack(throttle=replaced(sign_in, "_check", check_at_once))
async def test_a31_passwords_are_tried_until_one_fits(start, clock):
    """OWASP, credential stuffing: tries wait, ever longer, and the owner signs in from another network all the while."""
    throttle = LoginThrottle(now=clock)
    journey = start(login_throttle=throttle)
    await journey.register()
    tried = 0
    for number in range(100):
        browser = journey.browser()
        await browser.open("/oauth/authorize", journey.request())
        tried += (await browser.log_in("ada", f"guess {number}")).status_code == 422
    clock.now += 31
    ada = await throttle.authenticate(journey.users, Credential("ada", PASSWORD), "198.51.100.7")
    assert ada.id == "ada"
    return [f"{tried} of 100 in no time"] * (tried > 20)


work_in_slot = passwords._in_slot


class Hasty(MemoryUsers):
    """Says no at once where there is nobody."""

    async def authenticate(self, credential: Credential) -> User:
        if credential.identifier not in self._entries:
            raise InvalidCredentials
        return await work_of_memory(self, credential)


work_of_memory = MemoryUsers.authenticate


@attack(
    a_hash_for_nobody=replaced(MemoryUsers, "authenticate", Hasty.authenticate),
    one_sentence=replaced(answers, "WRONG", "No such user."),
)
async def test_a32_names_are_told_from_those_that_nobody_has(start, counted_hashes):
    """OWASP, authentication: the same words, status and work for a wrong name and a wrong password."""
    users = MemoryUsers()
    await users.add("ada", PASSWORD)
    journey = start(authenticator=users)
    await journey.register()
    seen = {}
    for name in ("ada", "eve"):
        browser = journey.browser()
        await browser.open("/oauth/authorize", journey.request())
        before = counted_hashes[0]
        page = await browser.log_in(name, "a wrong password")
        text = page.text.replace(browser.form.values["transaction"], "").replace(f'"{name}"', "")
        seen[name] = page.status_code, counted_hashes[0] - before, text, "name or the password is wrong" in text
    through = ["told apart"] * (seen["ada"] != seen["eve"])
    return through + ["says which"] * (not seen["ada"][3])


@pytest.fixture
def counted_hashes(monkeypatch):
    """How many hashes were made or checked."""
    count = [0]

    async def counting(work):
        count[0] += 1
        return await work_in_slot(work)

    monkeypatch.setattr(passwords, "_in_slot", counting)
    return count


@pytest.fixture
def quick_hashes(monkeypatch):
    """Hashes that take their thread for two milliseconds, and how many there were; none of them matches."""
    count = [0]

    def verify(_hash, _data):
        count[0] += 1
        time.sleep(0.002)
        return False

    monkeypatch.setattr(passwords, "_verify", verify)
    return count


def take_out_queue_limit(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(passwords, "MAX_WAITING", 10**6)


def take_out_length(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(passwords, "MAX_BYTES", 10**9)


@attack(queue_limit=take_out_queue_limit, length=take_out_length)
async def test_a33_passwords_take_all_processors(start, quick_hashes):
    """OWASP, password storage: a password has a length, and who waits for a hash is told when there are too many."""
    users = MemoryUsers()
    journey = start(authenticator=users)
    await journey.register()
    browser = journey.browser()
    await browser.open("/oauth/authorize", journey.request())
    form = browser.form.values | {"username": "ada"}
    headers = {"sec-fetch-site": "same-origin"}
    long = await browser.http.post("/oauth/login", data=form | {"password": "x" * 50_000}, headers=headers)
    through = ["50 kilobytes"] * (quick_hashes[0] > 0 or long.status_code != 422)
    huge = await browser.http.post("/oauth/login", data=form | {"password": "x" * 10_000_000}, headers=headers)
    assert huge.status_code == 413
    answers = await asyncio.gather(
        *(
            browser.http.post("/oauth/login", data=form | {"username": f"user {number}", "password": "guess"}, headers=headers)
            for number in range(200)
        )
    )
    refused = [answer for answer in answers if answer.status_code == 503]
    assert all(int(answer.headers["retry-after"]) > 0 for answer in refused)
    return through + ["200 at once"] * (not refused)


async def still_there(_self, user_id):
    return User(user_id, {})


def take_out_second_look(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(people.Users, "is_known_good", yes)


@attack(asked_at_each_refresh=replaced(people.Users, "find", still_there), told_at_once=take_out_second_look)
async def test_a46_somebody_who_was_removed_goes_on(start):
    """NIST SP 800-63B, section 7: the next refresh and the next call are refused, and not those of others."""
    users = MemoryUsers()
    await users.add("ada", PASSWORD, {"mcps": ["admin"]})
    journey = start(authenticator=users)
    login = await journey.login()
    assert (await journey.call(login.access_token)).status_code == 200
    users.remove("ada")
    called = await journey.call(login.access_token)
    refreshed = await journey.refresh(login.refresh_token)
    return ["call"] * called.is_success + ["refresh"] * refreshed.is_success


find_in_memory = MemoryUsers.find_user


async def without_its_date(self, user_id):
    user = await find_in_memory(self, user_id)
    return user and User(user.id, user.data)


@attack(sign_out_is_dated=replaced(MemoryUsers, "find_user", without_its_date), told_at_once=take_out_second_look)
async def test_a46_a_login_of_the_old_password_goes_on(start, clock):
    """NIST SP 800-63B, section 7: whoever learned the old password may have signed in with it, so its logins end."""
    users = MemoryUsers(clock)
    await users.add("ada", PASSWORD)
    journey = start(authenticator=users)
    login, other = await journey.login(), await journey.login()
    assert (await journey.call(login.access_token)).status_code == 200
    clock.now += 1
    await users.add("ada", "another password")
    through = ["call"] * (await journey.call(login.access_token)).is_success
    return through + ["refresh"] * (await journey.refresh(other.refresh_token)).is_success


async def test_a19_what_is_good_for_tools_is_not_good_for_pages_nor_the_other_way_round(start):
    """https://github.com/everruns/everruns/pull/2333: a token opens no page, a cookie calls no tool."""
    journey = start()
    browser = journey.browser()
    code = await journey.code(browser)
    token = (await journey.exchange(code)).json()["access_token"]
    header = {"authorization": f"Bearer {token}"}
    assert (await journey.http.post("/mcp", headers=header)).status_code == 200
    assert (await browser.http.post("/mcp")).status_code == 401, "with every cookie of a browser that has just signed in"
    for path in (path for path in journey.server.routes if "connect" in path):
        page = await journey.http.get(path, headers=header)
        assert "ada" not in page.text
        assert 'name="password"' in page.text
    page = await journey.http.get("/oauth/authorize", params=journey.request(), headers=header)
    assert 'name="password"' in page.text
