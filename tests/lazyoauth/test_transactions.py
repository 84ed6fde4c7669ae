"""Pending logins, bound to one browser. RFC 9700, section 4.7; RFC 6265bis."""

from dataclasses import replace

import pytest

from lazyoauth import jose
from lazyoauth.errors import ExpiredTransaction
from lazyoauth.keys import derive
from lazyoauth.records import AuthorizationRequest
from lazyoauth.transactions import Transactions
from tests.lazyoauth.journey import CALLBACK, ISSUER, RESOURCE, SECRET, Clock

REQUEST = AuthorizationRequest(
    client_id="client", redirect_uri=CALLBACK, scope="mcp", asked_scope="mcp", resource=RESOURCE, code_challenge="c" * 43, state="s"
)


@pytest.fixture
def transactions(clock: Clock) -> Transactions:
    return Transactions(keys=derive(SECRET).transaction, issuer=ISSUER, lifetime_s=600, secure=True, now=clock)


def test_a_transaction_opens_in_its_own_browser_only(transactions):
    """https://github.com/ory/hydra/pull/770: what an attacker opened is useless in the victim's browser, and the other way."""
    mine, secret = transactions.begin(REQUEST)
    sealed = transactions.seal(mine)
    assert transactions.open(sealed, {transactions.cookie_name(mine): secret}) == mine
    his, other = transactions.begin(REQUEST)
    for cookies in ({}, {transactions.cookie_name(mine): other}, {transactions.cookie_name(his): secret}, {"lazyoauth_x": secret}):
        with pytest.raises(ExpiredTransaction):
            transactions.open(sealed, cookies)


def test_signing_in_changes_the_cookie(transactions, clock):
    """OWASP, session fixation: what was known before the login opens nothing after it."""
    before, old = transactions.begin(REQUEST)
    after, new = transactions.sign_in(before, "ada")
    name = transactions.cookie_name(after)
    assert name == transactions.cookie_name(before)
    assert (after.user_id, after.auth_time) == ("ada", int(clock.now))
    assert transactions.open(transactions.seal(after), {name: new}) == after
    for sealed, secret in ((transactions.seal(after), old), (transactions.seal(before), new)):
        with pytest.raises(ExpiredTransaction):
            transactions.open(sealed, {name: secret})


def test_a_page_left_open_for_too_long_is_over(transactions, clock):
    """Ten minutes."""
    transaction, secret = transactions.begin(REQUEST)
    sealed, cookies = transactions.seal(transaction), {transactions.cookie_name(transaction): secret}
    clock.now += 599
    transactions.open(sealed, cookies)
    clock.now += 1
    with pytest.raises(ExpiredTransaction):
        transactions.open(sealed, cookies)


@pytest.mark.parametrize("change", ["text", "key", "issuer", "shape"])
def test_what_we_did_not_seal_for_this_issuer_is_refused(transactions, change):
    """RFC 8725, section 3.11."""
    transaction, secret = transactions.begin(REQUEST)
    sealed = {
        "text": "not.a.seal..",
        "key": replace(transactions, keys=derive("o" * 32).transaction).seal(transaction),
        "issuer": replace(transactions, issuer="http://localhost").seal(transaction),
        "shape": jose.seal({"iss": ISSUER, "exp": 1e11, "request": {}}, transactions.keys, "transaction+jwt"),
    }[change]
    with pytest.raises(ExpiredTransaction):
        transactions.open(sealed, {transactions.cookie_name(transaction): secret})


def test_the_cookie_has_the_host_prefix_wherever_it_can(transactions):
    """RFC 6265bis, section 4.1.3.2: another name under the domain cannot set it; plain http cannot either."""
    transaction, _ = transactions.begin(REQUEST)
    assert transactions.cookie_name(transaction) == f"__Host-lazyoauth_{transaction.id}"
    plain = replace(transactions, secure=False)
    assert plain.cookie_name(transaction) == f"lazyoauth_{transaction.id}"


def test_the_secret_is_not_in_the_page(transactions):
    """The page carries a digest, sealed."""
    transaction, secret = transactions.begin(REQUEST)
    assert secret not in transactions.seal(transaction)
    assert secret not in repr(transaction)
    assert transaction.browser not in repr(transaction)
