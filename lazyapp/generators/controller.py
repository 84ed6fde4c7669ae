"""`lazyapp generate controller`: actions, their views, their routes and a test of each.

Where the application has a model of that name the pages keep, show and change its rows; otherwise they are pages without a table.
"""

from collections.abc import Sequence

from lazyapp.controller import Controller
from lazyapp.errors import ConfigurationError
from lazyapp.generators.application import Application
from lazyapp.generators.controller_plain import plain
from lazyapp.generators.controller_routes import draw_routes
from lazyapp.generators.controller_stored import stored
from lazyapp.generators.imports import Import
from lazyapp.generators.layout import module as python_file
from lazyapp.generators.mcp_test import path_of_test
from lazyapp.generators.model_class import Model, find_model
from lazyapp.generators.names import camel, check_free_word, check_word, in_words, is_plural, method_name, plural
from lazyapp.generators.plan import Plan
from lazyapp.generators.resource_actions import WITH_A_TABLE, WITHOUT_A_TABLE, Drawn, whole
from lazyapp.path_template import singular


def plan_controller(app: Application, name: str, actions: Sequence[str]) -> Plan:
    """A controller, views, routes and tests.

    Args:
        app: whose.
        name: `orders`; in the plural where it has actions of a resource.
        actions: those of a resource, and names of your own; none: all of a resource that the application can fill.

    Raises:
        ConfigurationError: a name is unusable or taken, or an action needs a model.
    """
    check_free_word(name, "a controller")
    if name.endswith("_controller"):
        raise ConfigurationError(f"{name!r} says controller twice; write {name.removesuffix('_controller')!r}.")
    model = find_model(app, singular(name))
    drawn = _drawn(name, actions, model)
    plan = Plan(app.root)
    controllers = app.folder(app.app) / "controllers"
    path, class_name = controllers / f"{name}_controller.py", f"{camel(name)}Controller"
    pages = stored(app, model, drawn) if model is not None and drawn.resource else plain(app, drawn)
    bodies = [*([pages.form] if pages.form else []), "\n".join([pages.head, *pages.methods])]
    plan.provide(controllers / "__init__.py", '"""What answers a request for a page."""\n')
    plan.create(path, python_file(f"The {in_words(name)}, as pages.", pages.imports, bodies, app))
    views = app.folder(app.app) / "views" / name
    for view, text in pages.views.items():
        plan.create(views / f"{view}.html.j2", text)
    test = python_file(f"The pages of the {in_words(name)}.", pages.test_imports, [*pages.test_head, *pages.tests], app)
    plan.create(path_of_test(name, "pages"), test)
    draw_routes(plan, app, drawn, Import(f"{app.app}.controllers.{name}_controller", class_name))
    plan.next += [
        f"Link {drawn.paths[0]} in {views.parent}/layouts/app.html.j2, then run: bin/test" if drawn.paths else "Run: bin/test"
    ]
    if model is None and drawn.resource:
        plan.next += [f"To keep what is sent: lazyapp generate model {camel(singular(name))} name:str, before the controller"]
    return plan


def _drawn(name: str, actions: Sequence[str], model: Model | None) -> Drawn:
    chosen = list(dict.fromkeys(actions)) or list(WITHOUT_A_TABLE if model is None else WITH_A_TABLE)
    for action in chosen:
        check_word(action, "an action")
        if action not in WITH_A_TABLE and (hasattr(Controller, action) or method_name(action) != action):
            raise ConfigurationError(
                f"{action!r} is Python's own or one of Controller's methods; choose another name for the action."
            )
    resource = [each for each in WITH_A_TABLE if each in whole(chosen)]
    lacking = [each for each in resource if each not in WITHOUT_A_TABLE]
    one = singular(name)
    if resource and not is_plural(name):
        raise ConfigurationError(
            f"{name!r} names one, and the actions of a resource are about many: lazyapp generate controller {plural(name)}"
        )
    if lacking and model is None:
        raise ConfigurationError(f"{', '.join(lacking)} needs a table; first run: lazyapp generate model {camel(one)} name:str")
    return Drawn(name, tuple(resource), tuple(each for each in chosen if each not in WITH_A_TABLE))
