"""`lazyapp generate mcp`: a module for AI clients with a first tool, registered where the application registers its modules."""

from collections.abc import Sequence

from lazyapp.errors import ConfigurationError
from lazyapp.generators.application import Application
from lazyapp.generators.fields import Field
from lazyapp.generators.layout import module as python_file
from lazyapp.generators.layout import piece
from lazyapp.generators.mcp_class import MCPClass, classes, split
from lazyapp.generators.mcp_register import register
from lazyapp.generators.names import camel, check_word, in_words
from lazyapp.generators.plan import Plan
from lazyapp.generators.tool import Hints, add_tool

#: The tool that a module begins with when no other is asked for.
HELLO = "hello"
_HELLO = "Say hello to somebody by name, to show that the module answers."


def plan_mcp(app: Application, name: str, tool: str, fields: Sequence[Field]) -> Plan:
    """A module with one tool.

    Args:
        app: whose.
        name: of the module, `shop`.
        tool: of its first tool, `hello`.
        fields: the tool's arguments.

    Raises:
        ConfigurationError: a name is unusable or taken.
    """
    check_word(name, "an MCP module")
    split(f"{name}.{tool}", "a tool")
    taken = next((each for each in classes(app) if each.module == name), None)
    if taken is not None:
        raise ConfigurationError(f"{taken.path} publishes {name!r} already, and nothing was written; choose another name.")
    plan = Plan(app.root)
    mcps = app.folder(app.app) / "mcps"
    plan.provide(
        mcps / "__init__.py", '"""What AI clients may use. Every folder or file here that ends in _mcp is found by itself."""\n'
    )
    if (app.root / mcps / f"{name}_mcp.py").exists():
        raise ConfigurationError(f"{mcps / name}_mcp.py exists and is left as it is, and nothing was written; choose another name.")
    found = MCPClass(name, mcps / f"{name}_mcp" / "__init__.py", f"{camel(name)}MCP", frozenset())
    imports, body = piece("mcp.py", class_name=found.name, words=in_words(name))
    plan.create(found.path, python_file(_docstring(name), imports, [body], app))
    add_tool(plan, app, found, tool, fields, Hints(_HELLO if tool == HELLO else "", read_only=True))
    register(plan, app, found)
    plan.next += [
        f"Say in {found.path} what {name}.{tool} does, then run: bin/test",
        f"More of it: lazyapp generate tool {name}.NAME",
    ]
    return plan


def _docstring(name: str) -> str:
    return f"What AI clients may ask about {in_words(name)}. The module is called `{name}`, after its class."
