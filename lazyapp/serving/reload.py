"""Which changes on disk call for a new serving process, which only for a look at the page, and when they happened.

Templates and public files are read anew by the running process in development, so it goes on. Migrations leave it alone: a start
runs them, and one that was just written is still to be read, or to be filled. Only when a start failed may any of these mend it.
"""

import asyncio
import contextlib
import importlib.util
import logging
import time
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

import watchfiles

SUFFIXES = frozenset({".py", ".toml", ".md", ".yaml", ".yml", ".json"})
# Folders whose files show at the next request, and those that hold no code of the running application.
SHOWN = frozenset({"views", "public"})
LEFT_OUT = frozenset({*SHOWN, "migrations", "tests", "node_modules", "__pycache__", "site-packages", "docs", "build", "dist"})
# What editors write beside a file, or in its place for a moment.
PASSING = ("~", ".swp", ".swx", ".tmp", ".orig", ".bak", "4913")
QUIET_MS, DEBOUNCE_MS = 50, 400
# Git holds its lock for as long as it changes files; one that is older than this was left behind by a git that died.
GIT_WITHIN_S, LOOK_EVERY_S = 10.0, 0.05


class Burst(NamedTuple):
    """Files that changed together, relative to the root: code and settings, what pages show, and what only a start reads."""

    code: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()
    others: tuple[str, ...] = ()

    def __add__(self, more: object) -> "Burst":
        if not isinstance(more, Burst):
            return NotImplemented
        return Burst(*(tuple(sorted({*before, *after})) for before, after in zip(self, more, strict=True)))


def matters(path: Path, root: Path) -> bool:
    """Whether the application must start again because this file changed.

    Args:
        path: the file, absolute.
        root: the application's folder.
    """
    if not path.is_relative_to(root):  # behind a symbolic link
        return False
    inside = path.relative_to(root).parts
    if not inside or any(part in LEFT_OUT or part.startswith(".") for part in inside[:-1]):
        return False
    name = inside[-1]
    if name.endswith(PASSING):
        return False
    return name.startswith(".env") or (not name.startswith(".") and path.suffix in SUFFIXES)


def sort(paths: Iterable[str], root: Path) -> Burst:
    """What these files, absolute, mean for the application; those that mean nothing are left out."""
    found: tuple[list[str], list[str], list[str]] = ([], [], [])
    for path in map(Path, paths):
        if matters(path, root):
            found[0].append(str(path.relative_to(root)))
        elif path.is_relative_to(root) and (parts := path.relative_to(root).parts):
            is_passing = any(part.startswith(".") for part in parts) or path.name.endswith(PASSING)
            if not is_passing and SHOWN.intersection(parts[:-1]):
                found[1].append(str(path.relative_to(root)))
            elif not is_passing and "migrations" in parts[:-1] and path.suffix == ".py":
                found[2].append(str(path.relative_to(root)))
    return Burst(*(tuple(sorted(files)) for files in found))


class Changes:
    """The bursts of one run, from `watching`."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._bursts: asyncio.Queue[Burst] = asyncio.Queue()

    def put(self, paths: Iterable[str]) -> None:
        """Tell of files, absolute; those that mean nothing are passed over."""
        if any(burst := sort(paths, self._root)):
            self._bursts.put_nowait(burst)

    async def get(self) -> Burst:
        """The next burst."""
        return await self._bursts.get()

    async def settle(self) -> Burst:
        """All else that has changed by now; while git is at work, and it changes many files, that is waited for."""
        if self._is_git_at_work():
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(GIT_WITHIN_S):
                    while self._is_git_at_work():  # noqa: ASYNC110  # a file of another program
                        await asyncio.sleep(LOOK_EVERY_S)
            await asyncio.sleep((2 * QUIET_MS + DEBOUNCE_MS) / 1000)  # until the last of it has been noticed
        found = Burst()
        while not self._bursts.empty():
            found += self._bursts.get_nowait()
        return found

    def _is_git_at_work(self) -> bool:
        return any(_is_locked(folder) for folder in (self._root, *self._root.parents))

    def forget_compiled(self, burst: Burst) -> None:
        """Drop what Python has kept of changed modules: it knows a source by its size and second, and a restart takes less."""
        for file in (*burst.code, *burst.others):
            if file.endswith(".py"):
                with contextlib.suppress(OSError, NotImplementedError):
                    Path(importlib.util.cache_from_source(str(self._root / file))).unlink(missing_ok=True)


@asynccontextmanager
async def watching(root: Path) -> AsyncIterator[Changes]:
    """The changes below a folder, for the time of the block."""
    stop = asyncio.Event()
    changes = Changes(root)
    tasks: list[asyncio.Task[None]] = []

    def wanted(change: watchfiles.Change, path: str) -> bool:
        if change == watchfiles.Change.added and Path(path).parent == root and _holds_code(Path(path)):
            return True
        return any(sort([path], root))

    async def follow(*paths: Path, recursive: bool) -> None:
        options: dict[str, Any] = {"debounce": DEBOUNCE_MS, "step": QUIET_MS, "recursive": recursive}
        try:
            async for found in watchfiles.awatch(*paths, watch_filter=wanted, stop_event=stop, **options):
                for folder in [Path(path) for _, path in found if not recursive and Path(path).is_dir()]:
                    tasks.append(asyncio.create_task(follow(folder, recursive=True)))
                    changes.put(str(file) for file in folder.rglob("*.py"))  # written before the watch stood
                changes.put(path for _, path in found)
        except (OSError, RuntimeError) as error:
            logging.getLogger(__name__).warning("Changes are not noticed, restart by hand: %s", error)

    # Two watches, of the folders of code and of the files beside them: a virtualenv here would be thousands of folders for nothing.
    folders = [folder for folder in root.iterdir() if _holds_code(folder)]
    tasks.append(asyncio.create_task(follow(root, recursive=False)))
    if folders:
        tasks.append(asyncio.create_task(follow(*folders, recursive=True)))
    try:
        yield changes
    finally:
        stop.set()
        await asyncio.gather(*tasks)


def _holds_code(folder: Path) -> bool:
    is_left_out = folder.name in LEFT_OUT or folder.name.startswith(".") or (folder / "pyvenv.cfg").exists()
    return not is_left_out and folder.is_dir()


def _is_locked(folder: Path) -> bool:
    try:
        return time.time() - (folder / ".git" / "index.lock").stat().st_mtime < GIT_WITHIN_S
    except OSError:
        return False
