"""Every generator in one new application: what it wrote passes the application's lint, its types and its own tests."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from lazyapp.generators import Application, Plan, find_application
from lazyapp.generators.controller import plan_controller
from lazyapp.generators.fields import parse
from lazyapp.generators.mcp_app import plan_app
from lazyapp.generators.mcp_module import plan_mcp
from lazyapp.generators.mcp_prompt import plan_prompt
from lazyapp.generators.mcp_resource import plan_resource
from lazyapp.generators.mcp_skill import plan_skill
from lazyapp.generators.migration import plan_migration
from lazyapp.generators.model import plan_model
from lazyapp.generators.plan import carry_out
from lazyapp.generators.tool import Hints, plan_tool
from lazyapp.scaffold import create
from tests.lazyapp.tiny_app import environment

ROOT = Path(__file__).parents[3]
EVERY_TYPE = ["title", "count:int", "weight:float", "price:Decimal=1.5", "paid:bool", "due:date", "shipped_at:datetime?"]
EVERY_TYPE += ["code:UUID", "tags:list[str]", "status:draft|paid=draft"]
IN_ORDER: list[Callable[[Application], Plan]] = [
    lambda app: plan_mcp(app, "shop", "find", parse(["number:int"])),
    lambda app: plan_tool(app, "shop.list", parse(EVERY_TYPE), Hints("List what there is", read_only=True)),
    lambda app: plan_resource(app, "shop.order", parse(["number:int", "part:head|lines"])),
    lambda app: plan_prompt(app, "shop.reply", parse(["name", "tone:warm|dry=warm", "lines:int=3"])),
    lambda app: plan_skill(app, "shop.packing_list"),
    lambda app: plan_app(app, "admin.board", parse(["name", "tags:list[str]"])),
    lambda app: plan_model(app, "Customer", parse(["name", "vip:bool=false", "customer:references?"], references=True)),
    lambda app: plan_model(app, "OrderItem", parse([*EVERY_TYPE, "customer:references"], references=True)),
    lambda app: plan_migration(app, "add_note_to_order_items", parse(["note:str?", "size:int=3"])),
    lambda app: plan_migration(app, "tidy_up", []),
    lambda app: plan_controller(app, "order_items", []),
    lambda app: plan_controller(app, "notes", ["index", "show", "create", "today"]),
    lambda app: plan_controller(app, "help_pages", ["about"]),
]


#: `lazyapp db upgrade`, `revision --autogenerate` and `downgrade base`, in one process.
BY_COMMAND = "from lazyapp.cli.db import *; upgrade('heads'); revision('Compare', True); downgrade('base')"


def said(folder: Path, *command: str) -> str:
    arguments = [sys.executable, *command]
    done = subprocess.run(arguments, cwd=folder, env=environment(), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("desk") / "shop"
    create("shop", folder)
    return folder


@pytest.fixture(scope="module")
def generated(shop: Path) -> list[Path]:
    """What all generators together wrote."""
    files: list[Path] = []
    for plan_in in IN_ORDER:
        plan = plan_in(find_application(shop))
        assert plan.by_hand == []
        carry_out(plan)
        files += plan.created
    return files


def test_it_passes_the_lint_of_the_application(shop: Path, generated: list[Path]) -> None:
    """docs/generators.md."""
    said(shop, "-m", "ruff", "check", "--no-cache")
    said(shop, "-m", "ruff", "format", "--no-cache", "--check")


def test_it_passes_the_types_of_the_application(shop: Path, generated: list[Path]) -> None:
    """docs/generators.md: mypy --strict, as the application's pyproject.toml says."""
    said(shop, "-m", "mypy", "--cache-dir", os.fspath(ROOT / ".mypy_cache" / "generated"))


def test_its_own_tests_pass(shop: Path, generated: list[Path]) -> None:
    """docs/generators.md: code and test."""
    tests = [os.fspath(path) for path in generated if path.name.startswith("test_")]
    assert len(tests) == 12
    assert " passed" in said(shop, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests)


def test_the_database_lacks_nothing_of_the_models_afterwards(shop: Path, generated: list[Path]) -> None:
    """docs/database.md: `--autogenerate` compares the database with Config(tables=…)."""
    said(shop, "-c", BY_COMMAND)
    [compared] = (shop / "app" / "migrations").glob("*_compare.py")
    assert not [line for line in compared.read_text().splitlines() if "op." in line or "batch" in line]
