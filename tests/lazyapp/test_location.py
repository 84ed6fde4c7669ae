"""Where the application stands."""

import sys
from pathlib import Path
from types import ModuleType

import pytest

import lazyapp
from lazyapp.errors import ConfigurationError
from lazyapp.location import Location, enter, find, load, make_importable, strangers
from tests.lazyapp.tiny_app import write_app


@pytest.fixture(autouse=True)
def imports_as_they_were(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test may change where modules come from, and nobody notices afterwards."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    for name in ("app", "init", "loadable"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
        del sys.modules[name]
    monkeypatch.setenv("LAZYAPP_ROOT", "")


def test_it_is_found_from_any_folder_inside(tmp_path: Path) -> None:
    inside = write_app(tmp_path) / "app" / "controllers"
    inside.mkdir(parents=True)
    assert find(inside) == Location(tmp_path, "init.app:app")


def test_pyproject_may_name_another_target(tmp_path: Path) -> None:
    """Design 2: `[tool.lazyapp] app`."""
    (tmp_path / "pyproject.toml").write_text('[tool.lazyapp]\napp = "shop.main:application"\n')
    assert find(tmp_path) == Location(tmp_path, "shop.main:application")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [('[tool.lazyapp]\napp = "main"', 'should be "module:attribute"'), ("[tool.lazyapp", "is no valid TOML")],
)
def test_a_pyproject_that_cannot_be_used_is_named(text: str, sentence: str, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(text)
    with pytest.raises(ConfigurationError, match=sentence):
        find(tmp_path)


def test_outside_of_any_application_the_sentence_says_what_to_type(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"No init/app\.py found here or above; run `lazyapp new NAME`"):
        enter(tmp_path)


def test_its_folder_comes_first_once(tmp_path: Path) -> None:
    """Design 2: first on sys.path for every command."""
    make_importable(tmp_path)
    make_importable(tmp_path)
    assert sys.path[0] == str(tmp_path)
    assert sys.path.count(str(tmp_path)) == 1


def test_another_app_or_init_is_named_in_one_warning(tmp_path: Path) -> None:
    """Design 2: another `app` or `init` found elsewhere is named in a warning."""
    ours, theirs = write_app(tmp_path / "ours"), write_app(tmp_path / "theirs")
    (theirs / "app").mkdir()
    (theirs / "app" / "__init__.py").touch()
    sys.path[:] = [str(ours), str(theirs)]
    [both] = strangers(ours)
    assert both == (
        f"There is another app and init in {theirs}; those of {ours} are used. Nothing need be done, "
        f"unless you meant the other: then run `lazyapp` in {theirs}."
    )
    [warning] = strangers(theirs)
    assert warning.startswith(f"There is another init in {ours}; those of {theirs} are used.")


def test_the_example_beside_the_framework_is_not_warned_of(tmp_path: Path) -> None:
    """Whoever makes an application from a checkout has both, and nothing to mend."""
    checkout = Path(lazyapp.__file__).parent.parent
    assert (checkout / "init" / "__init__.py").exists()
    sys.path[:] = [str(write_app(tmp_path)), str(checkout)]
    assert strangers(tmp_path) == []


def test_an_application_is_loaded_and_anything_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "loadable.py").write_text("import lazyapp\napp = lazyapp.App(lazyapp.Config(name='tiny'))\nother = 3\n")
    make_importable(tmp_path)
    assert load(Location(tmp_path, "loadable:app")).config.name == "tiny"
    with pytest.raises(ConfigurationError, match=r"loadable:other should be a lazyapp\.App, but is a int"):
        load(Location(tmp_path, "loadable:other"))
    with pytest.raises(ConfigurationError, match=r"loadable:none should be a lazyapp\.App, but has no such name"):
        load(Location(tmp_path, "loadable:none"))
