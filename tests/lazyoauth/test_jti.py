"""The structured jti."""

from lazyoauth import jti


def test_a_login_counts_its_generations():
    """The authorization code is generation 0 (RFC 6749, section 4.1.2: used once)."""
    code = jti.first(jti.random_part())
    assert jti.generation(code) == 0
    stored = f"{jti.successor(code, jti.random_part())}.1800000000123"
    assert jti.generation(stored) == 1
    assert jti.issued(stored) == 1_800_000_000.123
    assert jti.generation(jti.successor(stored, jti.random_part())) == 2


def test_random_parts_differ():
    """RFC 9700, section 4.14: it must not be guessable."""
    assert len({jti.random_part() for _ in range(100)}) == 100
    assert len(jti.random_part()) == 22


def test_a_jti_of_another_form_tells_nothing():
    """A store may hold rows of another version."""
    for foreign in ("", "a2f0c1d2-0000-4000-8000-000000000000", "2.1.xxxxxxxxxxxxxxxxxxxxxx", "1.x.y", jti.first("short")):
        assert jti.generation(foreign) is None
        assert jti.issued(foreign) is None
    assert jti.issued(jti.first(jti.random_part())) is None
    assert jti.generation(jti.successor("foreign", jti.random_part())) == 1
