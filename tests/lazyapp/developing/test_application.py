"""lazyapp/developing/application.py: an `App` is what is looked at."""

from typing import get_type_hints

from lazyapp.developing.application import Application
from tests.lazyapp.developing.panel_site import opened


async def test_an_app_has_all_that_is_asked_of_one(tmp_path):
    """`App` stands above this package, so nothing but this compares the two at run time."""
    wanted = {*get_type_hints(Application), *(name for name in vars(Application) if not name.startswith("_"))}
    async with opened(tmp_path) as site:
        assert wanted >= {"settings", "mcp", "oauth", "pages", "services"}
        assert [name for name in wanted if not hasattr(site.app, name)] == []
