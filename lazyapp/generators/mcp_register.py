"""Where an application registers its MCP modules: a new one is found by itself, or a line is added for it."""

import ast

from lazyapp.generators.application import Application
from lazyapp.generators.edit import CannotEdit, binds, calls, with_keyword, with_statement
from lazyapp.generators.imports import Import, add
from lazyapp.generators.layout import module, piece
from lazyapp.generators.mcp_class import MCPClass
from lazyapp.generators.plan import Plan


def register(plan: Plan, app: Application, found: MCPClass) -> None:
    """Plan the registration of a module; there is nothing to do where `scope.discover` finds it."""
    path = app.file(f"{app.init}.mcp")
    if not (app.root / path).is_file():
        _begin(plan, app)
        return
    text, mcps = plan.read(path), f"{app.app}.mcps"
    if any(ast.unparse(each.args[0]) == repr(mcps) for each in calls(text, "discover") if each.args):
        return
    package = f"{mcps}.{found.path.parent.name}"
    try:
        if binds(text, found.name):
            raise CannotEdit(f"it has another {found.name}")
        new = with_statement(text, "Scope", lambda scope: f"{scope}.register({found.name}())")
        plan.change(path, add(new, [Import(package, found.name)], app))
    except CannotEdit as reason:
        lines = f"from {package} import {found.name}\nscope.register({found.name}())"
        plan.by_hand.append((path, f"{reason}", lines))


def _begin(plan: Plan, app: Application) -> None:
    """`init/mcp.py`, and the keyword that names it, in an application that had no AI clients."""
    imports, body = piece("init_mcp.py", app=app.app)
    path = app.folder(app.init) / "mcp.py"
    plan.create(path, module("What AI clients may use at /mcp.", imports, [body], app))
    hook(plan, app, "mcp", "register_mcp", Import(f"{app.init}.mcp", "register_mcp"))


def hook(plan: Plan, app: Application, keyword: str, value: str, needed: Import) -> None:
    """Plan a keyword more of `lazyapp.Config(…)`."""
    text = plan.read(app.config)
    try:
        if binds(text, needed.name):
            raise CannotEdit(f"it has another {needed.name}")
        plan.change(app.config, add(with_keyword(text, keyword, value, app.line_length), [needed], app))
    except CannotEdit as reason:
        lines = f"from {needed.module} import {needed.name}\nlazyapp.Config(…, {keyword}={value})"
        plan.by_hand.append((app.config, f"{reason}", lines))
