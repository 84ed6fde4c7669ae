"""lazymcp/keys.py: keys from the server's one secret."""

from lazymcp.keys import derive


def test_a_key_is_the_same_everywhere_and_another_for_each_purpose_and_secret():
    """RFC 5869, section 3.2."""
    key = derive("secret", b"session id")
    assert len(key) == 32
    assert key == derive("secret", b"session id")
    assert len({key, derive("secret", b"request state"), derive("other", b"session id")}) == 3
