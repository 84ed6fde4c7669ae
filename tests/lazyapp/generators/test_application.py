"""`lazyapp.generators.application`."""

from pathlib import Path

import pytest

from lazyapp.errors import ConfigurationError
from lazyapp.generators.application import Application, find_application


def test_it_is_found_from_below_with_its_own_settings(application: Application) -> None:
    """docs/generators.md: inside the application's folder or below it."""
    found = find_application(application.root / "app" / "mcps")
    assert (found.root, found.app, found.init, found.module, found.line_length) == (
        application.root,
        "app",
        "init",
        "init.app",
        132,
    )
    assert {"app", "init", "lazymcp", "tests"} <= found.first_party


def test_its_packages_are_those_that_pyproject_says(tmp_path: Path) -> None:
    """lazyapp/location.py: `[tool.lazyapp] app`."""
    for package in ("shop", "shop/app", "shop/init"):
        (tmp_path / package).mkdir()
        (tmp_path / package / "__init__.py").touch()
    (tmp_path / "pyproject.toml").write_text('[tool.lazyapp]\napp = "shop.init.app:app"\n')
    found = find_application(tmp_path)
    assert (found.app, found.init, found.line_length) == ("shop.app", "shop.init", 88)
    assert found.file("shop.init.routes") == Path("shop/init/routes.py")
    assert found.file("shop.app") == Path("shop/app/__init__.py")


def test_outside_of_an_application_nothing_is_generated(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"run `lazyapp new NAME` or change to the application's folder"):
        find_application(tmp_path)
    (tmp_path / "init").mkdir()
    (tmp_path / "init" / "app.py").touch()
    with pytest.raises(ConfigurationError, match="has no package app"):
        find_application(tmp_path)


def test_what_its_configuration_says_is_read_without_importing_it(application: Application) -> None:
    assert application.says("mcp")
    assert not application.says("oauth")
    (application.root / "init" / "app.py").write_text("raise SystemExit(\n")
    assert not application.says("mcp")
