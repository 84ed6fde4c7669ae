"""The house rules of design section 1 and of style.md that a machine can check.

import-linter holds the floors between packages and the bands inside them; `bin/test` runs it beside these tests.
"""

import ast
import importlib
import os
import pkgutil
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from textwrap import dedent
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("lazyapp", "lazymcp", "lazyauth", "lazyoauth", "lazyview")
FLOORS = {"lazyauth": 1, "lazyview": 1, "lazymcp": 2, "lazyoauth": 2, "lazyapp": 3, "app": 4, "init": 5}
TOP_LEVEL = {
    *(".ci", ".gitignore", "CHANGELOG.md", "LICENSE", "README.md", "constraints.txt", "pyproject.toml"),
    *("benchmarks", "bin", "docs", "tests", *FLOORS),
}

MAX_FILE_LINES, MAX_FUNCTION_LINES, MAX_CLASS_LINES, MAX_CONSTRUCTOR_PARAMETERS = 350, 40, 300, 8

FORBIDDEN_NAMES = {"utils", "util", "helpers", "helper", "manager", "managers", "common", "misc"}
ALLOWED_NAMES = {"lazyview/helpers.py"}  # template helpers are what a view calls them
LOCK_FILES = {"package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "yarn.lock", "poetry.lock", "pdm.lock", "uv.lock"}

#: Who may know a library (design, section 1); the example application and `init/` compose, and may know any.
WEB = (
    r"lazyapp/(app|actions|background|controller|direct|downloads|error_pages|json_body|many_errors|pages|public|reading|results|routes|service_depends|sign_in"
    r"|streams|tool_depends|tracing|web)\.py"
)
MAY_IMPORT = {
    "sqlalchemy": r"lazyapp/(developing/\w+_sql|database(_values)?|migrations\w*|versions/\w+)\.py|\w+/(\w+_)?sql(_engine)?\.py",
    "starlette": rf"{WEB}|lazyoauth/(answers|connected|http|pages|standalone)\.py|lazymcp/http\.py|lazyauth/sso\.py",
    "fastapi": WEB,
    "uvicorn": r"lazyapp/serving/(protocol|server|worker)\.py",
    "authlib": r"lazyoauth/\w+\.py|lazyauth/sso\.py",
    "jinja2": r"lazyview/\w+\.py|lazyoauth/standalone\.py|lazyapp/scaffold/surroundings\.py",
    # The SDKs judge us in tests and are never imported at run time (design, section 4).
    "mcp": "",
    "mcp_types": "",
    "fastmcp": "",
}

#: Sources without a test file of their own, each with the reason. This list may only become shorter.
WITHOUT_TEST_FILE = {
    "lazyapp/__main__.py": "one call; tests/flows starts every server through it",
    "lazyapp/version.py": "one constant",
}


@cache
def tracked() -> list[Path]:
    """The files that are, or are about to be, in the repository."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    return [ROOT / name for name in names if (ROOT / name).is_file()]


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def sources() -> list[Path]:
    """Every Python file of the five packages, the example application and `init/`."""
    return [path for path in tracked() if path.suffix == ".py" and name_of(path).split("/")[0] in FLOORS]


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def imports(path: Path) -> Iterator[str]:
    """The absolute name of every module a file imports, wherever in the file."""
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = path.relative_to(ROOT).parent.parts[: None if node.level <= 1 else 1 - node.level] if node.level else ()
            yield ".".join((*base, *filter(None, [node.module])))


def test_the_top_level_holds_only_what_the_design_lists():
    """Design, section 1: the tree."""
    assert {name_of(path).split("/")[0] for path in tracked()} <= TOP_LEVEL


def test_imports_run_downward_between_packages():
    """Design, section 1: type-only imports included; siblings do not know each other."""
    wrong = [
        f"{name_of(path)} imports {imported}"
        for path in sources()
        for here in [name_of(path).split("/")[0]]
        for imported in imports(path)
        for there in [imported.split(".")[0]]
        if there in FLOORS and there != here and FLOORS[there] >= FLOORS[here]
    ]
    assert wrong == []


def test_neither_protocol_package_knows_the_views():
    """Design, section 1."""
    wrong = [name_of(path) for path in sources() if name_of(path).startswith(("lazymcp/", "lazyoauth/", "lazyauth/"))]
    assert [name for name in wrong if any(found.split(".")[0] == "lazyview" for found in imports(ROOT / name))] == []


@pytest.mark.parametrize("library", MAY_IMPORT)
def test_only_the_files_that_own_a_library_import_it(library):
    """Design, section 1: only edges know Starlette, FastAPI or sockets; only the `sql` files know SQLAlchemy."""
    knowing = [name_of(path) for path in sources() if any(found.split(".")[0] == library for found in imports(path))]
    allowed = re.compile(f"{MAY_IMPORT[library]}|(app|init)/.*")
    assert [name for name in knowing if not allowed.fullmatch(name)] == []


def test_no_import_hides_from_the_floors():
    """Design, section 1: type-only imports run downward too, so none needs `typing.TYPE_CHECKING`."""
    assert [name_of(path) for path in sources() if "TYPE_CHECKING" in path.read_text(encoding="utf-8")] == []


def test_files_hold_one_idea():
    """style.md: 80 to 250 lines; at 350 there is a second idea."""
    python = [path for path in tracked() if path.suffix == ".py"]
    long = {
        name_of(path): count for path in python if (count := len(path.read_text(encoding="utf-8").splitlines())) > MAX_FILE_LINES
    }
    assert long == {}


def test_functions_and_classes_fit_where_they_are_read():
    """style.md, and design, section 11: no class over 300 lines, no constructor of more than 8 parameters."""
    wrong = []
    for path in sources():
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = (node.end_lineno or 0) - node.lineno + 1
                arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
                if lines > MAX_FUNCTION_LINES:
                    wrong.append(f"{name_of(path)}:{node.lineno} {node.name} has {lines} lines")
                if node.name == "__init__" and len(arguments) - 1 > MAX_CONSTRUCTOR_PARAMETERS:
                    wrong.append(f"{name_of(path)}:{node.lineno} the constructor has {len(arguments) - 1} parameters")
            elif isinstance(node, ast.ClassDef) and (node.end_lineno or 0) - node.lineno + 1 > MAX_CLASS_LINES:
                wrong.append(f"{name_of(path)}:{node.lineno} {node.name} is too long")
    assert wrong == []


def test_modules_are_named_for_what_they_hold():
    """Design, section 11: no `utils`, `helpers` or `manager` modules, template helpers aside."""
    parts = {name_of(path): {part.removesuffix(".py") for part in path.relative_to(ROOT).parts} for path in tracked()}
    assert [name for name, found in parts.items() if found & FORBIDDEN_NAMES and name not in ALLOWED_NAMES] == []


@pytest.mark.parametrize("package", PACKAGES)
def test_the_public_names_are_those_that_are_listed(package):
    """style.md, "Public names"; ruff keeps the list sorted."""
    module = importlib.import_module(package)
    assert module.__doc__
    assert [name for name in module.__all__ if not hasattr(module, name)] == [], "listed, but not importable"
    # Whoever looks with dir() finds submodules and the list, and nothing that a typing completion would offer by accident.
    submodules = {found.name for found in pkgutil.iter_modules(module.__path__)}
    public = {name for name, value in vars(module).items() if not name.startswith("_") and not isinstance(value, ModuleType)}
    assert public - submodules - set(module.__all__) == set(), "importable, but not listed"


@pytest.mark.parametrize("package", ["lazyapp", "lazymcp", "lazyauth", "lazyoauth"])
def test_what_type_checkers_are_told_is_what_is_importable(package):
    """These import their names when they are used; the stub must not drift from that."""
    stub = ast.parse((ROOT / package / "__init__.pyi").read_text(encoding="utf-8"))
    told = {alias.asname or alias.name for node in stub.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert told == set(importlib.import_module(package).__all__)


def test_a_local_process_loads_no_authorization_server():
    """Design, section 9: `lazyapp mcp stdio` answers soon. The example application is composed, and OAuth left out."""
    heavy = ["joserfc", "limits", "lazyoauth.server", "sqlalchemy.dialects.postgresql"]
    question = f"import sys, init.app, lazyapp.startup; print(*[name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", question], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_a_start_loads_nothing_that_only_a_later_request_needs():
    """docs/decisions.md, "What only a request needs is loaded by a request"."""
    lines = """
        import asyncio, sys, init.app
        async def start():
            async with init.app.app.router.lifespan_context(init.app.app):
                print(*[name for name in ("httpx2", "limits") if name in sys.modules], "started")
        asyncio.run(start())
    """
    environment = {**os.environ, "LAZYAPP_ENV": "test"}
    command = [sys.executable, "-c", dedent(lines)]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["started"]


def test_lazymcp_alone_brings_no_web_framework_and_no_database():
    """Design, section 8."""
    heavy = ["fastapi", "starlette", "sqlalchemy", "authlib", "jinja2"]
    question = f"import sys, lazymcp; print(*[name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", question], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_no_lock_file_and_no_address_of_a_registry_is_committed():
    """Design, section 8: versions are pinned by name; where packages come from is the machine's own setting."""
    assert [name_of(path) for path in tracked() if path.name in LOCK_FILES] == []
    # Put together here, so that this file does not name them either.
    hosts = [".".join(parts) for parts in [("pypi", "org"), ("pythonhosted", "org"), ("npmjs", "org"), ("deb", "debian", "org")]]
    wrong = []
    for path in tracked():
        text = path.read_text(encoding="utf-8", errors="replace")
        wrong += [f"{name_of(path)} names {host}" for host in hosts if host in text]
    assert wrong == []


def test_every_source_file_has_its_test_file():
    """style.md: `lazyoauth/refresh.py` is tested in `tests/lazyoauth/test_refresh.py`."""
    missing = set()
    for path in sources():
        package, *folders = path.relative_to(ROOT).parts
        if package not in PACKAGES or path.name == "__init__.py" or "scaffold" in folders[:-1]:
            continue
        wanted = ROOT / "tests" / package / "/".join([*folders[:-1], f"test_{path.name.lstrip('_')}"])
        if not wanted.exists():
            missing.add(name_of(path))
    untested = sorted(missing - WITHOUT_TEST_FILE.keys())
    assert untested == [], "no test file for " + ", ".join(untested)
    assert sorted(WITHOUT_TEST_FILE.keys() - missing) == [], "these have a test file, or are gone: take them off the list"
