"""Client authentication. RFC 6749, sections 2.3 and 3.2.1."""

from base64 import b64encode
from urllib.parse import quote_plus

import pytest

from lazyoauth.authentication import ASSERTION_TYPE, read
from lazyoauth.errors import InvalidClient, InvalidRequest
from lazyoauth.parameters import parse
from tests.lazyoauth.journey import Journey, error_of, tokens_of

TYPE = quote_plus(ASSERTION_TYPE)


def basic(text: str) -> str:
    return f"Basic {b64encode(text.encode()).decode()}"


@pytest.mark.parametrize(
    ("body", "header", "client_id"),
    [
        ("client_id=one", "", "one"),
        ("", basic("one:"), "one"),
        ("", basic("one"), "one"),
        ("client_id=one", basic("one:").replace("Basic", "basic"), "one"),
        ("", basic(f"{quote_plus('a b:c')}:"), "a b:c"),
        ("client_id=one&client_secret=", "", "one"),
        ("", "", ""),
    ],
)
def test_a_client_says_who_it_is_in_the_body_or_in_the_header(body, header, client_id):
    """RFC 6749, section 2.3.1."""
    assert read(parse(body), header).client_id == client_id


@pytest.mark.parametrize(
    ("body", "header", "error"),
    [
        ("client_id=one", basic("two:"), InvalidRequest),
        ("client_id=one&client_secret=x", basic("one:x"), InvalidRequest),
        ("client_id=one&client_secret=x&client_assertion=a.b.c&client_assertion_type=" + TYPE, "", InvalidRequest),
        ("client_id=one&client_assertion=a.b.c", "", InvalidClient),
        ("client_id=one&client_assertion=a.b.c&client_assertion_type=saml2", "", InvalidClient),
        ("client_id=one&client_assertion_type=" + TYPE, "", InvalidRequest),
        ("client_id=one", "Bearer abc", InvalidClient),
        ("client_id=one", "Basic !!!", InvalidClient),
        ("client_id=one", "Basic /////w==", InvalidClient),
    ],
)
def test_what_cannot_be_right_is_refused(body, header, error):
    """RFC 6749, section 2.3: one method a request; RFC 7521, section 4.2."""
    with pytest.raises(error):
        read(parse(body), header)


@pytest.mark.parametrize("client_id", ["", "unknown", "dyn1_AAAA"])
async def test_an_unknown_client_is_told_so_that_it_registers_again(journey: Journey, client_id):
    """https://github.com/anthropics/claude-code/issues/72818: 401 invalid_client, in JSON."""
    answer = await journey.token(client_id=client_id, grant_type="refresh_token", refresh_token="x")
    assert error_of(answer) == (401, "invalid_client")
    assert "www-authenticate" not in answer.headers, "a browser would open its own password window"


async def test_who_came_with_basic_is_answered_in_kind(journey: Journey):
    """RFC 6749, section 5.2."""
    login = await journey.login()
    form = {"grant_type": "refresh_token", "refresh_token": login.refresh_token}
    refused = await journey.http.post("/oauth/token", data=form, headers={"authorization": basic("unknown:")})
    assert error_of(refused) == (401, "invalid_client")
    assert refused.headers["www-authenticate"].startswith("Basic ")
    tokens_of(await journey.http.post("/oauth/token", data=form, headers={"authorization": basic(f"{journey.client_id}:")}))
