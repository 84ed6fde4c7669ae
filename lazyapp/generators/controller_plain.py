"""Pages without a table: what a controller has before there is a model, and actions that are no resource's."""

from lazyapp.generators.application import Application
from lazyapp.generators.imports import Import
from lazyapp.generators.layout import sections
from lazyapp.generators.mcp_test import CLIENT
from lazyapp.generators.names import title
from lazyapp.generators.resource_actions import Drawn, Pages, values_of


def plain(app: Application, drawn: Drawn) -> Pages:
    """Pages of which none is kept in a table."""
    values = values_of(app, drawn)

    code, views, tests = (
        sections(each, **values) for each in ("controller_plain.py", "views_plain.html.j2", "controller_plain_test.py")
    )
    imports = [Import("lazyapp", "Controller")]
    if drawn.resource:
        imports.append(Import("typing", "Any"))
    if "create" in drawn.resource:
        imports += [Import("typing", "Annotated"), Import("fastapi", "Form"), Import("fastapi", "Response")]
        imports += [Import("pydantic", "BaseModel"), Import("pydantic", "Field")]
    custom = custom_pages(values, drawn)
    return Pages(
        imports,
        code["form"] if "create" in drawn.resource else "",
        code["class"],
        [*(code[each] for each in drawn.resource), *custom.methods],
        {each: views[each] for each in drawn.resource if each in views} | custom.views,
        [CLIENT],
        [],
        [*(tests[each] for each in drawn.resource if each in tests), *custom.tests],
    )


def custom_pages(values: dict[str, str], drawn: Drawn) -> Pages:
    """The actions that are no resource's: a page each."""
    methods, views, tests = [], {}, []
    for action, path in zip(drawn.custom, drawn.custom_paths, strict=True):
        own = {**values, "method": action, "action": action, "action_title": title(action), "path": path}
        methods.append(sections("controller_plain.py", **own)["custom"])
        views[action] = sections("views_plain.html.j2", **own)["custom"]
        tests.append(sections("controller_plain_test.py", **own)["custom"])
    return Pages([], "", "", methods, views, [], [], tests)
