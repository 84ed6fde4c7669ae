"""lazymcp/registry.py: what may be published, and what is told when it may not (design, section 2; issue "Bad input")."""

import pytest

from lazyauth import Claims, User, signed_in
from lazymcp import (
    UI,
    AppCSP,
    AppSpec,
    Base,
    Message,
    Options,
    PromptSpec,
    RegistrationError,
    ResourceSpec,
    Scope,
    SkillSpec,
    ToolSpec,
    tool,
    user_messages,
)
from lazymcp.registry import underscored
from tests.lazymcp.admin_module import AdminMCP
from tests.lazymcp.asgi_peer import served


async def nothing() -> None: ...


def scope_with(**options):
    return Scope(Options(**options))


def publishing(*specs, name="m"):
    """A module that publishes these specs."""
    by_kind = {ToolSpec: "tools", ResourceSpec: "resources", PromptSpec: "prompts", SkillSpec: "skills", AppSpec: "apps"}
    methods = {}
    for kind, method in by_kind.items():
        mine = [spec for spec in specs if isinstance(spec, kind)]
        methods[method] = lambda self, mine=mine: mine
    return type("Module", (Base,), {"name": name, **methods})()


TOOL = ToolSpec(name="t", desc="A tool.", fn=nothing)


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        (ToolSpec(name="t", fn=nothing), "tool m.t has no description: write a docstring, or set desc"),
        (ToolSpec(name="t", fn=nothing, desc="  "), "no description"),
        (ResourceSpec(name="r", read=nothing), "resource app://m/r has no description"),
        (PromptSpec(name="p", messages=user_messages("x")), "prompt m.p has no description"),
        (AppSpec(name="a", html="x"), "app ui://m/a has no description: set desc"),
        (ToolSpec(name="t", desc="d"), "tool m.t: fn must be a function, not None"),
        (ToolSpec(name="t", desc="d", fn=5), r"ToolSpec\.fn must be Callable or None, not 5"),
        (ToolSpec(name="a b", desc="d", fn=nothing), "the name 'm.a b' must be 1 to 64"),
        (ToolSpec(name="é", desc="d", fn=nothing), "must be 1 to 64"),
        (ToolSpec(name="x" * 63, desc="d", fn=nothing), "must be 1 to 64"),
        (ToolSpec(name=["t"], desc="d", fn=nothing), r"ToolSpec\.name must be a text, not \['t'\]"),
        (ToolSpec(desc="d", fn=lambda: 1), "the name 'm.<lambda>'"),
        (PromptSpec(desc="d", messages=user_messages("x")), "the item has no name: set name"),
        (ToolSpec(name="t", desc="d", fn=nothing, scopes="mcp:admin"), r"ToolSpec\.scopes must be a list, not 'mcp:admin'"),
        (ToolSpec(name="t", desc="d", fn=nothing, visibility="app"), "visibility must be a list"),
        (ToolSpec(name="t", desc="d", fn=nothing, visibility=["user"]), 'visibility is a list of "model" and "app"'),
        (ToolSpec(name="t", desc="d", fn=nothing, input_schema={"type": "array"}), "at its root"),
        (ToolSpec(name="t", desc="d", fn=nothing, meta={"a": object()}), "no JSON form"),
        (ToolSpec(name="t", desc="d", fn=nothing, read_only="yes"), "read_only must be True or False or None"),
        (ToolSpec(name="t", desc="d", fn=nothing, ui=UI(5)), r"UI\.resource_uri must be a text"),
        (ToolSpec(name="t", desc="d", fn=nothing, ui=""), r'ui names no page; write ui="ui://…", or leave it out'),
        (ResourceSpec(name="r", desc="d", uri="users", read=nothing), "'users' is no URI: begin with a scheme"),
        (ResourceSpec(name="r", desc="d", uri="app://m/a b", read=nothing), "write a space as %20"),
        (ResourceSpec(name="r", desc="d", uri="{x}://m", read=lambda x: x), "begin with a scheme"),
        (ResourceSpec(name="r", desc="d", uri="ui://m/r", read=nothing), "a page is published with an AppSpec"),
        (ResourceSpec(name="r", desc="d", uri="skill://m/{x}", read=lambda x: x), "a skill is published with a SkillSpec"),
        (AppSpec(name="a", desc="d", html="x", uri="ui://m/a b"), "write a space as %20"),
        (AppSpec(name="a", desc="d"), "either html or view"),
        (AppSpec(name="a", desc="d", html="x", view="y"), "either html or view"),
        (AppSpec(name="a", desc="d", view="y"), r"needs Options\.views"),
        (AppSpec(name="a", desc="d", html="x", uri="app://a"), "begins with ui://"),
        (AppSpec(name="a", desc="d", html="x", csp=AppCSP(connect_domains="https://a")), "connect_domains must be a list"),
        (PromptSpec(name="p", desc="d"), "either messages or fn"),
        (PromptSpec(name="p", desc="d", messages=["x", 5]), "not of int"),
        (PromptSpec(name="p", desc="d", messages=user_messages("x"), fn=nothing), "either messages or fn"),
        (ResourceSpec(name="r", desc="d", read=lambda x: x), "the function must take no parameters; it takes x"),
        (ResourceSpec(name="r", desc="d", uri="app://m/{x}", read=nothing), "the function must take x; it takes none"),
        (ResourceSpec(name="r", desc="d", uri="app://m/{x", read=nothing), "not a literal of a URI template"),
        (SkillSpec(path="nowhere"), "a skill is a folder, and there is none"),
    ],
)
def test_a_mistake_is_told_with_its_place_and_the_remedy(spec, reason):
    with pytest.raises(RegistrationError, match=reason) as caught:
        scope_with().register(publishing(spec))
    assert ".py:" in str(caught.value) or "nowhere" in str(caught.value)


