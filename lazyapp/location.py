"""Where the application stands: the folder that holds `init/`, and the object in it that is served.

Every command and the pytest plugin find it here, before anything of the framework or the application is imported.
"""

import importlib
import os
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lazyapp.errors import ConfigurationError

DEFAULT_TARGET = "init.app:app"
OWN_PACKAGES = ("app", "init")


@dataclass(frozen=True, slots=True)
class Location:
    """One application on disk.

    Args:
        root: the folder where `init/` stands; absolute.
        target: `module:attribute` of the `lazyapp.App`, importable from the root.
    """

    root: Path
    target: str = DEFAULT_TARGET


def find(start: Path | None = None) -> Location | None:
    """The application at `start` (the current folder) or above it, or None.

    A folder is one when it has `init/app.py`, or a `pyproject.toml` that says `[tool.lazyapp] app = "module:attribute"`.

    Raises:
        ConfigurationError: that `pyproject.toml` cannot be read.
    """
    here = (start or Path.cwd()).resolve()
    for folder in (here, *here.parents):
        target = _named_in(folder / "pyproject.toml")
        if target or (folder / "init" / "app.py").is_file():
            return Location(folder, target or DEFAULT_TARGET)
    return None


def enter(start: Path | None = None) -> Location:
    """Find the application and make it importable: its folder comes first on `sys.path` and is LAZYAPP_ROOT.

    Raises:
        ConfigurationError: there is none here or above.
    """
    location = find(start)
    if location is None:
        raise ConfigurationError(
            "No init/app.py found here or above; run `lazyapp new NAME` or change to the application's folder."
        )
    make_importable(location.root)
    os.environ["LAZYAPP_ROOT"] = str(location.root)
    return location


def root_or_here() -> Path:
    """The application's folder, or the current one outside of any; for messages, so it never fails."""
    try:
        location = find()
    except ConfigurationError:
        location = None
    return location.root if location else Path.cwd()


def make_importable(root: Path) -> None:
    """Put the application's folder first on `sys.path`, once."""
    place = str(root)
    sys.path[:] = [place, *(entry for entry in sys.path if entry != place)]


def strangers(root: Path) -> list[str]:
    """A warning when another `app` or `init` stands where a reader could take it for the application's own: one for each place.

    The example beside the framework, in a checkout of it, is nobody's mistake and not named.
    """
    found: dict[Path, list[str]] = {}
    for name in OWN_PACKAGES:
        for folder in dict.fromkeys(_elsewhere(name, root)):
            found.setdefault(folder.parent, []).append(name)
    found.pop(Path(__file__).resolve().parent.parent, None)
    return [
        f"There is another {' and '.join(names)} in {place}; those of {root} are used. Nothing need be done, "
        f"unless you meant the other: then run `lazyapp` in {place}."
        for place, names in found.items()
    ]


def load(location: Location) -> Any:
    """Import the application; what its own modules raise flies as it is.

    Raises:
        ConfigurationError: the module has no such attribute, or it is no `lazyapp.App`.
    """
    module_name, _, attribute = location.target.partition(":")
    module = importlib.import_module(module_name)
    from lazyapp.app import App  # after the application, which says sooner what is wrong with it

    app = getattr(module, attribute or "app", None)
    if not isinstance(app, App):
        found = "has no such name" if app is None else f"is a {type(app).__name__}"
        raise ConfigurationError(f"{location.target} should be a lazyapp.App, but {found}; make it `app = lazyapp.App(config)`.")
    return app


def _elsewhere(name: str, root: Path) -> Iterator[Path]:
    imported = getattr(sys.modules.get(name), "__file__", None)
    candidates = [Path(imported).parent] if imported else []
    candidates += [Path(entry or ".") / name for entry in sys.path]
    for folder in candidates:
        if (folder / "__init__.py").is_file() and folder.resolve() != root / name:
            yield folder.resolve()


def _named_in(pyproject: Path) -> str | None:
    if not pyproject.is_file():
        return None
    try:
        table = tomllib.loads(pyproject.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{pyproject} is no valid TOML: {error}.") from None
    target = table.get("tool", {}).get("lazyapp", {}).get("app")
    if target is not None and not (isinstance(target, str) and target.count(":") == 1):
        raise ConfigurationError(f'{pyproject}: [tool.lazyapp] app should be "module:attribute", such as "{DEFAULT_TARGET}".')
    return target
