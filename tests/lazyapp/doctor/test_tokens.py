"""Mistakes of the token endpoint and the key set, one at a time: each is found."""

import pytest

from tests.lazyapp.doctor.deployment import ORIGIN, Reply, says
from tests.lazyapp.doctor.mistakes import Mistake, faults_of, header, instead, is_json, only, with_mistake

MISTAKES: list[tuple[str, Mistake]] = [
    ("answer-may-be-cached", header("/token", "cache-control", None)),
    ("token-redirects", instead("/token", 307, location=f"{ORIGIN}/token/", method="POST")),
    (
        "token-error-unreadable",
        only(
            lambda r: r.path == "/token" and is_json(r), lambda *_: Reply(422, {"content-type": "application/json"}, {"detail": []})
        ),
    ),
    (
        "token-error-unreadable",
        only(lambda r: r.path == "/token" and not r.body, lambda *_: Reply(500, {"content-type": "text/html"}, "oh")),
    ),
    ("unknown-client-not-told", says("/token", lambda r: Reply(400, r.headers, {"error": "invalid_grant"}), "POST")),
    ("unknown-client-not-401", says("/token", lambda r: Reply(400, r.headers, r.body), "POST")),
    ("dead-grant-not-told", says("/token", lambda r: Reply(401, r.headers, {"error": "invalid_client"}), "POST")),
    ("keys-unreadable", instead("/jwks", 404)),
    ("keys-private", instead("/jwks", 200, {"keys": [{"kty": "EC", "crv": "P-256", "x": "x", "y": "y", "d": "d"}]})),
]


@pytest.mark.parametrize(("fault", "mistake"), MISTAKES, ids=[f"{number}-{fault}" for number, (fault, _) in enumerate(MISTAKES)])
async def test_the_mistake_is_found(fault: str, mistake: Mistake) -> None:
    """The public report or the clause behind each stands in faults.toml."""
    assert fault in await faults_of(with_mistake(mistake))
