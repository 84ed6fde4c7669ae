"""`lazyapp generate app`: a page inside the AI client, the tool that shows it, and a test of both."""

from collections.abc import Sequence

from lazyapp.generators.application import Application
from lazyapp.generators.fields import Field
from lazyapp.generators.imports import Import
from lazyapp.generators.layout import template
from lazyapp.generators.mcp_class import check_free, extended, find_class, split
from lazyapp.generators.mcp_test import file_of_tests, path_of_test
from lazyapp.generators.names import camel, in_words, title
from lazyapp.generators.plan import Plan
from lazyapp.generators.tool import Hints, call_of_tool, tool_parts


def plan_app(app: Application, dotted: str, fields: Sequence[Field]) -> Plan:
    """A page of a module that is there, and the tool `show_…` whose answer it shows.

    Args:
        app: whose.
        dotted: `shop.board`.
        fields: the tool's arguments.

    Raises:
        ConfigurationError: there is no such module, or the name is unusable or taken.
    """
    of, name = split(dotted, "a page")
    tool = f"show_{name}"
    plan, found = Plan(app.root), find_class(app, of)
    text = plan.read(found.path)
    check_free(found, text, [f"{name}_app", name, tool], [f"{camel(tool)}Answer"])
    view = app.folder(app.app) / "views" / "mcp" / of / f"{name}.html.j2"
    hints = Hints(
        f"Show the {in_words(name)} of {in_words(of)} as a page beside the conversation.", read_only=True, ui=f"ui://{of}/{name}"
    )
    imports, answer, method = tool_parts(tool, fields, hints)
    imports += [Import("lazymcp", each) for each in ("AppCSP", "AppPermissions", "AppSpec")]
    page = template("app.py", name=name, module=of, tool=tool, description=f"{title(name)}.", view=view.as_posix())
    plan.change(found.path, extended(text, found, (imports, answer, f"{method}\n{page}"), app))
    plan.create(view, template("app.html.j2", title=title(name), module=of, tool=tool))
    tests = [call_of_tool(of, tool, fields), *_tests(of, name, tool)]
    plan.create(
        path_of_test(of, name, "app"), file_of_tests(app, of, f"The page ui://{of}/{name}, and the tool that shows it.", tests)
    )
    plan.next += [f"Draw {view}, then run: bin/test"]
    return plan


def _tests(of: str, name: str, tool: str) -> list[str]:
    text = template("app_test.py", module=of, name=name, tool=tool, title=title(name))
    return [f"{each.strip(chr(10))}\n" for each in text.split("\n\n\n")]
