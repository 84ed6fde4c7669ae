"""Clauses of MCP 2026-07-28, server/*, and of SEP-2640 that no single file keeps: what holds for every list and every cache."""

from pathlib import Path

import pytest

import lazymcp
from lazyauth import Claims, User, signed_in
from lazymcp import Base, RegistrationError, ResourceSpec, SkillSpec
from lazymcp.local import Connection
from tests.lazymcp.admin_module import AdminMCP
from tests.lazymcp.asgi_peer import MODERN, served
from tests.lazymcp.test_clauses import EXAMPLES, Talker
from tests.lazymcp.wire import judge

SKILLS = Path(__file__).parent / "skills"
CACHEABLE = ["server/discover", "tools/list", "prompts/list", "resources/list", "resources/templates/list", "resources/read"]


class Papers(Base):
    def resources(self):
        return [ResourceSpec(name=f"p{number}", desc="A paper.", read=self.read) for number in range(4)]

    async def read(self) -> str:
        return "text"


class OnlySkill(Base):
    def oncall_skill(self):
        return SkillSpec(path=SKILLS / "oncall")


@pytest.mark.requirement("MCP-TOOLS-3", "MCP-RESOURCES-3", "MCP-PROMPTS-3")
@pytest.mark.parametrize("method", ["tools/list", "resources/list", "prompts/list", "resources/templates/list"])
async def test_a_list_depends_on_the_token_and_not_on_the_connection(method):
    """server/tools, "Capabilities": credentials come with each request; the connection says nothing."""
    scope = lazymcp.Scope()
    scope.register(AdminMCP(), Talker())
    registry = scope._registry
    peer = served(AdminMCP())
    one, two = Connection(registry), Connection(registry)

    async def listed(connection):
        answer = await connection.handle(peer.message(method), None)
        judge(MODERN, answer, method)
        return answer["result"]

    first = await listed(one)
    for disturbance in ("tools/call", "prompts/get", "server/discover"):
        await one.handle(peer.message(disturbance, EXAMPLES.get(disturbance)), None)
    assert await listed(one) == await listed(two) == first
    with signed_in(User("ada"), Claims({"sub": "ada", "mcps": []})):
        (entries,) = [value for value in (await listed(one)).values() if isinstance(value, list)]
        assert entries == []
    assert await listed(one) == first


@pytest.mark.requirement("MCP-CACHING-1", "MCP-CACHING-2")
@pytest.mark.parametrize("method", CACHEABLE)
async def test_every_cacheable_result_has_its_hints(method):
    """server/utilities/caching, "Cacheable Results"."""
    result = (await served(AdminMCP()).ask(method, EXAMPLES.get(method))).result
    assert type(result["ttlMs"]) is int
    assert result["ttlMs"] >= 0
    assert result["cacheScope"] in {"public", "private"}


@pytest.mark.requirement("MCP-CACHING-3")
@pytest.mark.parametrize("claims", [None, {"sub": "ada", "mcps": ["*"]}])
async def test_all_pages_of_a_list_have_one_scope(claims):
    """server/utilities/caching, "Interaction with Pagination"."""

    async def scopes():
        peer, found, cursor = served(Papers(), page_size=1), [], None
        while not found or cursor:
            result = (await peer.ask("resources/list", {"cursor": cursor} if cursor else {})).result
            found.append(result["cacheScope"])
            cursor = result.get("nextCursor")
        return found

    if claims is None:
        found = await scopes()
    else:
        with signed_in(User("ada"), Claims(claims)):
            found = await scopes()
    assert len(found) == 4
    assert set(found) == {"public" if claims is None else "private"}


@pytest.mark.requirement("MCP-RESOURCES-9", "MCP-SKILLS-24")
@pytest.mark.parametrize(
    "path",
    ["../oncall/SKILL.md", "%2e%2e/x", "..%2f..%2fadmin_module.py", "/etc/passwd", "SKILL.md/..", "SKILL.md%00", "nobody.md"],
)
async def test_no_uri_leads_out_of_a_skill(path):
    """server/resources, "Security Considerations"; SEP-2640, "Error Handling"."""
    answer = await served(AdminMCP()).ask("resources/read", {"uri": f"skill://admin/oncall/{path}"})
    assert (answer.status, answer.error["code"]) == (400, -32602)


@pytest.mark.requirement("MCP-SKILLS-3")
async def test_a_server_of_nothing_but_a_skill_declares_resources():
    """SEP-2640, "Capability Negotiation"."""
    capabilities = (await served(OnlySkill()).ask("server/discover")).result["capabilities"]
    assert "io.modelcontextprotocol/skills" in capabilities["extensions"]
    assert "resources" in capabilities


@pytest.mark.requirement("MCP-SKILLS-7")
async def test_the_uri_of_a_skill_ends_in_its_name():
    """SEP-2640, "Resource Mapping"."""
    for entry in (await served(AdminMCP()).ask("skills/list")).result["skills"]:
        assert entry["uri"].split("/")[-2:] == [entry["frontmatter"]["name"], "SKILL.md"]
    with pytest.raises(RegistrationError):
        served(type("Other", (Base,), {"x_skill": lambda self: SkillSpec(path=SKILLS / "oncall", name="other")})())


@pytest.mark.requirement("MCP-SKILLS-15", "MCP-SKILLS-16", "MCP-SKILLS-17", "MCP-SKILLS-19", "MCP-SKILLS-20", "MCP-SKILLS-21")
async def test_results_about_skills_are_complete_and_cacheable():
    """SEP-2640; the peer holds each result against its schema."""
    peer = served(AdminMCP())
    listed = (await peer.ask("skills/list")).result
    assert listed["resultType"] == "complete"
    for entry in listed["skills"]:
        got = (await peer.ask("skills/get", {"uri": entry["uri"]})).result
        assert (got["resultType"], got["skill"]) == ("complete", entry)
        read = (await peer.ask("resources/directory/read", {"uri": entry["uri"].removesuffix("/SKILL.md")})).result
        assert read["resultType"] == "complete"
