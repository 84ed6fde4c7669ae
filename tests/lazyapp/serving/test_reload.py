"""Which changes start the server again."""

import asyncio
from pathlib import Path

import pytest

from lazyapp.serving.reload import matters, watching

ROOT = Path("/home/ada/shop")


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
    async with watching(tmp_path) as bursts, asyncio.timeout(20):
        seen: set[str] = set()
        while not {"init/app.py", "pyproject.toml"} <= seen:
            # Written again and again: the first time may come before the watch stands.
            for file in ("init/app.py", "pyproject.toml", "env/site.py", "app/views/index.html.j2"):
                (tmp_path / file).write_text("x")
            try:
                seen |= set(await asyncio.wait_for(bursts.get(), 1))
            except TimeoutError:
                continue
    assert seen == {"init/app.py", "pyproject.toml"}
