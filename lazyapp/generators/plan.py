"""What a generator wants written, and the writing of it: all or nothing, and never over a file that is there."""

import difflib
import io
import os
import secrets
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from lazyapp.errors import ConfigurationError


@dataclass(slots=True)
class Plan:
    """Files to make and to change below a root. Only generators fill it.

    Attributes:
        created: the text of each new file, by its path relative to the root.
        changed: the text before and after of each file that is there.
        by_hand: what could not be written with certainty: the file, why, and the lines to add to it.
        next: what to type or to open next, a line each.
    """

    root: Path
    created: dict[Path, str] = field(default_factory=dict)
    changed: dict[Path, tuple[str, str]] = field(default_factory=dict)
    by_hand: list[tuple[Path, str, str]] = field(default_factory=list)
    next: list[str] = field(default_factory=list)

    def create(self, path: Path, text: str) -> None:
        """Make a file.

        Raises:
            ConfigurationError: it is there already.
        """
        if os.path.lexists(self.root / path) or path in self.created:
            raise ConfigurationError(f"{path} exists and is left as it is, and nothing was written; choose another name.")
        self.created[path] = text

    def provide(self, path: Path, text: str) -> None:
        """Make a file that several generators need, unless it is there."""
        if not os.path.lexists(self.root / path):
            self.created.setdefault(path, text)

    def read(self, path: Path) -> str:
        """A file as it will be, to change it.

        Raises:
            ConfigurationError: it is not there, or no text.
        """
        if path in self.created:
            return self.created[path]
        if path in self.changed:
            return self.changed[path][1]
        try:
            # newline="": a file that ends its lines otherwise keeps its ends.
            with (self.root / path).open(encoding="utf-8", newline="") as file:
                return file.read()
        except FileNotFoundError:
            raise ConfigurationError(f"There is no {path}.") from None
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigurationError(f"{path} cannot be read: {error}.") from None

    def change(self, path: Path, text: str) -> None:
        """Give a file that is there, or will be, another text."""
        before = self.read(path)
        if path in self.created:
            self.created[path] = text
        elif text != before:
            self.changed[path] = (self.changed[path][0] if path in self.changed else before, text)

    def patch(self) -> str:
        """All of it as a unified diff, which `git apply` reads."""
        texts: list[tuple[Path, str | None, str]] = [(path, None, text) for path, text in self.created.items()]
        texts += [(path, before, after) for path, (before, after) in self.changed.items()]
        return "".join(line for path, before, after in texts for line in _diff(path, before, after))


def carry_out(plan: Plan) -> None:
    """Write what is planned.

    Everything is written beside its place first, then moved there, and so is what stood there before: when something fails on the
    way, whatever was moved is taken back by renaming alone, which needs no room on the disk.

    Raises:
        ConfigurationError: a file has appeared or changed meanwhile, or cannot be written. Nothing of the plan is left.
    """
    undo: list[tuple[Path, Path | None]] = []
    made: list[Path] = []
    drafts: list[Path] = []
    path = Path()
    try:
        texts = [*plan.created.items(), *((path, after) for path, (_, after) in plan.changed.items())]
        for path, text in texts:
            _check_inside(plan.root, path)
            _make_folder(plan.root / path.parent, made)
            drafts.append(_draft(plan.root / path, text))
        for (path, _), draft in zip(texts, list(drafts), strict=True):
            if path in plan.created:
                _place(plan.root / path, draft, path)
                undo.append((plan.root / path, None))
            else:
                target = (plan.root / path).resolve()
                drafts.append(kept := _keep(target))
                _exchange(target, draft, path, plan.changed[path][0])
                undo.append((target, kept))
    except BaseException as error:
        _take_back(undo, made, drafts)
        if isinstance(error, OSError):
            raise ConfigurationError(f"{path} cannot be written: {error.strerror or error}; nothing was written.") from error
        raise
    for draft in drafts:
        draft.unlink(missing_ok=True)


def _check_inside(root: Path, path: Path) -> None:
    # A link inside the application may lead out of it, where nobody asked for anything.
    if not (root / path).parent.resolve().is_relative_to(root.resolve()):
        raise ConfigurationError(f"{path} leads out of {root}; nothing was written.")


def _make_folder(folder: Path, made: list[Path]) -> None:
    missing = [place for place in (folder, *folder.parents) if not place.exists()]
    for place in reversed(missing):
        place.mkdir()
        made.append(place)


def _beside(target: Path) -> Path:
    return target.with_name(f".{target.name}.{secrets.token_hex(4)}")


def _draft(target: Path, text: str) -> Path:
    draft = _beside(target)
    try:
        with draft.open("x", encoding="utf-8", newline="") as file:
            file.write(text)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    return draft


def _place(target: Path, draft: Path, path: Path) -> None:
    try:
        # A link is refused where something stands; a rename would replace it.
        target.hardlink_to(draft)
    except FileExistsError:
        raise ConfigurationError(f"{path} exists and is left as it is, and nothing was written; choose another name.") from None


def _keep(target: Path) -> Path:
    kept = _beside(target)
    kept.hardlink_to(target)
    return kept


def _exchange(target: Path, draft: Path, path: Path, before: str) -> None:
    with target.open(encoding="utf-8", newline="") as file:
        if file.read() != before:
            raise ConfigurationError(f"{path} has changed meanwhile; nothing was written. Run it again.")
    draft.chmod(target.stat().st_mode)
    draft.replace(target)


def _take_back(undo: list[tuple[Path, Path | None]], made: list[Path], drafts: list[Path]) -> None:
    for target, kept in undo:
        with suppress(OSError):
            if kept is None:
                target.unlink()
            else:
                kept.replace(target)
    for draft in drafts:
        draft.unlink(missing_ok=True)
    for folder in reversed(made):
        with suppress(OSError):
            folder.rmdir()


def _diff(path: Path, before: str | None, after: str) -> Iterator[str]:
    # Only a line feed ends a line of a patch; splitlines() would also break one at a form feed.
    old, new = list(io.StringIO(before or "")), list(io.StringIO(after))
    names = "/dev/null" if before is None else f"a/{path.as_posix()}", f"b/{path.as_posix()}"
    for line in difflib.unified_diff(old, new, *names):
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
