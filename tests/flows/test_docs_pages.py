"""The documentation in a real browser, on a real `lazyapp serve`: judged by axe-core in light and dark, wide and narrow."""

from pathlib import Path

import pytest

from tests.flows.looking import clean, look, visit
from tests.flows.serving import Server

PAGES = {
    "docs": "/_lazy/docs",
    "docs-tutorial": "/_lazy/docs/tutorial",
    "docs-reference": "/_lazy/docs/reference/lazyview",
    "docs-search": "/_lazy/docs?q=form+errors",
    "docs-missing": "/_lazy/docs/nix",
}


async def test_the_documentation_is_for_everyone(cache: pytest.Cache, tmp_path: Path) -> None:
    """WCAG 2.2, levels A and AA: no violation, no word on the console."""
    with Server(tmp_path / "log", {}) as server:
        seen = await look(cache, tmp_path, server.url, [visit(name, path, ("see", "h1")) for name, path in PAGES.items()])
    told = clean([page for page in seen if page["name"] != "docs-missing"])
    assert "reading list" in told["docs-tutorial"]
    assert all("404" in word for page in seen if page["name"] == "docs-missing" for word in page["said"])
