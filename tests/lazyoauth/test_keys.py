"""Key derivation."""

import pytest
from joserfc.jwk import ECKey

from lazyoauth import ConfigError
from lazyoauth.keys import derive
from tests.lazyoauth.conftest import Start
from tests.lazyoauth.journey import SECRET, error_of, tokens_of

ONE, OTHER = "a" * 32, "b" * 32


def raw(keys):
    return [
        *(key.raw_value for key in (*keys.refresh, *keys.code, *keys.transaction)),
        *keys.client_id,
        keys.signing.as_dict(private=True)["d"].encode(),
    ]


def test_every_process_with_the_secret_has_the_same_keys():
    """RFC 5869; several processes serve one issuer."""
    assert raw(derive(ONE)) == raw(derive(ONE))
    assert derive(ONE).jwks() == derive(ONE).jwks()
    assert derive(ONE).signing.kid != derive(OTHER).signing.kid


def test_no_two_kinds_of_token_share_a_key():
    """RFC 8725, section 3.15 (different keys for different kinds)."""
    values = raw(derive(ONE)) + raw(derive(OTHER))
    assert len(set(values)) == len(values)


def test_the_key_set_holds_public_keys_of_current_and_fallback_secrets():
    """RFC 7517, section 5; RFC 7638 for `kid`."""
    keys = derive(OTHER, [ONE])
    published = keys.jwks()["keys"]
    assert [key["kid"] for key in published] == [derive(OTHER).signing.kid, derive(ONE).signing.kid]
    for key in published:
        assert set(key) == {"kty", "crv", "x", "y", "kid", "use", "alg"}
        assert key["kid"] == ECKey.import_key(key).thumbprint()
        assert (key["kty"], key["crv"], key["use"], key["alg"]) == ("EC", "P-256", "sig", "ES256")


def test_another_version_is_another_signing_key_and_nothing_else():
    """RFC 7517, section 4.5; of the fallback's key there is no old version either."""
    first, second = derive(ONE, [OTHER]), derive(ONE, [OTHER], 2)
    assert raw(derive(ONE, [OTHER], 1)) == raw(first)
    assert raw(second)[:-1] == raw(first)[:-1]
    assert not second.verifying.keys() & first.verifying.keys()
    assert derive(ONE, [OTHER], 2).jwks() == second.jwks()
    assert len({derive(ONE, (), version).signing.kid for version in range(1, 13)}) == 12


@pytest.mark.parametrize(("secret", "fallbacks"), [("a" * 31, ()), (ONE, ("",)), (ONE, ("short",))])
def test_a_short_secret_is_refused(secret, fallbacks):
    """RFC 7518, section 3.2: a key for HS256 has 256 bits."""
    with pytest.raises(ConfigError, match="32 bytes"):
        derive(secret, fallbacks)


def test_keys_never_show():
    """Not in a log, not in a traceback that prints values."""
    keys = derive(ONE)
    assert repr(keys) == f"Keys({keys.signing.kid})"


def test_the_derivation_never_changes():
    """A new version of this package must read the tokens and accept the clients of the one before it."""
    assert derive(ONE).signing.kid == "_n8k55SD1yvpvzpvYEFEL7ZZXuj2z_5JwWrUmHDFrkg"
    assert derive(ONE).client_id[0].hex() == "99c0289f63bc548685db8f7c51a5042bf811d6337f0f3c128dce4b052ad2e5af"


async def test_a_new_secret_forces_nobody_to_log_in(start: Start):
    """RFC 8725, section 3.15 and RFC 7517, section 4.5: everything the old secret made is still good, while it is a fallback."""
    before = start()
    states = before.server.config.refresh_token_states
    login = await before.login()
    code = await before.code()
    open_page = before.browser()
    await open_page.open("/oauth/authorize", before.request())

    after = start(secret=OTHER, secret_fallbacks=(SECRET,), refresh_token_states=states)
    after.client_id, after.verifier = before.client_id, before.verifier
    open_page.http._transport = after.http._transport
    assert (await after.call(login.access_token)).status_code == 200
    tokens_of(await after.exchange(code))
    await open_page.log_in()
    tokens_of(await after.exchange((await open_page.decide("allow"))["code"]))
    renewed = tokens_of(await after.refresh(login.refresh_token))
    published = (await after.http.get("/oauth/jwks")).json()["keys"]
    assert [key["kid"] for key in published] == [derive(OTHER).signing.kid, derive(SECRET).signing.kid]

    # A process with the old secret alone refuses what the new one made, and ends nothing by it.
    assert (await before.call(renewed.access_token)).status_code == 401
    assert error_of(await before.refresh(renewed.refresh_token)) == (400, "invalid_grant")
    assert (await after.call(renewed.access_token)).status_code == 200
    tokens_of(await after.refresh(renewed.refresh_token))


async def test_a_secret_that_is_dropped_is_worth_nothing(start: Start):
    """RFC 6750, section 3.1: 401 for the access token; AI clients then register and log in again."""
    before = start()
    login = await before.login()
    code = await before.code()
    after = start(secret=OTHER, refresh_token_states=before.server.config.refresh_token_states)
    after.client_id = before.client_id
    assert (await after.call(login.access_token)).status_code == 401
    assert error_of(await after.refresh(login.refresh_token)) == (401, "invalid_client")
    await after.register()
    assert error_of(await after.refresh(login.refresh_token)) == (400, "invalid_grant")
    assert error_of(await after.exchange(code)) == (400, "invalid_grant")
    assert len((await after.http.get("/oauth/jwks")).json()["keys"]) == 1
