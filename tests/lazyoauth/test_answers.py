"""What is sent to a browser, and the evidence that a form is one of ours. RFC 9700, sections 4.7 and 4.16."""

import pytest

from lazyoauth.answers import HEADERS
from tests.lazyoauth.conftest import Start
from tests.lazyoauth.journey import ISSUER, Journey
from tests.lazyoauth.test_pages import at_consent, at_login


async def test_every_page_has_the_headers_that_protect_it(journey: Journey):
    """RFC 9700, section 4.16 (framing); https://github.com/PrefectHQ/fastmcp/issues/2302 and https://github.com/ory/network/issues/451."""
    browser = await at_login(journey)
    pages = [browser.page, await browser.log_in(password="wrong"), await browser.log_in()]
    pages.append(await browser.send({"decision": "allow"}))
    pages += [await journey.http.get("/oauth/authorize"), await journey.http.get("/oauth/consent?transaction=x")]
    for page in pages:
        assert page.headers["content-security-policy"] == HEADERS["Content-Security-Policy"]
        assert "frame-ancestors 'none'" in page.headers["content-security-policy"]
        assert "form-action" not in page.headers["content-security-policy"]
        assert "script" not in page.headers["content-security-policy"]
        assert "cross-origin-opener-policy" not in page.headers
        assert page.headers["x-frame-options"] == "DENY"
        assert page.headers["referrer-policy"] == "no-referrer"
        assert page.headers["x-content-type-options"] == "nosniff"
        assert page.headers["cache-control"] == "no-store"
        assert "<script" not in page.text
        assert "<style" not in page.text
        assert "style=" not in page.text


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"sec-fetch-site": "same-origin"}, 303),
        ({"sec-fetch-site": "same-origin", "origin": "null"}, 303),
        ({"sec-fetch-site": "none"}, 303),
        ({"origin": ISSUER}, 303),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"sec-fetch-site": "cross-site", "origin": ISSUER}, 403),
        ({"sec-fetch-site": "same-site"}, 403),
        ({"origin": "https://evil.example"}, 403),
        ({"origin": f"{ISSUER}.evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"referer": f"{ISSUER}/oauth/authorize"}, 403),
        ({}, 403),
    ],
)
@pytest.mark.parametrize("page", ["login", "consent"])
async def test_a_form_needs_evidence_that_our_page_sent_it(journey: Journey, headers, status, page):
    """RFC 9700, section 4.7; https://web.dev/articles/fetch-metadata: cross-site, same-site and unproven posts are refused."""
    browser = await (at_login if page == "login" else at_consent)(journey)
    values = {"username": "ada", "password": "correct horse"} if page == "login" else {"decision": "allow"}
    answer = await browser.http.post(browser.form.action, data=browser.form.values | values, headers=headers)
    assert answer.status_code == status
    assert ("location" in answer.headers) is (status == 303)


async def test_the_cookie_is_as_strict_as_it_can_be(start: Start):
    """RFC 6265bis, section 4.1.3.2; Lax, because a Strict one would not come back from a link."""
    for issuer, prefix in ((ISSUER, "__Host-lazyoauth_"), ("http://localhost:3000", "lazyoauth_")):
        browser = await at_login(start(issuer=issuer))
        cookie = browser.page.headers["set-cookie"]
        assert cookie.startswith(prefix)
        for attribute in ("HttpOnly", "Path=/", "SameSite=lax", "Max-Age=600"):
            assert attribute in cookie
        assert ("Secure" in cookie) is (issuer == ISSUER)
        assert "Domain" not in cookie
