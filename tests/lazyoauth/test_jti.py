"""The structured jti."""

import pytest

from lazyoauth import jti

START_MS = 1_800_000_000_000


def kept(proposed: str, at_ms: int) -> str:
    """A jti as a store keeps it."""
    return f"{proposed}.{at_ms}"


def chain(length: int) -> list[str]:
    """A code, and so many refresh tokens, a second apart."""
    found = [jti.first(jti.random_part())]
    for number in range(length):
        found.append(kept(jti.successor(found[-1], jti.random_part()), START_MS + 1000 * number))
    return found


def test_a_login_counts_its_generations():
    """The authorization code is generation 0 (RFC 6749, section 4.1.2: used once)."""
    login = chain(6)
    assert [jti.generation(one) for one in login] == [0, 1, 2, 3, 4, 5, 6]
    assert jti.issued(login[0]) is None
    assert [jti.issued(one) for one in login[1:]] == [START_MS / 1000 + number for number in range(6)]


def test_three_predecessors_are_remembered_with_the_moment_at_which_each_was_replaced():
    """https://github.com/openai/codex/issues/17265: a burst can be several generations deep."""
    login = chain(6)
    current = login[-1]
    assert [jti.replaced(current, one) for one in login[-4:-1]] == [jti.issued(one) for one in login[-3:]]
    assert [jti.replaced(current, one) for one in login[:-4]] == [None, None, None], "the fourth is forgotten"
    assert jti.replaced(current, current) is None
    assert jti.replaced(login[2], login[1]) == jti.issued(login[2])


def test_a_code_is_never_a_predecessor():
    """RFC 6749, section 4.1.2: a code must not be used more than once, however short the time."""
    code, first, second = chain(2)
    assert jti.replaced(first, code) is None
    assert jti.replaced(second, code) is None
    assert jti.replaced(second, first) is not None


def test_a_jti_fits_its_column_and_names_no_predecessor():
    """Only digests are kept, so a leaked table tells no jti but the current ones."""
    login = chain(9)
    assert max(len(one) for one in login) <= 120
    assert all(one.split(".")[2] not in login[-1] for one in login[:-1])


def test_random_parts_differ():
    """RFC 9700, section 4.14: it must not be guessable."""
    assert len({jti.random_part() for _ in range(100)}) == 100
    assert len(jti.random_part()) == 22


@pytest.mark.parametrize(
    "foreign",
    [
        "",
        "a2f0c1d2-0000-4000-8000-000000000000",
        "3.1.xxxxxxxxxxxxxxxxxxxxxx",
        "1.x.y",
        "2.0.short",
        "2.1.xxxxxxxxxxxxxxxxxxxxxx.?.1",
    ],
)
def test_a_jti_of_another_form_tells_nothing(foreign):
    """A store may hold rows of another version; they go on, without a window for what came before."""
    assert jti.generation(foreign) is None
    assert jti.issued(foreign) is None
    following = kept(jti.successor(foreign, jti.random_part()), START_MS)
    assert jti.generation(following) == 1
    assert jti.replaced(following, foreign) is None


def test_a_jti_of_the_first_version_goes_on_in_the_second():
    """Logins outlive a release."""
    old = f"1.4.{'x' * 22}.{START_MS - 5000}"
    assert jti.generation(old) == 4
    assert jti.issued(old) == (START_MS - 5000) / 1000
    following = kept(jti.successor(old, jti.random_part()), START_MS)
    assert following.startswith("2.5.")
    assert jti.replaced(following, old) == START_MS / 1000
    assert jti.replaced(following, f"1.0.{'x' * 22}") is None
