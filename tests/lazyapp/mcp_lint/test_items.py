"""lazyapp/mcp_lint/items.py: what is looked at."""

from lazyapp.mcp_lint.items import items_of
from lazymcp import Scope
from tests.lazymcp.admin_module import AdminMCP


def test_every_published_item_is_there_with_its_entry() -> None:
    scope = Scope()
    scope.register(AdminMCP())
    items = items_of(scope)
    assert [(each.kind, each.name) for each in items] == [
        (row.kind, row.name)
        for kind in ("tool", "resource", "template", "prompt", "skill", "app")
        for row, _ in scope.entries(kind)
    ]
    assert {each.module for each in items} == {"admin"}
    assert all(each.entry and each.place for each in items)
