"""The routes of a new controller: a line in `init/routes.py`, or the line to add to it."""

import ast

from lazyapp.generators.application import Application
from lazyapp.generators.edit import CannotEdit, binds, calls, with_statement
from lazyapp.generators.imports import Import, add
from lazyapp.generators.plan import Plan
from lazyapp.generators.resource_actions import Drawn


def draw_routes(plan: Plan, app: Application, drawn: Drawn, controller: Import) -> None:
    """Plan the routes; nothing where a resource of that name is drawn already.

    Args:
        plan: is given the change, or the lines to add by hand.
        app: whose.
        drawn: what is to be drawn.
        controller: the class, as it is imported.
    """
    path = app.file(f"{app.init}.routes")
    if not (app.root / path).is_file():
        path = app.config
    text = plan.read(path)
    if drawn.resource and any(_first(call) == drawn.name for call in calls(text, "resources")):
        return
    try:
        if binds(text, controller.name):
            raise CannotEdit(f"it has another {controller.name}")
        plan.change(
            path, add(with_statement(text, "Routes", lambda routes: lines(routes, drawn, controller.name)), [controller], app)
        )
    except CannotEdit as reason:
        told = f"from {controller.module} import {controller.name}\n\n{lines('routes', drawn, controller.name)}"
        plan.by_hand.append((path, str(reason), told))


def lines(routes: str, drawn: Drawn, controller: str) -> str:
    """What draws the actions; the lines of a block are indented by four."""
    if not drawn.resource:
        pairs = zip(drawn.custom_paths, drawn.custom, strict=True)
        return "\n".join(f'{routes}.get("{path}", {controller}.{action})' for path, action in pairs)
    call = f'{routes}.resources("{drawn.name}", {controller}, param="id:int")'
    if not drawn.custom:
        return call
    name = drawn.name if drawn.name != routes else f"{drawn.name}_"
    block = [f'    {name}.collection.get("/{each.replace("_", "-")}", {controller}.{each})' for each in drawn.custom]
    return "\n".join([f"with {call} as {name}:", *block])


def _first(call: ast.Call) -> str:
    return (
        call.args[0].value if call.args and isinstance(call.args[0], ast.Constant) and isinstance(call.args[0].value, str) else ""
    )
