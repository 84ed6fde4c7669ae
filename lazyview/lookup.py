"""From a view's name to the file that holds it.

`accounts/index` in format `html` is `accounts/index.html.j2`; with variant `phone`, `accounts/index.html+phone.j2` is preferred.
The file is looked for in each root in turn, so an application's file hides the framework's of the same name.

State: in production the list of all files, read once at the first question, and the views found so far; in development none, every
question goes to the disk.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from lazyview.errors import ViewError, ViewNotFound

SUFFIX = ".j2"
_MAX_REMEMBERED = 4096

# Folders have no dots, so no name can climb out of its root; the whole of it must match, so no zero byte ends it early.
_NAME = re.compile(r"(?:[A-Za-z0-9_-]+/)*[A-Za-z0-9_-]+")
_WORD = re.compile(r"[A-Za-z0-9_-]+")
_FILE = re.compile(r"(?:[A-Za-z0-9_-]+/)*[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_+-]+)*\.j2")


class Lookup:
    """The roots, from the application's to the framework's."""

    def __init__(self, roots: Sequence[Path], *, reload: bool) -> None:
        self.roots = tuple(Path(root).absolute() for root in roots)
        for root in self.roots:
            if not root.is_dir():
                raise ViewError(f"the folder of views {shown(root)} does not exist")
        self._reload = reload
        self._files: dict[Path, frozenset[str]] | None = None
        self._found: dict[tuple[str, str, tuple[str, ...]], str] = {}

    def find(self, name: str, file_format: str, variants: Sequence[str] = ()) -> str:
        """The file of a view, relative to its root.

        Raises:
            ViewError: the name, format or a variant is not made of letters, digits, `_` and `-`.
            ViewNotFound: it is in no root.
        """
        asked = (name, file_format, tuple(variants))
        if (known := self._found.get(asked)) is not None:
            return known
        files = _candidates(name, file_format, variants)
        for root in self.roots:
            for file in files:
                if self._is_in(root, file):
                    # Bounded, for variants may be made of what a visitor sends.
                    if not self._reload and len(self._found) < _MAX_REMEMBERED:
                        self._found[asked] = file
                    return file
        raise ViewNotFound(f"{name}.{file_format}", self.paths(files))

    def has(self, name: str, file_format: str) -> bool:
        """Whether `find` would find it."""
        return any(self._is_in(root, file) for root in self.roots for file in _candidates(name, file_format, ()))

    def path(self, file: str) -> Path | None:
        """Where the template lies that another one names in `extends`, `include` or `import`; None if nowhere, or no such name."""
        if not _FILE.fullmatch(file):
            return None
        return next((root / file for root in self.roots if self._is_in(root, file)), None)

    def paths(self, files: Sequence[str]) -> list[str]:
        """Every path at which one of these would have been found, in the order of looking."""
        return [shown(root / file) for root in self.roots for file in files]

    def every(self) -> Iterator[tuple[str, Path]]:
        """All templates of all roots, hidden ones too: the name within the root, and the path."""
        for root in self.roots:
            for file in sorted(_templates(root)):
                yield file, root / file

    def name(self, path: str) -> str | None:
        """The template that lies at this path, or None if the path is no template's."""
        for root in self.roots:
            if path.endswith(SUFFIX) and Path(path).is_relative_to(root):
                return Path(path).relative_to(root).as_posix()
        return None

    def _is_in(self, root: Path, file: str) -> bool:
        if self._reload:
            return (root / file).is_file()
        if self._files is None:
            self._files = {root: frozenset(_templates(root)) for root in self.roots}
        return file in self._files[root]


def _templates(root: Path) -> Iterator[str]:
    return (path.relative_to(root).as_posix() for path in root.rglob(f"*{SUFFIX}") if path.is_file())


def split(file: str) -> tuple[str, str]:
    """The view's name and the format of a template: `accounts/index.html+phone.j2` is `accounts/index`, `html`."""
    name, _, rest = file.partition(".")
    return name, re.split(r"[.+]", rest, maxsplit=1)[0]


def shown(path: Path) -> str:
    """A path as people read it: relative to the working directory when it lies below."""
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)


def _candidates(name: str, file_format: str, variants: Sequence[str]) -> list[str]:
    """The file names of a view, the most particular first."""
    if not _NAME.fullmatch(name):
        raise ViewError(f"{name!r} cannot be a view's name; that is made of letters, digits, `_` and `-`, with `/` between folders")
    for word in (file_format, *variants):
        if not _WORD.fullmatch(word):
            raise ViewError(f"{word!r} cannot be a view's format or variant; that is made of letters, digits, `_` and `-`")
    return [*(f"{name}.{file_format}+{variant}{SUFFIX}" for variant in variants), f"{name}.{file_format}{SUFFIX}"]
