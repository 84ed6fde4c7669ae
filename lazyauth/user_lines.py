"""The file of `FileUsers`: one JSON object a line, read as a whole and written as a whole.

    {"id": "ada", "password_hash": "$argon2id$…", "data": {"mcps": ["*"]}, "disabled": false, "signed_out_at": 0}

Blank lines and lines that begin with `#` are passed over; of two lines with one id the later counts, as in GoLazy.
"""

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from lazyauth import record_rules
from lazyauth.errors import AuthError, InvalidUser, UsersFileError
from lazyauth.passwords import check_importable

# Unix seconds, some three thousand years from now.
MAX_TIME = 1e11


class Stamp(NamedTuple):
    """What changes with a file's content, and its mode."""

    changed_ns: int
    size: int
    inode: int
    mode: int

    @property
    def is_open_to_others(self) -> bool:
        """Whether others than its owner may read or write it."""
        return bool(self.mode & 0o077)


@dataclass(frozen=True, slots=True)
class Entry:
    """One user, as a line tells of them."""

    id: str
    password_hash: str = field(repr=False)
    data: Mapping[str, Any] = field(default_factory=dict)
    disabled: bool = False
    signed_out_at: float = 0.0


Put = Callable[[str, Entry | None], None]


def stamp_of(path: Path) -> Stamp | None:
    """The stamp of the file; None when it is not there."""
    try:
        found = path.stat()
    except OSError:
        return None
    return Stamp(found.st_mtime_ns, found.st_size, found.st_ino, found.st_mode)


def read(path: Path) -> dict[str, Entry]:
    """Everybody in the file, by id.

    Raises:
        UsersFileError: the file or a line cannot be read; path and number are named.
    """
    entries = {}
    for number, line in enumerate(_lines(path), 1):
        if not _is_passed_over(line):
            try:
                entry = _parse(line)
            except AuthError as error:
                raise UsersFileError(f"{path}:{number}: {error}") from None
            entries[entry.id] = entry
    return entries


def write(path: Path, user_id: str, entry: Entry | None) -> None:
    """Put the file in place anew, see `alone`."""
    with alone(path) as put:
        put(user_id, entry)


@contextmanager
def alone(path: Path) -> Iterator[Put]:
    """Keep others from writing the file, so that what is read in here is still true when it is written.

    What it gives puts the file in place anew, once: this user's line changed, added or (None) taken out, every other left as it
    is. A reader sees the old file or the new one. A new file has mode 0600; one that was there keeps its mode and owner.

    Raises:
        UsersFileError: it cannot be written, or somebody else is writing it.
    """
    place = path.resolve()
    beside = place.with_name(f"{place.name}.new")
    is_put = False
    with _make(beside) as new:

        def put(user_id: str, entry: Entry | None) -> None:
            nonlocal is_put
            _fill(new, place, _changed(path, user_id, entry))
            beside.replace(place)
            is_put = True

        try:
            yield put
        except OSError as error:
            raise UsersFileError(f"{path} cannot be written: {error.strerror}") from None
        finally:
            # Once it is in place, a file of this name is another's.
            if not is_put:
                beside.unlink(missing_ok=True)


def _lines(path: Path) -> Sequence[str]:
    try:
        return path.read_text(encoding="utf-8").removesuffix("\n").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise UsersFileError(f"{path} cannot be read: {getattr(error, 'strerror', None) or 'it is not UTF-8'}") from None


def _is_passed_over(line: str) -> bool:
    return not line.strip() or line.lstrip().startswith("#")


def _parse(line: str) -> Entry:
    """The user of a line; what is wrong with it is said without its values, for among them is a hash."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        raise InvalidUser("this is no JSON object") from None
    if not isinstance(found, dict) or not isinstance(found.get("id"), str) or not isinstance(found.get("password_hash"), str):
        raise InvalidUser('a line is a JSON object with "id" and "password_hash"')
    if unknown := sorted(found.keys() - {"id", "password_hash", "data", "disabled", "signed_out_at"}):
        raise InvalidUser(f'{unknown[0]!r} is not known here; what is the application\'s own belongs into "data"')
    data, disabled, signed_out_at = found.get("data", {}), found.get("disabled", False), found.get("signed_out_at", 0)
    # Not NaN nor Infinity, which Python reads: before NaN is no login, so none would ever be over.
    is_time = type(signed_out_at) in (int, float) and 0 <= signed_out_at < MAX_TIME
    if not isinstance(data, dict) or not isinstance(disabled, bool) or not is_time:
        raise InvalidUser('"data" is an object, "disabled" true or false, "signed_out_at" a number')
    check_importable(found["password_hash"])
    return Entry(found["id"], found["password_hash"], record_rules.check(found["id"], data), disabled, float(signed_out_at))


def _changed(path: Path, user_id: str, entry: Entry | None) -> str:
    """The text of the file with another line for this user."""
    lines = [*_lines(path)] if path.exists() else []
    own = [number for number, line in enumerate(lines) if not _is_passed_over(line) and _parse(line).id == user_id]
    line = [] if entry is None else [json.dumps(asdict(entry))]
    place = own[-1] if own else len(lines)
    kept = [text for number, text in enumerate(lines[:place]) if number not in own]
    return "".join(f"{text}\n" for text in (*kept, *line, *lines[place + 1 :]))


def _make(beside: Path) -> TextIO:
    try:
        # Made by one process at a time: whoever finds it there does not write over what the other is about to put in place.
        handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise UsersFileError(f"{beside} is there: somebody is writing, or stopped while writing; then remove it") from None
    except OSError as error:
        raise UsersFileError(f"{beside} cannot be made: {error.strerror}") from None
    return os.fdopen(handle, "w", encoding="utf-8")


def _fill(new: TextIO, place: Path, text: str) -> None:
    new.write(text)
    new.flush()
    os.fsync(new.fileno())
    if place.exists():
        found = place.stat()
        os.fchmod(new.fileno(), found.st_mode & 0o777)
        if found.st_uid != os.geteuid():
            os.fchown(new.fileno(), found.st_uid, found.st_gid)
