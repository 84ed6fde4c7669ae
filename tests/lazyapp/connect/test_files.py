"""lazyapp/connect/files.py: writing a file that somebody else reads."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from lazyapp.connect.files import read, write
from lazyapp.errors import LazyappError


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def test_what_stood_there_is_beside_it_and_permissions_stay(tmp_path: Path) -> None:
    """docs/commands.md, "Connect"; each writing keeps a backup of its own."""
    path = tmp_path / "settings.json"
    path.write_bytes(b"\xef\xbb\xbfone\r\n")
    path.chmod(0o640)
    assert write(path, "two\r\n", read(path)) == tmp_path / "settings.json.bak"
    assert write(path, "three", read(path)) == tmp_path / "settings.json.bak1"
    assert path.read_bytes() == b"three"
    assert (tmp_path / "settings.json.bak").read_bytes() == b"\xef\xbb\xbfone\r\n"
    assert (tmp_path / "settings.json.bak1").read_bytes() == b"two\r\n"
    assert {mode_of(file) for file in tmp_path.iterdir()} == {0o640}


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    """People keep such files in a repository of their own and link to them."""
    (tmp_path / "dotfiles").mkdir()
    target = tmp_path / "dotfiles" / "mcp.json"
    target.write_text("one")
    link = tmp_path / "mcp.json"
    link.symlink_to(target)
    assert write(link, "two", read(link)) == tmp_path / "dotfiles" / "mcp.json.bak"
    assert link.is_symlink()
    assert target.read_text() == "two"


@pytest.mark.parametrize(("private", "mode"), [(True, 0o600), (False, 0o644)])
def test_a_new_file_has_its_folders_made_and_no_backup(tmp_path: Path, private: bool, mode: int) -> None:
    path = tmp_path / ".cursor" / "mcp.json"
    assert read(path) is None
    assert write(path, "new", None, private=private) is None
    assert (path.read_text(), mode_of(path)) == ("new", mode)
    assert list(path.parent.iterdir()) == [path]


def test_a_read_only_file_is_left_as_it_is(tmp_path: Path) -> None:
    """docs/commands.md, "Connect": whoever made it read-only meant it."""
    path = tmp_path / "mcp.json"
    path.write_text("one")
    path.chmod(0o444)
    with pytest.raises(LazyappError, match="is read-only, so nothing was written"):
        write(path, "two", read(path))
    assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [("mcp.json", "one")]


def test_a_file_that_changed_meanwhile_is_left_as_it_is(tmp_path: Path) -> None:
    """The client may write its file at the same moment, and Claude Code does so often."""
    path = tmp_path / "mcp.json"
    path.write_text("one")
    before = read(path)
    path.write_text("one and a half")
    with pytest.raises(LazyappError, match="has changed meanwhile"):
        write(path, "two", before)
    assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [("mcp.json", "one and a half")]


def test_a_file_that_appeared_meanwhile_is_left_as_it_is(tmp_path: Path) -> None:
    """link(2), EEXIST: a link never replaces what stands there, which rename(2) does."""
    path = tmp_path / "mcp.json"
    before = read(path)
    path.write_text("theirs")
    with pytest.raises(LazyappError, match="has changed meanwhile, so nothing was written; try again"):
        write(path, "ours", before)
    assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [("mcp.json", "theirs")]


def test_a_backup_takes_no_name_that_a_broken_link_has(tmp_path: Path) -> None:
    """Somebody's backup may lie on a disk that is not there today."""
    path = tmp_path / "mcp.json"
    path.write_text("one")
    (tmp_path / "mcp.json.bak").symlink_to(tmp_path / "away")
    assert write(path, "two", "one") == tmp_path / "mcp.json.bak1"
    assert (tmp_path / "mcp.json.bak").is_symlink()


def test_what_is_no_regular_file_is_not_waited_for(tmp_path: Path) -> None:
    """fifo(7): opening a pipe for reading waits for somebody who writes; null(4): /dev/zero has no end."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "zero").symlink_to("/dev/zero")
    code = "import sys, pathlib; from lazyapp.connect.files import read; read(pathlib.Path(sys.argv[1]))"
    for name in ("pipe", "zero"):
        # A process of its own, for what hangs cannot be failed, and with a bound on what it may take.
        limited = ["-c", f"import resource; resource.setrlimit(resource.RLIMIT_AS, (2**31, 2**31)); {code}", str(tmp_path / name)]
        ended = subprocess.run([sys.executable, *limited], capture_output=True, text=True, timeout=30, check=False)
        assert f"{name} is no regular file, so nothing was written." in ended.stderr


def test_what_cannot_be_read_or_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(LazyappError, match="cannot be read: Is a directory"):
        read(tmp_path / "folder")
    (tmp_path / "latin").write_bytes(b"\xe9")
    with pytest.raises(LazyappError, match="is no UTF-8"):
        read(tmp_path / "latin")
    with (tmp_path / "large").open("wb") as file:
        os.truncate(file.fileno(), 17 * 1024 * 1024)
    with pytest.raises(LazyappError, match="too large"):
        read(tmp_path / "large")
    (tmp_path / "file").touch()
    with pytest.raises(LazyappError, match="cannot be written"):
        write(tmp_path / "file" / "mcp.json", "x", None)
