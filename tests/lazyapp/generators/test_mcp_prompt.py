"""`lazyapp.generators.mcp_prompt`."""

from pathlib import Path

import pytest

from lazyapp.errors import ConfigurationError
from lazyapp.generators.application import Application
from lazyapp.generators.fields import parse
from lazyapp.generators.mcp_prompt import plan_prompt


def test_a_prompt_says_its_arguments(application: Application) -> None:
    """docs/prompts.md."""
    plan = plan_prompt(application, "shop.reply", parse(["lines:int=3", "name"]), "Answer somebody")
    text = plan.read(Path("app/mcps/shop_mcp/__init__.py"))
    assert '    def reply(self, name: str, lines: int = 3) -> str:\n        """Answer somebody.\n' in text
    assert '        lines_ = ["Reply.", f"name: {name}", f"lines: {lines}"]\n        return "\\n".join(lines_)\n' in text
    # A client sends texts.
    assert '.prompt("shop.reply", name="example", lines="3")' in plan.created[Path("tests/test_shop_reply_prompt.py")]


def test_a_list_is_no_argument(application: Application) -> None:
    with pytest.raises(ConfigurationError, match="a list cannot be one"):
        plan_prompt(application, "shop.reply", parse(["tags:list[str]"]))
