"""`lazyapp.generators.mcp_skill`."""

from pathlib import Path

import pytest
import yaml

from lazyapp.errors import ConfigurationError
from lazyapp.generators.application import Application
from lazyapp.generators.mcp_skill import plan_skill


def test_a_skill_is_a_folder_beside_its_module(application: Application) -> None:
    """SEP-2640; docs/skills.md: the name is the folder's."""
    said = "When: somebody # packs. " + "And more, " * 20
    plan = plan_skill(application, "shop.packing_list", said)
    text = plan.created[Path("app/mcps/shop_mcp/packing-list/SKILL.md")]
    header = yaml.safe_load(text.split("---\n")[1])
    assert header == {"name": "packing-list", "description": said.strip()}
    module = plan.read(Path("app/mcps/shop_mcp/__init__.py"))
    assert '        return SkillSpec(path=Path(__file__).parent / "packing-list")\n' in module


def test_a_description_has_at_most_1024_characters(application: Application) -> None:
    with pytest.raises(ConfigurationError, match="has 1025 characters; a skill's has at most 1024"):
        plan_skill(application, "shop.packing", "x" * 1025)
