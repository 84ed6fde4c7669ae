"""lazyapp/mcp_lint/offerings.py: resources, pages and skills."""

from typing import Any

import pytest

from tests.lazyapp.mcp_lint.seeded import found, item

MANIFEST = "skill://shop/oncall/SKILL.md"


@pytest.mark.parametrize("kind", ["resource", "template"])
def test_a_resource_without_a_media_type_is_found(kind: str) -> None:
    """MCP 2026-07-28, server/resources, "Resource"."""
    assert found(item(kind, mimeType="")) == [("resource-type", f"the {kind} has no media type")]


@pytest.mark.parametrize("meta", [None, {}, {"ui": {"domain": "https://a.example"}}])
def test_a_page_without_a_policy_is_found(meta: Any) -> None:
    """SEP-1865, "UI resource metadata"."""
    assert found(item("app", _meta=meta)) == [("app-csp", "the page has no content security policy")]


@pytest.mark.parametrize(
    ("sizes", "rule", "said"),
    [
        ([100, *[1] * 512], "skill-large", "513 files, 612 bytes"),
        ([100, 16 * 1024 * 1024], "skill-large", "2 files, 16,777,316 bytes"),
        ([20_004], "skill-long", "SKILL.md has about 5,001 tokens"),
    ],
)
def test_a_skill_over_its_limits_is_found(sizes: list[int], rule: str, said: str) -> None:
    """SEP-2640, "Limits"; https://agentskills.io/specification."""
    files = [{"uri": f"{MANIFEST}{number or ''}", "size": size} for number, size in enumerate(sizes)]
    assert found(item("skill", resources=files)) == [(rule, said)]


def test_a_skill_whose_description_hosts_cut_is_found() -> None:
    """https://agentskills.io/specification."""
    assert found(item("skill", description="x" * 1025)) == [("skill-description", "the description has 1,025 characters")]
