"""Mistakes of what stands before the application, one at a time: each is found."""

import pytest

from tests.lazyapp.doctor.deployment import Reply
from tests.lazyapp.doctor.mistakes import SERVER, Mistake, faults_of, header, instead, only, with_mistake

MISTAKES: list[tuple[str, Mistake]] = [
    ("preflight-refused", instead("/mcp", 401, method="OPTIONS")),
    ("pages-turned-away", instead("/mcp", 403, method="OPTIONS")),
    ("preflight-lacks-headers", header("/mcp", "access-control-allow-headers", "*", "OPTIONS")),
    ("refusal-unreadable-by-pages", header("/mcp", "access-control-allow-origin", None, "POST")),
    ("challenge-not-exposed", header("/mcp", "access-control-expose-headers", None)),
    ("document-unreadable-by-pages", header(SERVER, "access-control-allow-origin", None)),
    ("cors-with-credentials", header(SERVER, "access-control-allow-credentials", "true")),
    ("vendor-locked-out", only(lambda r: "Claude-User" in r.headers["user-agent"], lambda *_: Reply(403))),
    ("clock-off", header("/mcp", "date", "Mon, 01 Jan 2024 00:00:00 GMT")),
]


@pytest.mark.parametrize(("fault", "mistake"), MISTAKES, ids=[f"{number}-{fault}" for number, (fault, _) in enumerate(MISTAKES)])
async def test_the_mistake_is_found(fault: str, mistake: Mistake) -> None:
    """The public report or the clause behind each stands in faults.toml."""
    assert fault in await faults_of(with_mistake(mistake))
