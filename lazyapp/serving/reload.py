"""Which changes on disk call for a new serving process, and when they happened.

Templates and public files are read anew by the running process in development, so they are left out. So are migrations: a start
runs them, and one that was just written is still to be read, or to be filled.
"""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import watchfiles

SUFFIXES = frozenset({".py", ".toml", ".md", ".yaml", ".yml", ".json"})
# Folders that hold no code of the running application, or that it reads anew by itself.
LEFT_OUT = frozenset(
    {"views", "public", "migrations", "tests", "node_modules", "__pycache__", "site-packages", "docs", "build", "dist"}
)
QUIET_MS, DEBOUNCE_MS = 50, 400


def matters(path: Path, root: Path) -> bool:
    """Whether the application must start again because this file changed.

    Args:
        path: the file, absolute.
        root: the application's folder.
    """
    if not path.is_relative_to(root):  # behind a symbolic link
        return False
    inside = path.relative_to(root).parts
    if any(part in LEFT_OUT or part.startswith(".") for part in inside[:-1]):
        return False
    name = inside[-1]
    return name.startswith(".env") or (not name.startswith(".") and path.suffix in SUFFIXES)


@asynccontextmanager
async def watching(root: Path) -> AsyncIterator[asyncio.Queue[list[str]]]:
    """A queue that receives the changed files that matter, relative to the root, one list for each burst of changes."""
    stop = asyncio.Event()
    bursts: asyncio.Queue[list[str]] = asyncio.Queue()

    def wanted(_change: watchfiles.Change, path: str) -> bool:
        return matters(Path(path), root)

    async def follow(*paths: Path, recursive: bool) -> None:
        options: dict[str, Any] = {"debounce": DEBOUNCE_MS, "step": QUIET_MS, "recursive": recursive}
        try:
            async for found in watchfiles.awatch(*paths, watch_filter=wanted, stop_event=stop, **options):
                bursts.put_nowait(sorted({str(Path(path).relative_to(root)) for _, path in found}))
        except (OSError, RuntimeError) as error:
            logging.getLogger(__name__).warning("Changes are not noticed, restart by hand: %s", error)

    # Two watches, of the folders of code and of the files beside them: a virtualenv here would be thousands of folders for nothing.
    folders = [folder for folder in root.iterdir() if folder.is_dir() and not _is_left_out(folder)]
    tasks = [asyncio.create_task(follow(root, recursive=False))]
    if folders:
        tasks.append(asyncio.create_task(follow(*folders, recursive=True)))
    try:
        yield bursts
    finally:
        stop.set()
        await asyncio.gather(*tasks)


def _is_left_out(folder: Path) -> bool:
    return folder.name in LEFT_OUT or folder.name.startswith(".") or (folder / "pyvenv.cfg").exists()
