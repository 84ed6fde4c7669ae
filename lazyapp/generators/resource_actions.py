"""Which actions a controller is given, where they lead, and the words that its templates have for them."""

from collections.abc import Sequence
from dataclasses import dataclass

from lazyapp.generators.application import Application
from lazyapp.generators.imports import Import
from lazyapp.generators.names import a_or_an, camel, in_words, title
from lazyapp.path_template import singular

WITHOUT_A_TABLE = ("index", "new", "create", "show")
WITH_A_TABLE = ("index", "new", "create", "show", "edit", "update", "delete")
# A page with a form, and the action that the form is sent to, need each other.
_PAIRS = (("new", "create"), ("edit", "update"))
# Where an action that knows a row has its key.
_KEYS = {"add": "{one}.id", "update": "id"}


@dataclass(frozen=True, slots=True)
class Drawn:
    """The actions of a controller, and their paths.

    Args:
        name: of the controller, `orders`.
        resource: those that `routes.resources` draws.
        custom: names of the developer's own.
    """

    name: str
    resource: tuple[str, ...]
    custom: tuple[str, ...]

    @property
    def many_path(self) -> str:
        """What the routes call the list."""
        return self.name if singular(self.name) != self.name else f"{self.name}_index"

    @property
    def custom_paths(self) -> list[str]:
        """Where the developer's own actions are."""
        return [f"/{self.name}/{action.replace('_', '-')}" for action in self.custom]

    @property
    def paths(self) -> list[str]:
        """Pages that can be linked without a key, the list first."""
        found = [f"/{self.name}"] if "index" in self.resource else []
        return [*found, *([f"/{self.name}/new"] if "new" in self.resource else []), *self.custom_paths]

    @property
    def add_link(self) -> str:
        """The line of the list that leads to the form."""
        one = singular(self.name)
        if "new" not in self.resource:
            return ""
        return f"""<p class="after">{{{{ link_to("Add {a_or_an(in_words(one))}", path_for("new_{one}")) }}}}</p>"""


@dataclass(frozen=True, slots=True)
class Pages:
    """What a controller is made of: its imports, its parts, its views by name, and its tests with their imports."""

    imports: Sequence[Import]
    form: str
    head: str
    methods: Sequence[str]
    views: dict[str, str]
    test_imports: Sequence[Import]
    test_head: Sequence[str]
    tests: Sequence[str]


def whole(actions: Sequence[str]) -> set[str]:
    """The actions, and the other half of each pair."""
    return {*actions, *(each for pair in _PAIRS if set(pair) & set(actions) for each in pair)}


def after(action: str, drawn: Drawn) -> str:
    """Where an action sends the browser on to, as the arguments of `redirect_to`."""
    one = singular(drawn.name)
    if "show" in drawn.resource and action in _KEYS:
        return f'"{one}", id={_KEYS[action].format(one=one)}'
    return f'"{drawn.many_path}"' if "index" in drawn.resource else '"root"'


def values_of(app: Application, drawn: Drawn) -> dict[str, str]:
    """The words of the templates."""
    one = singular(drawn.name)
    return {
        "class_name": camel(one),
        "controller": f"{camel(drawn.name)}Controller",
        "many": drawn.name,
        "many_words": in_words(drawn.name),
        "many_title": title(drawn.name),
        "many_path": drawn.many_path,
        "views": f"{app.folder(app.app)}/views/{drawn.name}",
        "one": one,
        "words": in_words(one),
        "title": title(one),
        "a_one": a_or_an(in_words(one)),
        "an_one": a_or_an(in_words(one)).replace(" ", "_"),
        "after_create": after("create", drawn),
        "add_link": drawn.add_link,
        "method": "",
        "action": "",
        "action_title": "",
        "path": "",
    }
