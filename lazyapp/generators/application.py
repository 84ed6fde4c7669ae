"""The application that something is generated for: its folder, the names of its packages, and how its code is laid out."""

import ast
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lazyapp import location
from lazyapp.errors import ConfigurationError
from lazyapp.generators.edit import CannotEdit, tree_of

# What ruff and black take when nothing is said; lines that are generated never need more.
DEFAULT_LINE_LENGTH = 88


@dataclass(frozen=True, slots=True)
class Application:
    """One application on disk.

    Args:
        root: the folder that its packages are imported from; absolute.
        app: the package of its controllers, MCP modules and views, `app`.
        init: the package of its composition, `init`.
        module: the module in which `lazyapp.Config(…)` is made, `init.app`.
        line_length: how long a line may be, as its own settings of ruff say.
        first_party: the packages that are sorted among its own imports.
    """

    root: Path
    app: str = "app"
    init: str = "init"
    module: str = "init.app"
    line_length: int = DEFAULT_LINE_LENGTH
    first_party: frozenset[str] = frozenset({"app", "init", "tests"})

    def file(self, module: str) -> Path:
        """Where a module stands, relative to the root: its `__init__.py` when it is a package, else its file."""
        place = Path(*module.split("."))
        package = place / "__init__.py"
        return package if (self.root / package).is_file() else place.with_suffix(".py")

    def folder(self, package: str) -> Path:
        """The folder of a package, relative to the root."""
        return Path(*package.split("."))

    @property
    def config(self) -> Path:
        """The file in which `lazyapp.Config(…)` is made, relative to the root."""
        return self.file(self.module)

    def says(self, keyword: str) -> bool:
        """Whether `Config(…)` is given this keyword; read from the text, without importing it."""
        try:
            tree = tree_of((self.root / self.config).read_text(encoding="utf-8"))
        except (OSError, CannotEdit, ValueError):
            return False
        return any(
            isinstance(node, ast.Call) and _is_config(node.func) and keyword in {given.arg for given in node.keywords}
            for node in ast.walk(tree)
        )


def find_application(start: Path | None = None) -> Application:
    """The application at `start` (the current folder) or above it.

    Raises:
        ConfigurationError: there is none, or its packages are not where generated code could stand.
    """
    found = location.find(start)
    if found is None:
        raise ConfigurationError(
            "No init/app.py found here or above; run `lazyapp new NAME` or change to the application's folder."
        )
    module = found.target.partition(":")[0]
    init = module.rpartition(".")[0] or "init"
    above = init.rpartition(".")[0]
    app = f"{above}.app" if above else "app"
    if not (found.root / Path(*app.split(".")) / "__init__.py").is_file():
        raise ConfigurationError(
            f"{found.root} has no package {app}; generated code stands in it, as in an application of `lazyapp new`."
        )
    said = _settings_of_ruff(found.root)
    first_party = {path.parent.name for path in found.root.glob("*/__init__.py")} | {app.split(".")[0], init.split(".")[0], "tests"}
    first_party.update(said.get("lint", {}).get("isort", {}).get("known-first-party", ()))
    return Application(found.root, app, init, module, int(said.get("line-length", DEFAULT_LINE_LENGTH)), frozenset(first_party))


def _settings_of_ruff(root: Path) -> Mapping[str, Any]:
    for name, path in ((".ruff.toml", ()), ("ruff.toml", ()), ("pyproject.toml", ("tool", "ruff"))):
        try:
            table: Any = tomllib.loads((root / name).read_text(encoding="utf-8"))
            for key in path:
                table = table[key]
        except (OSError, KeyError, UnicodeDecodeError, tomllib.TOMLDecodeError):
            continue
        return table if isinstance(table, dict) else {}
    return {}


def _is_config(called: ast.expr) -> bool:
    return (isinstance(called, ast.Name) and called.id == "Config") or (
        isinstance(called, ast.Attribute) and called.attr == "Config"
    )
