import pytest

from lazyauth import AuthError, InvalidCredentials, MissingUser, Overloaded, SignInRequired, WeakPassword


@pytest.mark.parametrize("error", [InvalidCredentials, MissingUser, Overloaded, SignInRequired])
def test_every_error_says_a_sentence_by_itself(error):
    """style, "Errors": the message says what was expected; a tool's caller reads it as it is."""
    with pytest.raises(AuthError) as caught:
        raise error
    assert len(str(caught.value).split()) > 2
    assert str(error("another sentence")) == "another sentence"


def test_a_weak_password_is_refused_with_the_rule_that_it_breaks():
    assert str(WeakPassword("a password has at least 8 characters")) == "a password has at least 8 characters"
    assert issubclass(WeakPassword, AuthError)
