"""lazyapp/developing/about_secrets.py: which names stand for secrets."""

import pytest

from lazyapp.developing.about_secrets import MASK, is_secret, masked, without_password

SECRET = (
    *("password", "password_hash", "passwd", "hashed_password", "pass", "user_pass", "token", "access_token", "refresh_tokens"),
    *("api_key", "apikey", "key", "private_key", "SECRET_KEY", "client_secret", "salt", "otp", "pin", "session_id", "cookie"),
    *("credentials", "signature", "digest", "key_digest", "rolpassword", "subconninfo", "umoptions", "Authorization"),
)
HARMLESS = (
    "id",
    "name",
    "email",
    "title",
    "keyword",
    "monkey",
    "passenger",
    "passed",
    "token_count",
    "password_changed_at",
    "spin",
)


@pytest.mark.parametrize("name", SECRET)
def test_a_name_that_stands_for_a_secret_is_known(name: str) -> None:
    """docs/about.md, "Secrets"."""
    assert is_secret(name)


@pytest.mark.parametrize("name", HARMLESS)
def test_a_harmless_name_is_shown(name: str) -> None:
    """docs/about.md, "Secrets"."""
    assert not is_secret(name)


def test_secrets_are_masked_at_any_depth() -> None:
    """docs/about.md, "Secrets"."""
    given = {"name": "ada", "tokens": None, "logins": [{"token": "t", "at": 1}], "secret": {"a": 1}}
    assert masked(given) == {"name": "ada", "tokens": None, "logins": [{"token": MASK, "at": 1}], "secret": MASK}


def test_an_address_loses_its_password() -> None:
    """RFC 3986, section 3.2.1: a password in clear text should not be shown."""
    assert without_password("postgresql://shop:hidden@localhost/shop") == f"postgresql://shop:{MASK}@localhost/shop"
    assert without_password("sqlite:///x.db") == "sqlite:///x.db"