@pytest.mark.parametrize(
    "spec", [TOOL, PromptSpec(name="p", desc="d", messages=[Message("user", "x")]), ResourceSpec(name="r", desc="d", read=nothing)]
)
def test_a_name_given_twice_names_both_places(spec):
    """Design, section 2."""
    with pytest.raises(RegistrationError, match=r"test_registry\.py:\d+: .* twice; the other is in tests/.*test_registry\.py:\d+"):
        scope_with().register(publishing(spec, spec))


def test_names_that_differ_in_a_dot_only_are_the_same_to_some_clients():
    """Both spellings are accepted on call, so they must not meet."""
    scope = scope_with()
    scope.register(publishing(ToolSpec(name="b_c", desc="d", fn=nothing), name="a"))
    with pytest.raises(RegistrationError, match="'a_b_c' is given twice"):
        scope.register(publishing(ToolSpec(name="c", desc="d", fn=nothing), name="a_b"))


def test_two_modules_of_one_name_are_refused():
    scope = scope_with()
    scope.register(publishing(TOOL))
    with pytest.raises(RegistrationError, match=r"a module named 'm' is already registered \(tests\."):
        scope.register(publishing(TOOL))


def test_a_tool_cannot_show_a_page_that_nobody_publishes():
    scope = scope_with()
    scope.register(publishing(ToolSpec(name="t", desc="d", fn=nothing, ui="ui://m/none"), AppSpec(name="some", desc="d", html="x")))
    with pytest.raises(RegistrationError, match=r"m\.t shows 'ui://m/none', which no app publishes \(apps: ui://m/some\)"):
        scope.asgi()


async def test_a_page_may_belong_to_another_module():
    scope = scope_with()
    scope.register(publishing(ToolSpec(name="t", desc="d", fn=nothing, ui="ui://n/page"), name="m"))
    scope.register(publishing(AppSpec(name="page", desc="d", html="x"), name="n"))
    scope.asgi()


@pytest.mark.parametrize("name", ["a.b c", "x" * 65, "a/b", 5])
def test_a_module_needs_a_name_that_clients_take(name):
    with pytest.raises(RegistrationError, match="test_registry"):
        scope_with().register(publishing(TOOL, name=name))


async def test_a_bare_module_publishes_bare_names():
    """Design, section 2: `name = ""`; the authorizer then sees ""."""
    asked = []
    peer = served(publishing(TOOL, name=""), authorizer=lambda claims, module: asked.append(module) or True)
    assert [entry["name"] for entry in (await peer.ask("tools/list")).result["tools"]] == ["t"]
    assert asked == [""]


@pytest.mark.parametrize(
    ("style", "client", "agent", "expected"),
    [
        ("auto", "inspector", "node", "admin.user_count"),
        ("auto", "claude-ai", "", "admin_user_count"),
        ("auto", "x", "Claude-User", "admin_user_count"),
        ("auto", "codex-mcp-client", "", "admin_user_count"),
        ("dotted", "claude-ai", "", "admin.user_count"),
        ("underscored", "inspector", "", "admin_user_count"),
    ],
)
async def test_names_are_spelled_for_the_client_and_taken_in_both_spellings(style, client, agent, expected):
    """Design, section 4, "Names"."""
    for era in ("2026-07-28", "2025-06-18"):
        peer = served(AdminMCP(), era=era, client={"name": client, "version": "1"}, tool_names=style)
        peer.headers["user-agent"] = agent
        if era != "2026-07-28":
            await peer.initialize()
        assert (await peer.ask("tools/list")).result["tools"][0]["name"] == expected
        assert (
            (await peer.ask("prompts/list")).result["prompts"][0]["name"] == underscored("admin.audit")
            if "_" in expected[:6]
            else True
        )
        for name in ("admin.user_count", "admin_user_count"):
            assert (await peer.ask("tools/call", {"name": name})).result["structuredContent"] == {"count": 3}


async def test_an_authorizer_replaces_the_claim():
    """The promise "Authorize modules"; sync and async."""

    def by_scope(claims, module):
        return claims is not None and claims.has_scope(f"mcp:{module}")

    async def later(claims, module):
        return by_scope(claims, module)

    for authorizer in (by_scope, later):
        peer = served(AdminMCP(), authorizer=authorizer)
        assert (await peer.ask("tools/list")).result["tools"] == []
        with signed_in(User("ada"), Claims({"sub": "ada", "scope": "mcp:admin"})):
            assert (await peer.ask("tools/list")).result["tools"]
            assert (await peer.ask("tools/call", {"name": "admin.user_count"})).result
        assert (await peer.ask("tools/call", {"name": "admin.user_count"})).error["code"] == -32602


async def test_nothing_can_be_registered_once_serving_begins():
    """The promise "Register modules before serving"."""
    scope = scope_with()
    scope.register(AdminMCP())
    scope.asgi()
    with pytest.raises(RegistrationError, match=r"came too late: register modules before serving begins"):
        scope.register(publishing(TOOL))


async def test_a_skill_lies_beside_its_module():
    """A relative path is relative to the file of the module's class."""

    class Module(Base):
        def oncall_skill(self):
            return SkillSpec(path="skills/oncall")

        @tool
        async def one(self) -> int:
            """One."""
            return 1

    assert (await served(Module()).ask("skills/list")).result["skills"][0]["uri"] == "skill://module/oncall/SKILL.md"
