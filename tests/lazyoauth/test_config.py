"""Settings that cannot work are refused with one sentence."""

import pytest

from lazyoauth import Config, ConfigError, MemoryRefreshTokenStates, Server
from tests.lazyoauth.journey import ISSUER, SECRET


def config(users, **changes) -> Config:
    defaults = {"issuer": ISSUER, "refresh_token_states": MemoryRefreshTokenStates(), "authenticator": users, "secret": SECRET}
    return Config(**defaults | changes)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"issuer": "https://app.example/"}, "must not end with a slash"),
        ({"issuer": "https://app.example/tenant"}, "plain origin"),
        ({"issuer": "https://app.example?x=1"}, "plain origin"),
        ({"issuer": "https://app.example#x"}, "plain origin"),
        ({"issuer": "https://user@app.example"}, "plain origin"),
        ({"issuer": "https://APP.example"}, "lower case"),
        ({"issuer": "app.example"}, "http or https URL"),
        ({"issuer": "ftp://app.example"}, "http or https URL"),
        ({"issuer": ""}, "http or https URL"),
        ({"issuer": "https://"}, "http or https URL"),
        ({"issuer": "https://app.example:port"}, "is no URL"),
        ({"issuer": "https://[::1"}, "is no URL"),
        ({"local_issuers": ("http://localhost:3000/",)}, "must not end with a slash"),
        ({"secret": None}, "secret is missing"),
        ({"secret": "short"}, "32 bytes"),
        ({"secret_fallbacks": ("short",)}, "32 bytes"),
        ({"signing_key_version": 0}, "SIGNING_KEY_VERSION"),
        ({"authenticator": None}, "authenticator is missing"),
        ({"resource_path": "mcp"}, "resource_path"),
        ({"resource_path": "/mcp/"}, "resource_path"),
        ({"resource_path": "/m?cp"}, "resource_path"),
        ({"passwords": False}, "nobody could sign in"),
        ({"passwords": False, "sign_in_links": lambda after: {"Corp": after}}, "nobody could sign in"),
        ({"scopes": ()}, "scopes"),
        ({"scopes": ("a b",)}, "scopes"),
        ({"scopes": ('a"b',)}, "scopes"),
        ({"scopes": ("offline_access",)}, "offline_access"),
        ({"refresh_retry_window_s": 301}, "refresh_retry_window_s"),
        ({"refresh_retry_window_s": -1}, "refresh_retry_window_s"),
        ({"refresh_burst_merge_s": 6}, "refresh_burst_merge_s"),
        ({"refresh_burst_merge_s": float("nan")}, "refresh_burst_merge_s"),
    ],
)
async def test_a_setting_that_cannot_work_is_named(users, change, sentence):
    """RFC 8414, section 2; https://github.com/modelcontextprotocol/python-sdk/issues/1919 for the slash."""
    with pytest.raises(ConfigError, match=sentence) as error:
        Server(config(users, **change))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "issuer", ["https://app.example", "https://app.example:8443", "http://localhost:3000", "http://[::1]:3000"]
)
async def test_an_origin_is_an_issuer(users, issuer):
    """RFC 8414, section 2."""
    Server(config(users, issuer=issuer))


async def test_secrets_do_not_show(users):
    """A configuration is printed when something goes wrong."""
    assert SECRET not in repr(config(users, secret_fallbacks=(SECRET,)))
