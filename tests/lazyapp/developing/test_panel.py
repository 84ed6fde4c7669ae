"""lazyapp/developing/panel.py: the pages of the panel, by their addresses."""

from lazyapp.developing.asked import POLICY
from tests.lazyapp.developing.panel_site import HTML, opened

PAGES = ["", "/routes", "/mcp", "/services", "/requests", "/errors", "/log"]


async def test_each_page_is_there_with_and_without_its_last_slash(tmp_path):
    async with opened(tmp_path) as site:
        for path in (f"/_lazy{page}{slash}" for page in PAGES for slash in ("", "/")):
            answer = await site.http.get(path, headers=HTML)
            assert (answer.status_code, answer.headers["content-type"]) == (200, "text/html; charset=utf-8"), path
            assert answer.headers["content-security-policy"] == POLICY
            assert "set-cookie" not in answer.headers


async def test_a_head_is_answered_like_a_get_without_its_body(tmp_path):
    """RFC 9110, section 9.3.2."""
    async with opened(tmp_path) as site:
        for page in PAGES:
            answer = await site.http.head(f"/_lazy{page}", headers=HTML)
            assert (answer.status_code, answer.text) == (200, ""), page
            assert int(answer.headers["content-length"]) > 500


async def test_nothing_can_be_sent_to_a_page(tmp_path):
    """RFC 9110, section 15.5.6."""
    async with opened(tmp_path) as site:
        for method in ("POST", "PUT", "DELETE", "OPTIONS", "PATCH"):
            answer = await site.http.request(method, "/_lazy/routes")
            assert (answer.status_code, answer.headers["allow"]) == (405, "GET, HEAD")


async def test_what_is_no_page_says_so(tmp_path):
    async with opened(tmp_path) as site:
        for path in ("/nobody", "/routes/x", "/requests/nobody", "/%3Cscript%3E", "/log%00"):
            answer = await site.http.get(f"/_lazy{path}", headers=HTML)
            assert (answer.status_code, "Nothing is here" in answer.text, "<script>" in answer.text) == (404, True, False), path


async def test_the_bar_leads_only_to_what_is_there(tmp_path):
    async with opened(tmp_path) as site:
        page = await site.page("/_lazy/routes")
        assert '<a href="/_lazy/routes" aria-current="page">' in page
        assert "/_lazy/logins" not in page
        for link in ("/_lazy/preview", "/_lazy/log"):
            assert f'href="{link}"' in page
            assert (await site.http.get(link, headers=HTML)).status_code == 200
