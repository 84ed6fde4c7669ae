"""Visits of the page of connected apps. RFC 6265bis, section 4.1.3.2; OWASP, session fixation."""

from dataclasses import replace

import pytest

from lazyoauth.errors import ExpiredTransaction
from lazyoauth.keys import derive
from lazyoauth.visits import Visits
from tests.lazyoauth.journey import ISSUER, SECRET, Clock


@pytest.fixture
def visits(clock: Clock) -> Visits:
    return Visits(keys=derive(SECRET, ()).transaction, issuer=ISSUER, lifetime_s=600, secure=True, now=clock)


def test_a_visit_comes_back_as_it_was_until_it_is_over(visits, clock):
    """Ten minutes."""
    visit = visits.begin("ada", 7.25)
    cookies = {visits.cookie_name: visits.seal(visit)}
    assert visits.open(cookies) == visit
    clock.now += 600
    assert visits.open(cookies) is None


def test_only_this_server_makes_visits(visits):
    """Another issuer's, another kind of seal, another shape, and nothing at all."""
    sealed = visits.seal(visits.begin("ada", 7))
    others = [
        replace(visits, issuer="https://other.example").seal(visits.begin("ada", 7)),
        replace(visits, keys=derive("another secret, long enough to be one", ()).transaction).seal(visits.begin("ada", 7)),
        sealed[:-2],
        "",
        "x",
    ]
    for value in others:
        assert visits.open({visits.cookie_name: value}) is None
    assert visits.open({}) is None
    assert visits.open({"lazyoauth-visit": sealed}) is None


def test_a_form_belongs_to_one_visit(visits):
    """A8: the token of another visit, and none."""
    visit = visits.begin()
    visit.check(visit.token)
    for token in ("", "x", visits.begin().token, "é"):
        with pytest.raises(ExpiredTransaction):
            visit.check(token)
    assert visit.token not in repr(visit)


def test_the_cookie_is_bound_to_the_origin_where_it_can_be(visits):
    """And it is not counted among the pending logins."""
    assert visits.cookie_name.startswith("__Host-")
    assert not replace(visits, secure=False).cookie_name.startswith("__Host-")
    assert not visits.cookie_name.startswith("__Host-lazyoauth_")
