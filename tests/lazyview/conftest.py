from collections.abc import Callable
from pathlib import Path

import pytest

Write = Callable[[str, str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Put a template into a root, as in `write("app/home/index.html.j2", "…")`."""

    def write(file: str, text: str) -> Path:
        path = tmp_path / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.fixture
def app(tmp_path: Path) -> Path:
    """The application's root, empty."""
    root = tmp_path / "app"
    root.mkdir()
    return root
