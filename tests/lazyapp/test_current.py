"""The request being answered."""

import pytest

from lazyapp.current import Current
from lazyapp.sessions import Sessions


def of(*request_id: bytes) -> Current:
    scope = {"path": "/here", "headers": [(b"x-request-id", value) for value in request_id], "scheme": "http"}
    return Current(scope, Sessions("s" * 32).of(scope))


def test_a_nonce_is_made_when_it_is_asked_for_and_stays() -> None:
    """CSP 3, 2.3.1: another one for each answer."""
    here = of()
    assert here.nonce_if_used == ""
    assert here.nonce == here.nonce == here.nonce_if_used
    assert here.nonce != of().nonce


@pytest.mark.parametrize("given", [b"proxy-id-1", b"8a3f.77_b-c"])
def test_a_proxys_request_id_is_kept(given: bytes) -> None:
    """Its log and ours name one request alike."""
    assert of(given).request_id == given.decode()


@pytest.mark.parametrize(
    "given", [(), (b"",), (b"short",), (b"a b c d e f",), (b"x" * 65,), (b"line\nbreak",), (b"one-of-two", b"two-of-two")]
)
def test_what_is_no_id_is_replaced_by_one_that_stays(given: tuple[bytes, ...]) -> None:
    """A stranger does not write into our log."""
    here = of(*given)
    assert len(here.request_id) == 16
    assert here.request_id == here.request_id
    assert here.path == "/here"
