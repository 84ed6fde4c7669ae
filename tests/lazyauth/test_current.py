import asyncio

import pytest

from lazyauth import Claims, SignInRequired, User, current_claims, current_user, require_user, signed_in

ADA, EVE = User("ada"), User("eve")


def test_nobody_is_signed_in_at_first():
    assert current_user() is None
    assert current_claims() is None
    with pytest.raises(SignInRequired, match="sign in required"):
        require_user()


def test_inside_the_block_the_user_is_known():
    claims = Claims({"sub": "ada"})
    with signed_in(ADA, claims) as nothing:
        assert nothing is None
        assert current_user() is require_user() is ADA
        assert current_claims() is claims
    assert current_user() is None


def test_an_error_ends_the_sign_in_as_well():
    with pytest.raises(ZeroDivisionError), signed_in(ADA):
        _ = 1 / 0
    assert current_user() is None


def test_an_inner_block_hides_the_outer_one_claims_included():
    with signed_in(ADA, Claims({"sub": "ada"})):
        with signed_in(EVE):
            assert current_user() is EVE
            assert current_claims() is None
        assert current_user() is ADA
        assert current_claims() is not None


async def test_two_requests_at_once_do_not_meet():
    """design 5: users travel in context variables."""
    both = asyncio.Barrier(2)

    async def request(user):
        with signed_in(user):
            await both.wait()
            seen = require_user()
            await both.wait()
            return seen

    assert await asyncio.gather(request(ADA), request(EVE)) == [ADA, EVE]
    assert current_user() is None


async def test_threads_and_tasks_started_inside_know_the_user():
    """design 4: sync tools run in threads."""
    with signed_in(ADA):
        task = asyncio.create_task(asyncio.to_thread(require_user))
    assert await task is ADA
