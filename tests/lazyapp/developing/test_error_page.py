"""lazyapp/developing/error_page.py: the id that a failed tool told finds its page."""

import re

from tests.lazyapp.developing.panel_site import HOSTILE, HTML, URL, Site, opened


async def failed(site: Site) -> str:
    """The address that a model was told of a tool that failed."""
    answer = await site.call("tools/call", {"name": "notes.count", "arguments": {"tag": HOSTILE, "password": "hunter2"}})
    text = answer["result"]["content"][0]["text"]
    found = re.fullmatch(r"tool notes\.count failed; the details are in the server's log under (\w+) and at (\S+)", text)
    assert found is not None, text
    assert found[2] == f"{URL}/_lazy/errors/{found[1]}"
    return found[2].removeprefix(URL)


async def test_the_address_leads_to_the_lines_where_it_failed(tmp_path):
    """docs/panel.md: the failing tool's page by its id."""
    async with opened(tmp_path) as site:
        page = await site.page(await failed(site))
    assert '<h1 class="wrong">KeyError</h1>' in page
    assert re.search(r"<mark> *\d+  +raise KeyError\(tag\)</mark>", page)
    assert "panel_site.py:" in page
    assert "&#34;tag&#34;" in page
    assert "hunter2" not in page
    assert "<script>alert" not in page
    assert not {"\x1b", "\u202e"} & set(page)


async def test_it_is_markdown_and_json_as_well(tmp_path):
    async with opened(tmp_path) as site:
        path = await failed(site)
        markdown = await site.http.get(path, headers={"accept": "text/markdown"})
        told = await site.http.get(path, headers={"accept": "application/json"})
    assert markdown.headers["content-type"] == "text/markdown; charset=utf-8"
    assert markdown.text.startswith("A tool failed: tool notes.count")
    assert "# KeyError at POST /mcp" in markdown.text
    assert "```json" in markdown.text
    assert not {"\x1b", "\u202e"} & set(markdown.text)
    assert "hunter2" not in markdown.text + told.text
    found = told.json()
    assert (found["kind"], found["what"], found["exception"][0]["type"]) == ("tool", "tool notes.count", "KeyError")
    assert path.endswith(found["id"])
    assert {markdown.headers["vary"], told.headers["vary"]} == {"accept"}


async def test_a_page_that_failed_is_found_by_the_number_it_told(tmp_path):
    async with opened(tmp_path) as site:
        answer = await site.http.get(
            "/books?token=hunter2", headers={**HTML, "cookie": "session=hunter2", "authorization": "Bearer hunter2"}
        )
        page = await site.page(f"/_lazy/errors/{answer.headers['x-request-id']}")
    assert "A page failed" in page
    assert "hunter2" not in page


async def test_an_id_that_is_not_known_says_so(tmp_path):
    async with opened(tmp_path) as site:
        for accept in ("text/html", "text/markdown", "application/json"):
            for name in ("nobody", "%3Cscript%3E", "a/b", "%00"):
                answer = await site.http.get(f"/_lazy/errors/{name}", headers={"accept": accept})
                assert answer.status_code == 404
                assert "last 50 are kept" in answer.text
                assert answer.headers["content-type"].startswith(accept)
                assert "<script>" not in answer.text


async def test_an_id_that_is_typed_leads_to_its_page(tmp_path):
    async with opened(tmp_path) as site:
        path = await failed(site)
        answer = await site.http.get("/_lazy/errors", params={"id": f" {path.rpartition('/')[2]} "}, headers=HTML)
    assert (answer.status_code, answer.headers["location"]) == (303, path)
