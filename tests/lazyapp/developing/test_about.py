"""lazyapp/developing/about.py: an MCP server about the application itself."""

import json
from pathlib import Path

from lazyapp import documentation
from lazymcp.weight import tokens_of
from tests.lazyapp.developing.library import HASH, asked_about

CHANGING = {"call_tool"}


async def test_every_tool_but_one_says_that_it_only_reads(tmp_path: Path) -> None:
    """MCP 2026-07-28, server/tools, "ToolAnnotations"."""
    async with asked_about(tmp_path) as agent:
        tools = (await agent.ask("tools/list"))["tools"]
    changing = {each["name"] for each in tools if not each.get("annotations", {}).get("readOnlyHint")}
    assert changing == CHANGING
    assert all(each["description"] for each in tools)


async def test_the_list_of_tools_stays_short(tmp_path: Path) -> None:
    """https://github.com/laravel/boost/issues/606: what an agent reads before every task has to be short."""
    async with asked_about(tmp_path) as agent:
        assert tokens_of((await agent.ask("tools/list"))["tools"]) < 4500


async def test_the_schema_and_the_rows_of_the_database_are_told(tmp_path: Path) -> None:
    """docs/about.md, "The database"."""
    async with asked_about(tmp_path) as agent:
        found = await agent.call("read_schema", table="books")
        assert [column["name"] for column in found["tables"][0]["columns"]] == ["id", "title", "reader_id"]
        assert {row["line"]: row["pending"] for row in found["migrations"]} == {"framework": [], "application": []}
        rows = await agent.call("query_database", sql="select title from books order by id desc", limit=1)
        assert rows == {"columns": ["title"], "rows": [["Volume 3"]], "is_cut": True}
        assert "Only reading" in await agent.refused("query_database", sql="delete from books")
        assert HASH not in json.dumps(
            await agent.ask("tools/call", name="query_database", arguments={"sql": "select * from readers"})
        )
        assert "no table 'x'" in await agent.refused("read_schema", table="x")


async def test_a_view_is_rendered_with_variables(tmp_path: Path) -> None:
    """docs/about.md, "Pages"."""
    async with asked_about(tmp_path) as agent:
        assert await agent.call("render_view", view="home/index", variables={"reader": "<b>"}) == "<p>Hello &lt;b&gt;</p>"
        assert (await agent.call("render_view", view="home/index", variables={"reader": "x"}, layout="app")).startswith("<title>")
        assert "'reader' is undefined" in await agent.refused("render_view", view="home/index")
        assert "views/nix/index.html.j2" in await agent.refused("render_view", view="nix/index")
        assert await agent.refused("render_view", view="../../etc/passwd")


async def test_the_documentation_is_searched_and_read(tmp_path: Path) -> None:
    """https://llmstxt.org; https://nextjs.org/docs/app/guides/mcp: the documentation of the version that is installed."""
    async with asked_about(tmp_path) as agent:
        found = await agent.call("search_docs", words="form errors")
        heading = next(each["heading"] for each in found if each["page"] == "forms")
        assert heading in await agent.call("read_docs", page="forms")
        assert (await agent.call("read_docs", page="forms", heading=heading)).startswith(f"## {heading}")
        assert (await agent.call("read_docs", page="")) == documentation.index()
        assert "no page" in await agent.refused("read_docs", page="../pyproject")
        assert "no heading" in await agent.refused("read_docs", page="forms", heading="x")
        read = await agent.ask("resources/read", uri="lazyapp://docs/reference/lazymcp")
        assert read["contents"][0]["text"].startswith("# ")
        done = await agent.ask(
            "completion/complete",
            ref={"type": "ref/resource", "uri": "lazyapp://docs/{+page}"},
            argument={"name": "page", "value": "form"},
        )
        assert done["completion"]["values"] == ["forms"]
        told = await agent.ask("prompts/get", name="fix_last_error")
        assert "list_errors" in told["messages"][0]["content"]["text"]
