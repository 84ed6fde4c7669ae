"""A20 to A23 and A45: the refresh token, and the keys that sign it."""

from dataclasses import replace

from joserfc import jwt
from joserfc.jwk import KeySet

from lazyoauth import jose, memory, scopes, server, store
from lazyoauth.keys import derive
from lazyoauth.tokens import ACCESS, Tokens
from tests.attacks.harness import Anything, attack, replaced
from tests.attacks.test_codes import no_replays, start_other
from tests.lazyoauth.journey import CALLBACK, SECRET, tokens_of

verify_refresh = Tokens.verify_refresh


def grant_of_anyone(self, token):
    grant = verify_refresh(self, token)
    return replace(grant, client_id=Anything(grant.client_id))


def whatever_is_asked(requested, granted, *_):
    return requested or granted


@attack(narrowing=replaced(scopes, "narrow", whatever_is_asked))
async def test_a20_a_refresh_asks_for_more(start):
    """RFC 6749, section 6: nothing beyond the grant; and asking for less once takes nothing away for ever."""
    journey = start(scopes=("mcp", "files", "admin"))
    login = await journey.login(scope="mcp files")
    through = []
    for scope in ("mcp files admin", "admin", "mcp admin"):
        answer = await journey.refresh(login.refresh_token, scope=scope)
        if answer.is_success:
            return [scope]
        assert answer.json()["error"] == "invalid_scope"
    narrow = tokens_of(await journey.refresh(login.refresh_token, scope="mcp"))
    assert narrow.scope == "mcp"
    assert tokens_of(await journey.refresh(narrow.refresh_token)).scope == "mcp files"
    return through


@attack(replay_detection=replaced(memory, "classify", no_replays))
async def test_a21_a_stolen_refresh_token_is_used_first(start):
    """RFC 9700, section 4.14.2: when the owner comes second, the thief's successor dies with the login."""
    journey = start()
    stolen = await journey.login()
    thief = tokens_of(await journey.refresh(stolen.refresh_token))
    owner = await journey.refresh(stolen.refresh_token)
    through = ["owner, unaware"] * owner.is_success
    through += ["thief's refresh token"] * (await journey.refresh(thief.refresh_token)).is_success
    return through + ["thief's access token"] * (await journey.call(thief.access_token)).is_success


@attack(replay_detection=replaced(memory, "classify", no_replays))
async def test_a21_a_stolen_refresh_token_is_used_second(start):
    """The same the other way round."""
    journey = start()
    stolen = await journey.login()
    owner = tokens_of(await journey.refresh(stolen.refresh_token))
    thief = await journey.refresh(stolen.refresh_token)
    assert thief.is_success or (await journey.refresh(owner.refresh_token)).status_code == 400, "the owner logs in again"
    return ["thief"] * thief.is_success


def without_end(now, since, at_most_s):
    return since is not None and at_most_s > 1


@attack(replay_detection=replaced(memory, "classify", no_replays), the_end_of_the_window=replaced(store, "is_within", without_end))
async def test_a21_a_theft_within_the_retry_window(start, clock):
    """The same, where a lost answer is forgiven: thief and owner then hold one token, and the second to use it later ends both."""
    through = []
    for first, second in (("thief", "owner"), ("owner", "thief")):
        journey = start(refresh_retry_window_s=30, refresh_burst_merge_s=1)
        stolen = await journey.login()
        clock.now += 2
        held = {who: tokens_of(await journey.refresh(stolen.refresh_token)) for who in (first, second)}
        through += ["two lines"] * (held[first].refresh_token != held[second].refresh_token)
        clock.now += 31
        newest = tokens_of(await journey.refresh(held[first].refresh_token))
        clock.now += 31
        noticed = await journey.refresh(held[second].refresh_token)
        through += [f"{second} after {first}"] * noticed.is_success
        through += [f"{first}, once {second} came"] * (await journey.refresh(newest.refresh_token)).is_success
        through += ["access token"] * (await journey.call(newest.access_token)).is_success
    return through


@attack(bound_to_client=replaced(Tokens, "verify_refresh", grant_of_anyone))
async def test_a22_another_client_refreshes(start):
    """RFC 6749, section 6: refused, and the owner goes on."""
    journey = start()
    login = await journey.login()
    other = await start_other(journey)
    foreign = await journey.refresh(login.refresh_token, client_id=other)
    return ["refreshed"] * foreign.is_success or ["owner stopped"] * (not (await journey.refresh(login.refresh_token)).is_success)


@attack(bound_to_client=replaced(Tokens, "verify_refresh", grant_of_anyone))
async def test_a23_another_client_revokes(start):
    """RFC 7009, section 2.1: it learns nothing and ends nothing."""
    journey = start()
    login = await journey.login()
    other = await start_other(journey)
    for token in (login.refresh_token, login.access_token):
        answer = await journey.http.post("/oauth/revoke", data={"client_id": other, "token": token})
        assert answer.status_code == 200
        assert not answer.content
    return ["ended"] * (not (await journey.call(login.access_token)).is_success)


@attack(version=replaced(server, "derive", lambda secret, fallbacks, version: derive(secret, fallbacks)))
async def test_a45_a_stolen_signing_key_signs_on(start):
    """RFC 7517, section 4.5; the drill: the number is raised, its tokens end at once, and nobody has to log in again."""
    before = start()
    login, code = await before.login(), await before.code()
    after = start(signing_key_version=2, refresh_token_states=before.server.config.refresh_token_states)
    after.client_id, after.verifier = before.client_id, before.verifier
    claims = jwt.decode(login.access_token, KeySet.import_key_set(derive(SECRET).jwks()), algorithms=["ES256"]).claims
    forged = jose.sign_public(claims | {"sub": "ada", "jti": "mine"}, derive(SECRET).signing, ACCESS)
    tokens = {"a stolen key's": forged, "an old": login.access_token}
    through = [f"{name} token" for name, token in tokens.items() if (await after.call(token)).status_code != 401]
    renewed = tokens_of(await after.refresh(login.refresh_token))
    tokens_of(await after.exchange(code))
    assert (await after.call(renewed.access_token)).status_code == 200
    return through


OLD, NEW = SECRET, "fedcba9876543210" * 2


async def test_a45_a_stolen_key_is_worth_nothing_once_it_is_replaced(start):
    """The drill: with the old secret as a fallback nobody notices, without it nothing of it is good any more."""
    before = start()
    login = await before.login()
    rolling = start(secret=NEW, secret_fallbacks=(OLD,), refresh_token_states=before.server.config.refresh_token_states)
    rolling.client_id = before.client_id
    fresh = tokens_of(await rolling.refresh(login.refresh_token))
    after = start(secret=NEW, refresh_token_states=before.server.config.refresh_token_states)
    after.client_id = before.client_id
    old = {
        "access": (await after.call(login.access_token)).status_code,
        "client id": (await after.refresh(fresh.refresh_token)).status_code,
        "page": (await after.http.get("/oauth/authorize", params=after.request(redirect_uri=CALLBACK))).status_code,
    }
    assert old == {"access": 401, "client id": 401, "page": 400}
    assert (await after.call(fresh.access_token)).status_code == 200, "what the new key signed goes on"
    still = await rolling.call(login.access_token)
    assert still.status_code == 200, "with the fallback, an old token is still good: that is the guard that was taken out"
