"""Where a request path leads under the public folder: to a file inside of it, or nowhere."""

from collections.abc import Iterator
from pathlib import Path

State = tuple[int, int]


def locate(root: Path, path: str) -> Path | None:
    """The file that a decoded request path names, links followed and still inside the root.

    Nothing hidden is found, neither by its name nor through a link; nor is anything by a second spelling of its path.

    Args:
        root: resolved.
        path: begins with a slash.
    """
    parts = path.split("/")[1:]
    if not path.startswith("/") or any(not part or part[0] == "." for part in parts) or "\0" in path or "\\" in path:
        return None
    try:
        file = root.joinpath(*parts).resolve()
        return file if file.is_relative_to(root) and not _is_hidden(file, root) and file.is_file() else None
    except (OSError, RuntimeError, ValueError):
        # A name too long for the file system, a loop of links, a lone surrogate: no such file.
        return None


def names(root: Path) -> Iterator[str]:
    """The path of everything below the root, sorted; what is hidden or leads out is among it."""
    for file in sorted(root.rglob("*")):
        yield f"/{file.relative_to(root).as_posix()}"


def state_of(file: Path) -> State | None:
    """When a file was changed last and how long it is; None when it is gone."""
    try:
        stat = file.stat()
    except OSError:
        return None
    return stat.st_mtime_ns, stat.st_size


def _is_hidden(file: Path, root: Path) -> bool:
    return any(part.startswith(".") for part in file.relative_to(root).parts)
