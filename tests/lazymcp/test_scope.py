"""lazymcp/scope.py: modules in, a server out."""

import asyncio
import re
import sys

import pytest
from fastapi import FastAPI
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.testclient import TestClient

from lazymcp import Base, ModuleSummary, Options, RegistrationError, Scope, SurfaceRow, ToolError, ToolSpec, tool
from tests.lazymcp.admin_module import AdminMCP
from tests.lazymcp.asgi_peer import Peer


def test_a_scope_is_empty_until_a_module_is_registered():
    scope = Scope()
    assert scope.empty
    scope.register(AdminMCP())
    assert not scope.empty


def test_the_summary_counts_and_the_surface_names():
    scope = Scope()
    scope.register(AdminMCP())
    assert scope.summary() == [ModuleSummary("admin", tools=3, resources=3, prompts=2, skills=1, apps=1)]
    rows = [row._replace(place="") for row in scope.surface()]
    assert SurfaceRow("tool", "admin.user_count", "admin", "Count users.") in rows
    assert SurfaceRow("template", "app://admin/users/{email}", "admin", "One user.") in rows
    assert SurfaceRow("app", "ui://admin/dashboard", "admin", "Admin dashboard.") in rows
    assert SurfaceRow("skill", "skill://admin/oncall", "admin", "What to do when the pager goes off.") in rows
    assert all(re.search(r"\.py:\d+$", row.place) for row in scope.surface())
    assert [row.kind for row in rows].count("resource") == 2


@pytest.mark.parametrize(
    ("cls_name", "name"),
    [("AdminMCP", "admin"), ("UserAccountsMCP", "user_accounts"), ("Plain", "plain"), ("HTTPServerMCP", "httpserver")],
)
def test_a_module_is_named_after_its_class(cls_name, name):
    """The promise "Directory shape"."""
    scope = Scope()
    scope.register(type(cls_name, (Base,), {})())
    assert scope.summary()[0].name == name


@pytest.mark.parametrize("wrong", [AdminMCP, object(), None, "admin"])
def test_only_instances_of_base_can_be_registered(wrong):
    with pytest.raises(RegistrationError, match="an instance"):
        Scope().register(wrong)


def test_a_class_whose_name_leaves_nothing_needs_one():
    with pytest.raises(RegistrationError, match="set name"):
        Scope().register(type("MCP", (Base,), {})())


class Patient(Base):
    """A module that has to wait for its tools."""

    async def tools(self):
        await asyncio.sleep(0.001)

        async def count() -> int:
            """Count."""
            return 1

        return [ToolSpec(fn=count)]


def test_without_a_loop_an_async_spec_method_is_run_to_its_end():
    scope = Scope()
    scope.register(Patient())
    assert scope.summary()[0].tools == 1


async def test_in_a_loop_an_async_spec_method_is_finished_by_ready():
    scope = Scope()
    scope.register(Patient())
    assert scope.summary()[0].tools == 0
    with pytest.raises(RegistrationError, match=r"await scope\.ready"):
        scope.close_registry()
    await scope.ready()
    assert scope.summary()[0].tools == 1


async def test_an_application_made_too_early_finishes_it_before_the_first_answer():
    scope = Scope()
    scope.register(Patient())
    peer = Peer(scope.asgi())
    answers = await asyncio.gather(*(peer.ask("tools/call", {"name": "patient.count"}) for _ in range(3)))
    assert [answer.result["structuredContent"] for answer in answers] == [{"result": 1}] * 3


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Write a package `found` with these files; its modules are forgotten afterwards."""
    monkeypatch.syspath_prepend(tmp_path)

    def write(**files):
        (tmp_path / "found").mkdir()
        (tmp_path / "found" / "__init__.py").touch()
        for name, text in files.items():
            path = tmp_path / "found" / f"{name}.py"
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)

    yield write
    for name in [name for name in sys.modules if name.partition(".")[0] == "found"]:
        del sys.modules[name]


MODULE = """\
from lazymcp import Base, tool
class {name}MCP(Base):
    @tool
    async def hello(self) -> str:
        "Say hello."
        return "hello"
