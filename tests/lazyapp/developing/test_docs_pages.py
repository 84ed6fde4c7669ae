"""lazyapp/developing/docs_pages.py: the documentation at `/_lazy/docs`."""

from typing import Any

import httpx2
import pytest

from lazyapp import documentation
from lazyapp.developing.docs_pages import PREFIX, DocsPages, rendered

HTML = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


def site() -> httpx2.AsyncClient:
    pages: Any = DocsPages("shop", lambda: [("/_lazy/docs", "Docs")])
    return httpx2.AsyncClient(transport=httpx2.ASGITransport(app=pages), base_url="http://localhost:3000")


async def test_a_browser_gets_pages_and_everybody_else_markdown() -> None:
    """https://llmstxt.org: a clean Markdown version of a page at its address with `.md`."""
    async with site() as client:
        page = await client.get(f"{PREFIX}/tools", headers=HTML)
        assert page.headers["content-type"] == "text/html; charset=utf-8"
        assert '<h1 id="tools">Tools</h1>' in page.text
        for address, headers in ((f"{PREFIX}/tools", {}), (f"{PREFIX}/tools.md", HTML)):
            answer = await client.get(address, headers=headers)
            assert answer.headers["content-type"] == "text/markdown; charset=utf-8"
            assert answer.text == documentation.page("tools")
        assert (await client.get(PREFIX)).text == documentation.index()
        assert (await client.get(f"{PREFIX}/llms.txt", headers=HTML)).text == documentation.index()
        assert (await client.get(f"{PREFIX}/llms-full.txt")).text == documentation.whole()


async def test_links_lead_to_pages_here() -> None:
    """docs/README.md."""
    async with site() as client:
        text = (await client.get(PREFIX, headers=HTML)).text
        assert f'href="{PREFIX}/reference/lazymcp"' in text
        assert f'href="{PREFIX}"' in (await client.get(f"{PREFIX}/reference/lazymcp", headers=HTML)).text
        assert ".md" not in "".join(part.split('"')[0] for part in text.split('href="')[1:])


async def test_words_are_searched_and_shown_as_they_are() -> None:
    """CWE-79."""
    async with site() as client:
        found = await client.get(f"{PREFIX}?q=form+errors", headers=HTML)
        assert f'href="{PREFIX}/forms#' in found.text
        hostile = await client.get(PREFIX, params={"q": "<script>alert(1)</script>"}, headers=HTML)
        assert "<script>alert" not in hostile.text


@pytest.mark.parametrize("path", ["/nix", "/../../pyproject.toml", "/tools/x", "/%2e%2e/pyproject", "/\u202e"])
async def test_what_is_no_page_is_not_found(path: str) -> None:
    """CWE-22."""
    async with site() as client:
        for headers in (HTML, {}):
            assert (await client.get(PREFIX + path, headers=headers)).status_code in (404,)
        assert (await client.post(f"{PREFIX}/tools")).status_code == 405


def test_every_page_can_be_shown() -> None:
    """CommonMark 0.31; each id once. HTML Living Standard, "The id attribute"."""
    for name in documentation.names():
        title, html = rendered(name)
        ids = [part.split('"')[0] for part in html.split(' id="')[1:]]
        assert title
        assert len(ids) == len(set(ids)), name
        assert "<script" not in html
