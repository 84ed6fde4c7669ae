"""Every Python block of the documentation runs, and every public name stands in it."""

import re
from importlib import import_module
from pathlib import Path

import pytest

import lazyapp
import lazymcp
from lazyapp.tool_depends import Dependencies

DOCS = Path(__file__).parents[1] / "docs"
BLOCKS = [
    pytest.param(path, code, id=f"{path.name}-{number}")
    for path in sorted(DOCS.glob("*.md"))
    if path.name != "tutorial.md"  # its files build on each other; tests/test_tutorial.py follows it
    for number, code in enumerate(re.findall(r"^```python\n(.*?)^```", path.read_text(), re.MULTILINE | re.DOTALL), 1)
]
PACKAGES = ("lazyapp", "lazyapp.testing", "lazyauth", "lazymcp", "lazyoauth", "lazyview")
CODE = re.compile(r"^```.*?^```|`[^`\n]+`", re.MULTILINE | re.DOTALL)


def test_there_is_something_to_run() -> None:
    assert BLOCKS


@pytest.mark.parametrize(("path", "code"), BLOCKS)
def test_a_block_of_the_documentation_runs_and_its_modules_register(path: Path, code: str, tmp_path: Path) -> None:
    (tmp_path / "oncall").mkdir()
    (tmp_path / "oncall" / "SKILL.md").write_text("---\nname: oncall\ndescription: What to do at night.\n---\n")
    names: dict[str, object] = {"__name__": "documentation", "__file__": str(tmp_path / "module.py")}
    exec(compile(code, str(path), "exec"), names)
    services = lazyapp.Services()
    if callable(declare := names.get("dependencies")):
        declare(services)
    for found in list(names.values()):
        if isinstance(found, type) and issubclass(found, lazymcp.Base) and found is not lazymcp.Base:
            depends = Dependencies(services, dict)
            options = lazymcp.Options(
                views=lambda view, variables, layout: view, surround=lambda fn, method, name, depends=depends: depends.surround(fn)
            )
            scope = lazymcp.Scope(options)
            scope.register(found())
            scope.close_registry()
            assert scope.surface()


@pytest.mark.parametrize("package", PACKAGES)
def test_every_public_name_stands_in_the_documentation(package: str) -> None:
    """Style, "Public names": adding one comes with a docs page. Decisions tell why, and so do not count."""
    pages = [path.read_text() for path in sorted(DOCS.glob("*.md")) if path.name != "decisions.md"]
    written = {word for page in pages for code in CODE.findall(page) for word in re.findall(r"\w+", code)}
    assert sorted(set(import_module(package).__all__) - written) == []
