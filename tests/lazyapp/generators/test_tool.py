"""`lazyapp.generators.tool`."""

from pathlib import Path

import pytest

from lazyapp.errors import ConfigurationError
from lazyapp.generators.application import Application
from lazyapp.generators.fields import parse
from lazyapp.generators.tool import GENERATED, Hints, plan_tool
from tests.lazyapp.mcp_lint.seeded import found, item

MODULE = Path("app/mcps/shop_mcp/__init__.py")


def test_a_tool_is_a_method_with_a_model_of_its_answer(application: Application) -> None:
    """docs/generators.md: annotations, title, description, typed result."""
    hints = Hints("Find what is sold", destructive=True)
    text = plan_tool(application, "shop.search", parse(["limit:int=10", "query"]), hints).read(MODULE)
    assert '    query: str = Field(description="Query, as a text.")\n' in text
    assert '    @tool(title="Search", destructive=True)\n' in text
    assert "    async def search(self, query: str, limit: int = 10) -> SearchAnswer:\n" in text
    assert '        """Find what is sold.\n\n        Args:\n            query: Query, as a text.\n' in text
    assert "from pydantic import BaseModel, Field\n" in text


def test_a_tool_whose_name_is_pythons_has_another_method(application: Application) -> None:
    """A method `list` would be what `-> list[str]` below it means."""
    plan = plan_tool(application, "shop.list", [], Hints(read_only=True))
    assert '    @tool(name="list", title="List", read_only=True)\n    async def list_(self) -> ListAnswer:\n' in plan.read(MODULE)
    assert '.call("shop.list")' in plan.created[Path("tests/test_shop_list_tool.py")]


def test_a_description_cannot_end_its_docstring(application: Application) -> None:
    text = plan_tool(application, "shop.find", [], Hints('Say """ and \\')).read(MODULE)
    compile(text, "shop", "exec")
    assert "Say ''' and \\\\.\"\"\"" in text


@pytest.mark.parametrize("fields", [[], ["query"]])
def test_a_long_description_is_broken_into_lines(application: Application, fields: list[str]) -> None:
    """docs/generators.md: what it wrote passes `ruff check`, which has a length for lines."""
    text = plan_tool(application, "shop.find", parse(fields), Hints("What is sold here. " * 12)).read(MODULE)
    compile(text, "shop", "exec")
    assert max(map(len, text.splitlines())) <= 88
    assert text.count("sold") == 12


def test_what_is_generated_is_said_in_english_and_known_to_the_linter(application: Application) -> None:
    """docs/generators.md: a sentence that is true of the code, and a finding while it stands."""
    text = plan_tool(application, "shop.lend", parse(["novel_id:int", "until:date", "how:post|hand"]), Hints()).read(MODULE)
    said = " ".join(text.split())
    assert "Lend: so far this only answers with the novel id, until and how that it is given." in said
    assert "novel_id: Novel id, a whole number. until: Until, a date such as 2026-01-31. how: How, one of post, hand." in said
    assert [rule for rule, _ in found(item(description=f"Lend: {GENERATED} answers that it is done."))] == ["description-generated"]


def test_a_tool_of_which_nothing_is_said_asks_first_and_tells_so(application: Application) -> None:
    """MCP 2026-07-28, server/tools, "Tool annotations": what clients assume of a tool without hints."""
    plan = plan_tool(application, "shop.lend", [], Hints())
    assert '@tool(title="Lend", destructive=True)' in plan.read(MODULE)
    assert plan.next[0].startswith("shop.lend is destructive=True, so clients ask first;")


def test_a_tool_that_is_there_is_left_alone(application: Application) -> None:
    with pytest.raises(ConfigurationError, match=r"has ShopMCP\.hello already"):
        plan_tool(application, "shop.hello", [], Hints())