"""


def test_modules_are_discovered_by_their_names(package):
    """Design, section 2: `*_mcp` may be a package or a module file; in order of their names."""
    package(
        zoo_mcp=MODULE.format(name="Zoo"),
        **{"admin_mcp/__init__": "from found.admin_mcp.module import AdminMCP", "admin_mcp/module": MODULE.format(name="Admin")},
        helper_of_others=MODULE.format(name="Hidden"),
        other_mcp="from found.zoo_mcp import ZooMCP\n" + MODULE.format(name="Other") + "class _PrivateMCP(OtherMCP): ...",
    )
    scope = Scope()
    scope.discover("found")
    assert [summary.name for summary in scope.summary()] == ["admin", "other", "zoo"]


def test_instances_are_made_as_the_options_say(package):
    package(zoo_mcp=MODULE.format(name="Zoo") + "    def __init__(self, animals): self.animals = animals\n")
    with pytest.raises(RegistrationError, match=r"found/zoo_mcp\.py:\d+: ZooMCP cannot be made without arguments .*Options\.build"):
        Scope().discover("found")
    built = []
    scope = Scope(Options(build=lambda cls: built.append(cls(["lion"])) or built[-1]))
    scope.discover("found")
    assert built[0].animals == ["lion"]


def test_a_module_file_without_a_module_is_a_mistake(package):
    package(empty_mcp="x = 1")
    with pytest.raises(RegistrationError, match=r"found\.empty_mcp: there is no subclass of lazymcp\.Base here"):
        Scope().discover("found")


def test_discovering_in_nothing_says_so(package):
    package()
    Scope().discover("found")
    with pytest.raises(RegistrationError, match=r"there is no package 'found\.nothing'"):
        Scope().discover("found.nothing")
    with pytest.raises(RegistrationError, match="is a module, not a package"):
        Scope().discover("textwrap")


def test_a_module_that_cannot_be_imported_tells_its_own_error(package):
    package(broken_mcp="import no_such_thing")
    with pytest.raises(ModuleNotFoundError, match="no_such_thing"):
        Scope().discover("found")


@pytest.mark.parametrize("make", [FastAPI, lambda: Starlette(routes=[])])
def test_it_mounts_in_any_application_without_lifespan_wiring(make):
    """https://github.com/modelcontextprotocol/python-sdk/issues/1220."""
    scope = Scope()
    scope.register(AdminMCP())
    app = make()
    app.router.routes.append(Mount("/mcp", scope.asgi()))
    with TestClient(app, base_url="http://localhost") as client:
        for path in ("/mcp/", "/mcp/anything"):
            answer = client.post(path, json={"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
            assert len(answer.json()["result"]["tools"]) == 3


async def test_one_scope_serves_http_and_stdio_at_once():
    scope = Scope()
    scope.register(AdminMCP())
    first, second = Peer(scope.asgi()), Peer(scope.asgi())
    assert (await first.ask("tools/list")).body == (await second.ask("tools/list")).body


def test_a_module_may_be_made_of_nothing_but_a_tool():
    class Tiny(Base):
        @tool
        def add(self, a: int, b: int) -> int:
            """Add."""
            return a + b

    scope = Scope()
    scope.register(Tiny())
    assert [row[:4] for row in scope.surface()] == [("tool", "tiny.add", "tiny", "Add.")]


async def test_calls_of_tools_are_counted_by_outcome():
    """What an operator sees of tools (`/metrics`); an unknown tool is no call."""

    class Counted(Base):
        @tool
        async def work(self, well: bool) -> str:
            """Work."""
            if not well:
                raise ToolError("not today")
            return "done"

    scope = Scope(Options())
    scope.register(Counted())
    peer = Peer(scope.asgi())
    for arguments in ({"well": True}, {"well": True}, {"well": False}, {}):
        await peer.ask("tools/call", {"name": "counted.work", "arguments": arguments})
    await peer.ask("tools/call", {"name": "counted.rest", "arguments": {}})
    assert scope.tool_calls == (2, 2)


async def test_a_connection_answers_in_this_process():
    """MCP 2026-07-28, basic/index, "Per-request metadata": the message alone says what it needs."""
    scope = Scope()
    scope.register(AdminMCP())
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "prompts/list", "params": {"_meta": meta}}
    answer = await scope.connection().handle(message, None)
    assert [each["name"] for each in answer["result"]["prompts"]] == [row.name for row, _ in scope.entries("prompt")]


def test_a_misfit_is_told_without_a_call():
    """The sentence that a model would read (MCP 2026-07-28, server/tools, "Error handling"), for whoever asks before."""
    scope = Scope()
    scope.register(AdminMCP())
    assert scope.misfit("admin.user_count", {}) is None
    assert "unknown argument 'activ', did you mean 'active'?" in scope.misfit("admin_user_count", {"activ": True})
