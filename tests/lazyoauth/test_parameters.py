"""RFC 6749, section 3.1."""

import pytest

from lazyoauth.errors import InvalidRequest
from lazyoauth.parameters import parse


def test_values_are_decoded_once_and_empty_ones_count_as_omitted():
    """RFC 6749, section 3.1 and appendix B."""
    found = parse("a=1%2B1+x&b=&state=%2541")
    assert found.get("a") == "1+1 x"
    assert found.get("b") == found.get("missing") == ""
    assert found.get("state") == "%41"


@pytest.mark.parametrize("text", ["a=1&a=1", "a=1&a=2", "client_id=x&scope=y&client_id=", "a=&a=1"])
def test_a_repeated_parameter_is_refused(text):
    """RFC 6749, section 3.1."""
    with pytest.raises(InvalidRequest):
        parse(text)


def test_resource_may_come_more_than_once():
    """RFC 8707, section 2."""
    assert parse("resource=a&resource=b&resource=").resources == ("a", "b")


@pytest.mark.parametrize("text", ["a=%00", "a=x%0d%0aLocation:+y", "a=%ff", "&".join(f"p{n}=1" for n in range(65))])
def test_what_no_client_sends_is_refused(text):
    """RFC 6749, appendix A."""
    with pytest.raises(InvalidRequest):
        parse(text)


def test_a_missing_parameter_is_named():
    """RFC 6749, section 5.2."""
    with pytest.raises(InvalidRequest, match="grant_type is required"):
        parse("").require("grant_type")


def test_values_never_show():
    """They may be passwords and codes."""
    assert repr(parse("code=secret&b=2")) == "Parameters(b, code)"
