"""A new application on disk: whole, or not at all."""

import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lazyapp.errors import ConfigurationError
from lazyapp.scaffold.cuts import cut
from lazyapp.scaffold.names import check_name
from lazyapp.scaffold.shape import Shape
from lazyapp.scaffold.surroundings import surround
from lazyapp.version import __version__

HERE = Path(__file__).parent
COPIED = ("app", "init")
LEFT_OUT = shutil.ignore_patterns("__pycache__", "*.pyc", ".*")
CONFIG_NAME = re.compile(r'\bConfig\(\s*name=("[^"]*")')
NAMED = frozenset({".py", ".j2"})


def create(name: str, folder: Path, shape: Shape = Shape.WHOLE) -> list[Path]:
    """Make a new application and say which files it has, relative to its folder.

    It is built beside the folder and moved there when it is complete, so a failure leaves nothing behind.

    Args:
        name: see `check_name`.
        folder: where it goes; must not exist, or be empty.
        shape: what it is to have.

    Raises:
        ConfigurationError: the name, the folder or the disk does not allow it.
    """
    check_name(name)
    folder = folder.resolve()
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ConfigurationError(f"{folder} exists and is not empty; choose another name, or say where with --dir.")
    if not folder.parent.is_dir():
        raise ConfigurationError(f"{folder.parent} does not exist; make it first, or say where with --dir.")
    try:
        with _draft_beside(folder) as draft:
            _fill(draft, name, shape)
            files = sorted(path.relative_to(draft) for path in draft.rglob("*") if path.is_file())
            _move(draft, folder)
    except OSError as error:
        raise ConfigurationError(f"{folder} cannot be written: {_why(error)}; say another place with --dir.") from error
    return files


def _why(error: OSError) -> str:
    # copytree gathers what went wrong with each file, and a full disk is one reason for all of them.
    if isinstance(error, shutil.Error) and isinstance(error.args[0], list):
        return str(error.args[0][0][-1])
    return error.strerror or str(error)


@contextmanager
def _draft_beside(folder: Path) -> Iterator[Path]:
    # Beside it, so that the move stays on one file system; one level down, for mkdtemp's own folder is closed to others.
    with tempfile.TemporaryDirectory(prefix=f".{folder.name}-", dir=folder.parent) as place:
        draft = Path(place) / folder.name
        draft.mkdir()
        yield draft


def _move(draft: Path, folder: Path) -> None:
    if not folder.exists():
        draft.rename(folder)
        return
    # The empty folder stays the one it is: a shell may stand in it.
    for entry in draft.iterdir():
        entry.rename(folder / entry.name)


def _fill(draft: Path, name: str, shape: Shape) -> None:
    for package in COPIED:
        shutil.copytree(_example(package), draft / package, ignore=LEFT_OUT, copy_function=shutil.copyfile)
    cut(draft, shape)
    _rename(draft, name)
    surround(draft, HERE / "files", {"name": name, "version": __version__, "mcp": shape.mcp, "oauth": shape.oauth})
    # The scripts in bin/ try it before they install anything. It is this machine's, so it lies where git does not look.
    (draft / ".lazyapp").mkdir()
    (draft / ".lazyapp" / "python").write_text(f"{sys.executable}\n", encoding="utf-8")


def _rename(draft: Path, name: str) -> None:
    """Put the name wherever the example says its own in full, as a string of its own."""
    found = CONFIG_NAME.search((draft / "init" / "app.py").read_text(encoding="utf-8"))
    if found is None:
        raise ConfigurationError("The example application in this lazyapp has lost its Config(name=…); install lazyapp anew.")
    for file in (path for path in draft.rglob("*") if path.suffix in NAMED):
        text = file.read_text(encoding="utf-8")
        file.write_text(text.replace(found[1], f'"{name}"'), encoding="utf-8")


def _example(package: str) -> Path:
    """A package of the example application: in a wheel it lies here, in a checkout at the top of the repository."""
    for place in (HERE, HERE.parent.parent):
        if (place / package / "__init__.py").is_file() and (place / "init" / "app.py").is_file():
            return place / package
    raise ConfigurationError("This lazyapp was installed without its example application; install it anew from its wheel.")
