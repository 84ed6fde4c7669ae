"""The file of users as text."""

import json

import pytest

from lazyauth import UsersFileError
from lazyauth.user_lines import Entry, read, stamp_of, write

HASH = "$argon2id$v=19$m=8,t=1,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
GOLAZY = "pbkdf2-sha256$120000$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"


def a_line(**members):
    return json.dumps({"id": "ada", "password_hash": HASH, **members})


@pytest.fixture
def path(tmp_path):
    return tmp_path / "users.jsonl"


def test_a_file_of_golazy_is_read_as_it_is(path):
    """The ancestor's file: id, password_hash, data; blank lines and remarks passed over; the later of two lines counts."""
    path.write_text(f"# people\n\n{a_line()}\n  # more\n{a_line(password_hash=GOLAZY, data={'email': 'ada@example.com'})}")
    assert read(path) == {"ada": Entry("ada", GOLAZY, {"email": "ada@example.com"})}


@pytest.mark.parametrize(
    "line",
    [
        "ada",
        "[]",
        "{}",
        '{"id": "ada"}',
        "[" * 100_000,
        a_line(id=" "),
        a_line(id=7),
        a_line(password_hash="secret"),
        a_line(data=[]),
        a_line(disabled="yes"),
        a_line(signed_out_at=True),
        a_line(signed_out_at=float("nan")),
        a_line(signed_out_at=float("inf")),
        a_line(signed_out_at=-1),
        a_line(signed_out_at=10**400),
        a_line(password="secret"),
    ],
    ids=range(16),
)
def test_whatever_else_a_line_says_is_named_by_path_and_number(path, line):
    path.write_text(f"{a_line(id='bob')}\n{line}\n")
    with pytest.raises(UsersFileError) as caught:
        read(path)
    assert str(caught.value).startswith(f"{path}:2: ")
    assert "secret" not in str(caught.value)


def test_bytes_that_are_no_text_are_told(path):
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(UsersFileError, match="it is not UTF-8"):
        read(path)


def test_writing_one_user_leaves_every_other_line_as_it_was(path):
    path.write_text(f"# people\n{a_line(id='bob')}\n{a_line()}\n\n{a_line(disabled=True)}\n# end")
    path.chmod(0o640)
    write(path, "ada", Entry("ada", HASH, {"n": 1}))
    lines = path.read_text().split("\n")
    assert lines[:3] == ["# people", a_line(id="bob"), ""]
    assert json.loads(lines[3]) == {"id": "ada", "password_hash": HASH, "data": {"n": 1}, "disabled": False, "signed_out_at": 0.0}
    assert lines[4:] == ["# end", ""]
    assert path.stat().st_mode & 0o777 == 0o640
    write(path, "ada", None)
    write(path, "eve", Entry("eve", HASH))
    assert list(read(path)) == ["bob", "eve"]
    write(path, "bob", None)
    write(path, "eve", None)
    assert path.read_text() == "# people\n\n# end\n"


def test_a_link_stays_a_link(path, tmp_path):
    real = tmp_path / "real.jsonl"
    real.write_text("")
    path.symlink_to(real)
    write(path, "ada", Entry("ada", HASH))
    assert path.is_symlink()
    assert list(read(real)) == ["ada"]


def test_two_who_write_at_once_do_not_lose_each_others_change(path):
    (path.parent / "users.jsonl.new").touch()
    with pytest.raises(UsersFileError, match=r"users\.jsonl\.new is there"):
        write(path, "ada", Entry("ada", HASH))
    assert not path.exists()


def test_a_folder_that_is_not_there_is_told(tmp_path):
    with pytest.raises(UsersFileError, match="cannot be made"):
        write(tmp_path / "none" / "users.jsonl", "ada", Entry("ada", HASH))


def test_a_stamp_changes_with_the_file(path):
    assert stamp_of(path) is None
    write(path, "ada", Entry("ada", HASH))
    first = stamp_of(path)
    write(path, "ada", Entry("ada", HASH))
    assert first != stamp_of(path), "another file has its place"
