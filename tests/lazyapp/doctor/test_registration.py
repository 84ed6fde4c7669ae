"""Mistakes of the registration endpoint, one at a time: each is found."""

import pytest

from tests.lazyapp.doctor.deployment import ORIGIN, Reply, says
from tests.lazyapp.doctor.mistakes import Mistake, faults_of, instead, only, with_mistake

MISTAKES: list[tuple[str, Mistake]] = [
    ("registration-refused", only(lambda r: b"cursor://" in r.body, lambda *_: Reply(400, {}, {"error": "invalid_redirect_uri"}))),
    ("registration-limited", instead("/register", 429, {"error": "too_many"})),
    ("registration-redirects", instead("/register", 307, location=f"{ORIGIN}/register/")),
    (
        "registration-drops-redirects",
        says("/register", lambda r: Reply(r.status, r.headers, {**r.body, "redirect_uris": r.body.get("redirect_uris", [])[-1:]})),
    ),
    ("registration-not-201", says("/register", lambda r: Reply(200 if r.status == 201 else r.status, r.headers, r.body))),
    (
        "registration-tells-no-redirects",
        says("/register", lambda r: Reply(r.status, r.headers, {k: v for k, v in r.body.items() if k != "redirect_uris"})),
    ),
    ("registration-gives-secret", says("/register", lambda r: Reply(r.status, r.headers, {**r.body, "client_secret": "s"}))),
    ("registration-error-unreadable", says("/register", lambda r: r if r.status == 201 else Reply(422, {}, {"detail": []}))),
    ("registration-takes-scripts", only(lambda r: b"javascript:" in r.body, lambda *_: Reply(201, {}, {"client_id": "evil"}))),
]


@pytest.mark.parametrize(("fault", "mistake"), MISTAKES, ids=[f"{number}-{fault}" for number, (fault, _) in enumerate(MISTAKES)])
async def test_the_mistake_is_found(fault: str, mistake: Mistake) -> None:
    """The public report or the clause behind each stands in faults.toml."""
    assert fault in await faults_of(with_mistake(mistake))
