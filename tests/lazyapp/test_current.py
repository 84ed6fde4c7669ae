"""The request being answered."""

from lazyapp.current import Current
from lazyapp.request_ids import RequestIds, answering, request_id
from lazyapp.sessions import Sessions


def of() -> Current:
    scope = {"path": "/here", "headers": [], "scheme": "http"}
    return Current(scope, Sessions("s" * 32).of(scope))


def test_a_nonce_is_made_when_it_is_asked_for_and_stays() -> None:
    """CSP 3, 2.3.1: another one for each answer."""
    here = of()
    assert here.nonce_if_used == ""
    assert here.nonce == here.nonce == here.nonce_if_used
    assert here.nonce != of().nonce


def test_a_request_is_called_alike_on_its_page_and_in_the_log() -> None:
    """What names it is `request_ids.py`; a request that came through no App has a name all the same, and keeps it."""
    here = of()
    named = answering.set((here.scope, RequestIds()))
    assert here.request_id == request_id()
    answering.reset(named)
    assert of().request_id != of().request_id
    assert (other := of()).request_id == other.request_id
    assert here.path == "/here"
