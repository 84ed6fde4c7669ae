"""lazyapp/secret_words.py: which names stand for secrets."""

import pytest

from lazyapp.secret_words import MASK, is_secret, is_typed_secret, masked, without_passwords

TYPED = (
    *(
        "password",
        "password_hash",
        "passwd",
        "hashed_password",
        "pass",
        "pass1",
        "user_pass",
        "dbpass",
        "new_password2",
        "passcode",
    ),
    *("token", "access_token", "refresh_tokens", "csrfToken", "author_token", "country_code_token", "SECRET_KEY", "client_secret"),
    *("otp", "totp", "otp_code", "pin", "PIN", "userPin", "pin_code", "cvc", "card_cvv", "_passWord_", "rolpassword"),
)
HELD = (
    *("api_key", "apikey", "apiKey", "X-Api-Key", "key", "keys", "private_key", "key_id", "salt", "hash", "digest", "key_digest"),
    *("session", "session_id", "sessionid", "cookie", "Set-Cookie", "credentials", "signature", "subconninfo", "umoptions"),
    *("auth", "oauth", "basic_auth", "auth_header", "Authorization", "Proxy-Authorization", "code", "code_challenge", "user_code"),
    *("recovery_codes", "authCode", "status_code_key"),
)
HARMLESS = (
    *("", "id", "name", "email", "title", "keyword", "monkey", "keyboard", "passenger", "passed", "passport", "spin", "pinned"),
    *("author", "authors", "author_id", "authority", "hashtag", "hashtags", "secretary", "bypass", "compass", "codec", "encoding"),
    *(
        "country_code",
        "countryCode",
        "status_code",
        "postal_code",
        "zipcode",
        "error_codes",
        "primary_key",
        "foreign_key",
        "sort_key",
    ),
    *("token_count", "max_tokens", "input_tokens", "max_output_tokens", "password_changed_at", "token_ttl", "has_password"),
    *(
        "code_challenge_method",
        "auth_time",
        "token_endpoint",
        "signing_key_version",
        "oauth_limits",
        "DESKTOP_SESSION",
        "SSH_AUTH_SOCK",
    ),
)


@pytest.mark.parametrize(
    ("name", "rules"),
    [
        *((name, (True, True)) for name in TYPED),
        *((name, (True, False)) for name in HELD),
        *((name, (False, False)) for name in HARMLESS),
    ],
)
def test_a_name_tells_what_is_not_shown_and_what_is_not_typed_back(name: str, rules: tuple[bool, bool]) -> None:
    """docs/panel.md; docs/about.md, "Secrets"; docs/forms.md."""
    assert (is_secret(name), is_typed_secret(name)) == rules


def test_a_name_of_any_length_is_judged_at_once() -> None:
    """Names come from strangers: of a query, a form, JSON."""
    for piece in ("a", "A", "_", "aA", "max_", "pin_", "auth", "code_", "key-"):
        is_secret(piece * 20_000)


def test_secrets_are_masked_at_any_depth_and_what_is_nested_without_end_is_cut() -> None:
    """docs/about.md, "Secrets"."""
    given = {"name": "ada", "tokens": None, "logins": ({"token": "t", "at": 1},), "secret": {"a": 1}}
    assert masked(given) == {"name": "ada", "tokens": None, "logins": [{"token": MASK, "at": 1}], "secret": MASK}
    deep: object = {"token": "t"}
    for _ in range(5_000):
        deep = [deep]
    assert str(masked(deep)).count("[") == 31


def test_an_address_loses_its_password() -> None:
    """RFC 3986, section 3.2.1: a password in clear text should not be shown."""
    assert without_passwords("postgresql://shop:hidden@localhost/shop") == f"postgresql://shop:{MASK}@localhost/shop"
    assert without_passwords("sqlite:///x.db") == "sqlite:///x.db"


def test_a_password_that_is_not_encoded_is_masked_to_its_end() -> None:
    """RFC 3986, section 3.2.1 has "@" and "/" encoded; whoever types one into a setting may not know."""
    for password in ("one@two", "one@two@three", "one/two", "one?two", "one/two@three", "one#two"):
        assert (
            without_passwords(f"no host at postgresql://shop:{password}@db/shop") == f"no host at postgresql://shop:{MASK}@db/shop"
        )


def test_a_secret_in_a_query_is_masked() -> None:
    """RFC 9700, section 4.3.2: tokens in a URL are in logs; PostgreSQL 18, 32.1.1: libpq takes `sslpassword` there."""
    given = "postgresql://db/shop?user=shop&password=one@two&sslpassword=three&pass%77ord=four&application_name=till failed"
    masked_url = f"postgresql://db/shop?user=shop&password={MASK}&sslpassword={MASK}&pass%77ord={MASK}&application_name=till failed"
    assert without_passwords(given) == masked_url
    assert without_passwords("https://shop.test/#access_token=one&state=two") == f"https://shop.test/#access_token={MASK}&state=two"
    assert without_passwords("/notes?page=2&token_count=3") == "/notes?page=2&token_count=3"
