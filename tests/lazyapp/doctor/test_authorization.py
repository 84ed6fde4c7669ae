"""Mistakes of the authorization endpoint and its page, one at a time: each is found."""

import pytest

from tests.lazyapp.doctor.deployment import Reply, says
from tests.lazyapp.doctor.mistakes import Mistake, faults_of, header, only, sent_back, with_mistake

MISTAKES: list[tuple[str, Mistake]] = [
    ("answer-may-be-cached", header("/authorize", "cache-control", "private")),
    ("authorize-redirects-strangers", only(lambda r: "invalid/callback" in r.query.get("redirect_uri", ""), sent_back)),
    (
        "authorize-error-no-page",
        says("/authorize", lambda r: Reply(400, {"content-type": "application/json"}, {}) if r.status == 400 else r),
    ),
    ("redirect-refused", only(lambda r: r.query.get("redirect_uri", "").startswith("cursor:"), lambda *_: Reply(400, {}, "no"))),
    ("loopback-port-fixed", only(lambda r: ":59656" in r.query.get("redirect_uri", ""), lambda *_: Reply(400, {}, "no"))),
    ("scope-too-strict", only(lambda r: r.query.get("scope", "").startswith(" "), sent_back)),
    ("unknown-scope-refused", only(lambda r: "unknown" in r.query.get("scope", ""), sent_back)),
    ("resource-required", only(lambda r: r.path == "/authorize" and "resource" not in r.query, sent_back)),
    (
        "pkce-not-required",
        only(lambda r: r.path == "/authorize" and "code_challenge" not in r.query, lambda *_: Reply(200, {}, "login")),
    ),
    ("state-changed", only(lambda r: r.query.get("response_type") == "token", sent_back)),
    ("iss-missing", only(lambda r: r.query.get("response_type") == "token", sent_back)),
    ("page-form-action", header("/authorize", "content-security-policy", "form-action 'self'; frame-ancestors 'none'")),
    ("page-severs-popup", header("/authorize", "cross-origin-opener-policy", "same-origin")),
    ("page-can-be-framed", header("/authorize", "content-security-policy", None)),
]


@pytest.mark.parametrize(("fault", "mistake"), MISTAKES, ids=[f"{number}-{fault}" for number, (fault, _) in enumerate(MISTAKES)])
async def test_the_mistake_is_found(fault: str, mistake: Mistake) -> None:
    """The public report or the clause behind each stands in faults.toml."""
    assert fault in await faults_of(with_mistake(mistake))
