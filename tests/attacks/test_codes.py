"""A1 to A5: the authorization code and what binds it."""

import asyncio
from dataclasses import replace

from lazyoauth import memory, pkce
from lazyoauth.memory import MemoryRefreshTokenStates
from lazyoauth.pkce import challenge_of
from lazyoauth.refresh import Families
from lazyoauth.store import RotateOutcome, Rotation
from lazyoauth.tokens import Tokens
from tests.attacks.harness import Anything, attack, nothing, replaced
from tests.lazyoauth.journey import CALLBACK, tokens_of

classify = memory.classify
verify_code = Tokens.verify_code


def no_replays(*arguments, **more):
    """What was used before may be used again."""
    found = classify(*arguments, **more)
    return None if found is Rotation.REPLAYED else found


async def rotate_in_two_steps(self, family_id, presented_jti, new_jti, expires_at=None, *_, **__):
    """Read, then write."""
    family = self._families[family_id]
    is_current = family.current_jti == presented_jti
    await asyncio.sleep(0)
    if not is_current:
        return RotateOutcome(Rotation.REVOKED)
    family.current_jti = f"{new_jti}.1"
    family.expires_at = expires_at or family.expires_at
    return RotateOutcome(Rotation.ROTATED, family.current_jti, family.expires_at)


def code_of_anyone(self, token):
    code = verify_code(self, token)
    return replace(code, grant=replace(code.grant, client_id=Anything(code.grant.client_id)))


def code_for_anywhere(self, token):
    code = verify_code(self, token)
    return replace(code, redirect_uri=Anything(code.redirect_uri))


@attack(
    replay_detection=replaced(memory, "classify", no_replays),
    the_end_being_known_at_once=replaced(Families, "mark_ended", nothing),
)
async def test_a01_a_code_is_exchanged_twice(start):
    """RFC 6749, section 4.1.2: the second attempt is refused, and what the first gave out is dead."""
    journey = start()
    code = await journey.code()
    first = tokens_of(await journey.exchange(code))
    assert (await journey.call(first.access_token)).status_code == 200
    second = await journey.exchange(code)
    through = ["second exchange"] if second.is_success else []
    through += ["access token"] if (await journey.call(first.access_token)).is_success else []
    return through + (["refresh token"] if (await journey.refresh(first.refresh_token)).is_success else [])


@attack(pkce=replaced(pkce, "verify", nothing))
async def test_a02_a_stolen_code_without_its_verifier(start):
    """RFC 9700, section 2.1.1: it is worth nothing, and the attempt costs the owner nothing."""
    journey = start()
    code = await journey.code()
    thief = await journey.exchange(code, code_verifier="x" * 43)
    owner = await journey.exchange(code)
    return ["thief"] * thief.is_success + ["owner locked out"] * (not owner.is_success)


@attack(compare_and_swap=replaced(MemoryRefreshTokenStates, "rotate", rotate_in_two_steps))
async def test_a03_fifty_exchanges_at_the_same_moment(start):
    """RFC 6749, section 4.1.2: one code, one grant."""
    journey = start()
    for _ in range(5):
        code = await journey.code()
        answers = await asyncio.gather(*(journey.exchange(code) for _ in range(50)))
        if (winners := [answer for answer in answers if answer.is_success])[1:]:
            return [f"{len(winners)} winners"]
        assert len(winners) == 1
    return []


@attack(
    challenge_required=replaced(pkce, "check_challenge", nothing),
    verifier_compared=replaced(pkce, "verify", nothing),
)
async def test_a04_pkce_is_left_out_or_weakened(start):
    """RFC 9700, section 2.1.1; RFC 7636, sections 4.1 to 4.6."""
    journey = start()
    await journey.register()
    through = []
    for name, changes in {
        "missing": {"code_challenge": None, "code_challenge_method": None},
        "plain": {"code_challenge": journey.verifier, "code_challenge_method": "plain"},
        "no method": {"code_challenge_method": None},
        "short challenge": {"code_challenge": "x" * 42},
        "padded challenge": {"code_challenge": f"{challenge_of(journey.verifier)}="},
        "foreign alphabet": {"code_challenge": "+" * 43},
    }.items():
        page = await journey.browser().open("/oauth/authorize", journey.request(**changes))
        if page.status_code == 200:
            through.append(name)
    for name, verifier in {"empty": "", "42": "v" * 42, "129": "v" * 129, "foreign": "ä" * 43, "challenge": None}.items():
        sent = challenge_of(journey.verifier) if verifier is None else verifier
        if (await journey.exchange(await journey.code(), code_verifier=sent)).is_success:
            through.append(f"verifier {name}")
    return through


@attack(
    bound_to_client=replaced(Tokens, "verify_code", code_of_anyone),
    bound_to_redirect=replaced(Tokens, "verify_code", code_for_anywhere),
)
async def test_a05_a_code_is_exchanged_by_another_client_or_for_another_redirect(start):
    """RFC 6749, section 4.1.3."""
    journey = start()
    code = await journey.code()
    other = await start_other(journey)
    answers = {
        "client": await journey.exchange(code, client_id=other),
        "redirect": await journey.exchange(code, redirect_uri=f"{CALLBACK}/other"),
    }
    return [name for name, answer in answers.items() if answer.is_success]


async def start_other(journey):
    """The id of another client, while the journey keeps its own."""
    own = journey.client_id
    other = await journey.register(client_name="Another", client_uri="https://other.example")
    journey.client_id = own
    return other
