"""An open page of a development server in a real browser, while its files change."""

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.flows.looking import PACKAGES
from tests.flows.node import answer_of, packages
from tests.lazyapp.tiny_app import PATIENCE_S, serving, write_app
from tests.lazymcp.chromium import find_chromium

SCRIPT = Path(__file__).with_name("refresh.mjs")
APP = """
from pathlib import Path

import lazyapp

VERSION = 1


class HomeController(lazyapp.Controller):
    async def index(self) -> dict:
        return {"version": VERSION}


app = lazyapp.App(
    lazyapp.Config(
        name="tiny", drawer=lambda routes: routes.root(HomeController.index), views=Path("app/views").absolute(),
        public=Path("app/public").absolute()
    )
)
"""
LAYOUT = (
    '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>Tiny</title></head>'
    "<body><main>{{ content }}</main></body></html>\n"
)
VIEW = "<h1>{} {{{{ version }}}}</h1><form><label>Name <input name=who></label></form>"


def step(name: str, sees: str, *acts: tuple[str, Any], judged: bool = False) -> dict[str, Any]:
    """What happens, and what the page shows afterwards."""
    return {"name": name, "sees": sees, "acts": acts, "judged": judged}


def written(folder: Path) -> Path:
    for file, text in {"views/home/index.html.j2": VIEW.format("Version"), "views/layouts/app.html.j2": LAYOUT}.items():
        path = folder / "app" / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (folder / "app" / "public").mkdir()
    (folder / "app" / "public" / "site.css").write_text("")
    return write_app(folder, APP)


async def seen(cache: pytest.Cache, folder: Path, origin: str, steps: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    chromium = find_chromium()
    node, installed = packages(cache, PACKAGES)
    shutil.copy(SCRIPT, installed)
    job = {
        "chromium": chromium,
        "origin": origin,
        "steps": steps,
        "patience_s": PATIENCE_S,
        "calm_ms": 1000,
        "shots": os.environ.get("LAZYAPP_TEST_SHOTS"),
    }
    (folder / "job.json").write_text(json.dumps(job))
    found = await answer_of(node, installed / SCRIPT.name, str(folder / "job.json"), timeout_s=4 * PATIENCE_S)
    return {each["name"]: each for each in found}


async def test_an_open_page_refreshes_exactly_once_and_never_under_a_form_that_is_filled(
    pytestconfig: pytest.Config, tmp_path: Path
) -> None:
    """docs/development.md: the browser is refreshed once; after a reload, a changed view, a broken start and its repair. The policy
    of the page is the application's own, and holds. WCAG 2.2, A and AA: the page of an error, and what a filled form is told."""
    code, view = tmp_path / "init" / "app.py", tmp_path / "app" / "views" / "home" / "index.html.j2"

    def version(text: str) -> tuple[str, tuple[str, str]]:
        return "write", (str(code), APP.replace("VERSION = 1", f"VERSION = {text}"))

    steps = [
        step("opened", "Version 1"),
        step("code", "Version 2", version("2")),
        step("view", "Hello 2", ("write", (str(view), VIEW.format("Hello")))),
        step("public", "Hello 2", ("write", (str(tmp_path / "app" / "public" / "site.css"), "p {}"))),
        step("syntax", "SyntaxError", version("= 3"), judged=True),
        step("start", "ZeroDivisionError", version("3 / 0"), judged=True),
        step("mended", "Hello 3", version("3")),
        step("filled", "This page was left as it is", ("fill", "Ada"), version("4"), judged=True),
        step("asked", "Hello 4", ("click", "Refresh")),
    ]
    with serving(written(tmp_path)) as server:
        found = await seen(pytestconfig.cache, tmp_path, server.wait_until_up(), steps)
        assert server.end() == 0
    assert {name: each["loads"] for name, each in found.items()} == {
        **dict.fromkeys(("code", "view", "public", "syntax", "start", "mended", "asked"), 1),
        "opened": 0,
        "filled": 0,
    }
    assert found["filled"]["value"] == "Ada"
    assert [each for each in found.values() if each["said"] or each["faults"]] == []
