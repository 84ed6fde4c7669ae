"""Which changes start the server again."""

import asyncio
from pathlib import Path

import httpx2
import pytest

from lazyapp.serving.reload import matters, watching
from tests.lazyapp.tiny_app import PATIENCE_S, serving, write_app

ROOT = Path("/home/ada/shop")

PAGE_APP = """
import os
from pathlib import Path

import lazyapp


class HomeController(lazyapp.Controller):
    async def index(self) -> dict:
        return {"who": "Ada", "pid": os.getpid()}


app = lazyapp.App(
    lazyapp.Config(name="tiny", drawer=lambda routes: routes.root(HomeController.index), views=Path("app/views").absolute())
)
"""


@pytest.mark.parametrize(
    "path",
    ["init/app.py", "app/mcps/admin_mcp/oncall/SKILL.md", "pyproject.toml", ".env", ".env.development", "app/services/prices.json"],
)
def test_code_settings_and_skills_matter(path: str) -> None:
    assert matters(ROOT / path, ROOT)


@pytest.mark.parametrize(
    "path",
    [
        "app/views/home/index.html.j2",
        "app/public/data.json",
        "app/migrations/0001_make_notes.py",
        "tests/test_app.py",
        ".lazyapp/app.db",
        ".git/config.py",
        ".venv/lib/site.py",
        "app/__pycache__/x.py",
        "app/.#x.py",
        "notes.txt",
    ],
)
def test_what_is_read_anew_or_never_does_not(path: str) -> None:
    assert not matters(ROOT / path, ROOT)


def test_what_lies_behind_a_symbolic_link_is_left_alone() -> None:
    assert not matters(Path("/srv/shared/prices.json"), ROOT)


async def test_changes_beside_and_below_are_told_and_a_virtualenv_is_not_watched(tmp_path: Path) -> None:
    """Watching a virtualenv costs a watch a folder, of which there are thousands."""
    for folder in ("init", "env", "app/views"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "env" / "pyvenv.cfg").touch()
    async with watching(tmp_path) as changes, asyncio.timeout(20):
        seen: set[str] = set()
        shown: set[str] = set()
        while not {"init/app.py", "pyproject.toml"} <= seen:
            # Written again and again: the first time may come before the watch stands.
            for file in ("init/app.py", "pyproject.toml", "env/site.py", "app/views/index.html.j2"):
                (tmp_path / file).write_text("x")
            try:
                burst = await asyncio.wait_for(changes.get(), 1)
                seen |= set(burst.code)
                shown |= set(burst.shown)
            except TimeoutError:
                continue
    assert seen == {"init/app.py", "pyproject.toml"}
    assert shown <= {"app/views/index.html.j2"}


def test_a_changed_view_shows_at_the_next_request_and_its_error_on_a_page(tmp_path: Path) -> None:
    """Design 6: in development templates reload. No new process is needed, and no restart after a mistake."""
    write_app(tmp_path, PAGE_APP)
    view, layout = tmp_path / "app/views/home/index.html.j2", tmp_path / "app/views/layouts/app.html.j2"
    for file, text in ((view, "Hello {{ who }} from {{ pid }}"), (layout, "<body>{{ content }}</body>")):
        file.parent.mkdir(parents=True)
        file.write_text(text)
    with serving(tmp_path) as server:
        origin = server.wait_until_up()

        def shown() -> tuple[int, str]:
            page = httpx2.get(origin, headers={"accept": "text/html"}, timeout=PATIENCE_S)
            return page.status_code, page.text

        first = shown()
        pid = first[1].partition("from ")[2].removesuffix("</body>")
        assert first == (200, f"<body>Hello Ada from {pid}</body>")
        view.write_text("Goodbye {{ who }} from {{ pid }}")
        assert shown() == (200, f"<body>Goodbye Ada from {pid}</body>")
        layout.write_text("<main>{{ content }}</main>")
        assert shown() == (200, f"<main>Goodbye Ada from {pid}</main>")
        for mistake, told in (("\n{% if who %}", "TemplateError"), ("\n{{ whom }}", "whom")):
            view.write_text(mistake)
            status, text = shown()
            assert status == 500
            assert "home/index.html.j2" in text
            assert told in text
        view.write_text("Fine {{ pid }}")
        assert shown() == (200, f"<main>Fine {pid}</main>")
        assert server.end() == 0
    assert not any("changed, starting again" in line for line in server.lines)
