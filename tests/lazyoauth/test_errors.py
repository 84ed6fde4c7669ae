"""Every error says the same thing on the wire as the standard does."""

import inspect

import pytest
from authlib.oauth2.rfc6749 import errors as vocabulary

from lazyoauth import errors


def ours() -> dict[str, type[errors.OAuthError]]:
    return {
        name: value
        for name, value in vars(errors).items()
        if inspect.isclass(value) and issubclass(value, errors.OAuthError) and value is not errors.OAuthError
    }


@pytest.mark.parametrize(
    "name",
    [
        *("InvalidRequest", "InvalidClient", "InvalidGrant", "InvalidScope", "AccessDenied"),
        *("UnauthorizedClient", "UnsupportedGrantType", "UnsupportedResponseType"),
    ],
)
def test_codes_are_those_of_authlib(name):
    """RFC 6749, sections 4.1.2.1 and 5.2; Authlib is the judge of the vocabulary."""
    assert ours()[name].code == getattr(vocabulary, f"{name}Error").error


@pytest.mark.parametrize("name", sorted(ours()))
def test_an_error_becomes_a_json_object_without_its_detail(name):
    """RFC 6749, section 5.2: `detail` is for the log."""
    error = ours()[name]("what was expected", detail="what we hold")
    assert error.to_dict() == {"error": error.code, "error_description": "what was expected"}
    assert 400 <= error.status < 600
    assert all(0x20 <= ord(character) < 0x7F and character not in '"\\' for character in error.code)


def test_who_should_try_again_is_told_when():
    """RFC 9110, section 10.2.3."""
    assert errors.TemporarilyUnavailable("x").headers() == {"Retry-After": "5"}
    assert errors.TooManyRequests("x", retry_after_s=60).headers() == {"Retry-After": "60"}
    assert errors.TooManyRequests("x").status == 429
    assert errors.TemporarilyUnavailable("x").status == 503
