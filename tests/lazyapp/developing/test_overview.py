"""lazyapp/developing/overview.py: what the application is, on one page."""

import pytest

import lazymcp
from lazyapp.developing.memory import Memory
from lazyapp.developing.overview import overview
from lazyapp.settings import Settings
from tests.lazyapp.developing.panel_site import HTML, opened


async def test_the_first_page_tells_what_is_there_and_what_went_wrong(tmp_path):
    async with opened(tmp_path) as site:
        await site.http.get("/books", headers=HTML)
        page = await site.page("/_lazy")
    assert "shop &lt;script&gt;" in page
    assert '<span class="count">3</span> pages' in page
    assert '<span class="count">1</span> tool<' in page
    assert "RuntimeError" in page
    assert f"sqlite, {tmp_path}/shop.sqlite3" in page


class ShelfMCP(lazymcp.Base):
    """A shelf."""

    @lazymcp.tool(ui="ui://shelf/books")
    async def show(self) -> str:
        """Show the books."""
        return "books"

    @lazymcp.tool
    async def count(self) -> int:
        """Count the books."""
        return 3

    def books_app(self) -> lazymcp.AppSpec:
        """Shows the books."""
        return lazymcp.AppSpec(name="books", desc="The books.", html="<p>books</p>")


async def test_it_leads_to_the_preview_of_each_tool_with_a_widget(tmp_path):
    """docs/preview.md."""
    async with opened(tmp_path, mcp=lambda ctx, scope: scope.register(ShelfMCP())) as site:
        page = await site.page("/_lazy")
    assert '<a href="/_lazy/preview?tool=shelf.show"><code>shelf.show</code></a>' in page
    assert "shelf.count" not in page


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql+asyncpg://ada:hunter2@db.example:5432/shop?sslkey=hunter2", "postgresql, db.example/shop"),
        ("sqlite:///notes.sqlite3", "sqlite, notes.sqlite3"),
        (None, "none"),
    ],
)
async def test_the_database_is_named_without_who_signs_in_there(tmp_path, url, shown):
    async with opened(tmp_path) as site:
        site.app._given_settings = None
        site.app._running = None
        site.app._given_settings = Settings(env="development", root=tmp_path, database_url=url)
        assert shown in overview(site.app, Memory())["database"]


async def test_without_an_address_it_says_whether_anything_is_kept(tmp_path):
    """docs/database.md: SQLite under `.lazyapp/` in development, for an application that keeps anything."""
    async with opened(tmp_path) as site:
        site.app._running = None
        site.app._given_settings = Settings(env="development", root=tmp_path)
        assert overview(site.app, Memory())["database"] == "none"
        (tmp_path / "app" / "migrations").mkdir(parents=True)
        (tmp_path / "app" / "migrations" / "0001.py").write_text('revision = "0001"\n')
        assert overview(site.app, Memory())["database"] == "SQLite under .lazyapp/"
