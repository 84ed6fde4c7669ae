"""The folder as production serves it."""

import gzip
import os
from pathlib import Path

import pytest

from lazyapp.public import PublicFiles
from lazyapp.public_file import MAX_IN_MEMORY_BYTES
from lazyapp.public_folder import MIN_COMPRESSED_BYTES, PublicFolder
from tests.lazyapp.public_site import public_folder, served

LONG = b"body{color:red}" * 200


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return public_folder(tmp_path)


def read(root: Path, left: int = 10**6) -> PublicFolder:
    folder = PublicFolder(root, (), left)
    folder.read_all()
    return folder


def test_text_is_compressed_once_and_small_or_compressed_things_are_not(root: Path) -> None:
    """Design, section 3: precompressed variants."""
    (root / "long.css").write_bytes(LONG)
    (root / "short.css").write_bytes(b"a" * MIN_COMPRESSED_BYTES)
    (root / "photo.webp").write_bytes(LONG)
    files = read(root).files
    assert list(files["/long.css"].encoded) == ["gzip"]
    assert not files["/short.css"].encoded
    assert not files["/photo.webp"].encoded
    assert (b"vary", b"accept-encoding") in files["/long.css"].headers
    assert b"vary" not in dict(files["/short.css"].headers)


def test_what_lies_beside_a_file_is_used_for_it_and_is_there_by_itself_too(root: Path) -> None:
    """Design, section 3."""
    (root / "long.css").write_bytes(LONG)
    (root / "long.css.br").write_bytes(b"brotli")
    (root / "long.css.gz").write_bytes(gzip.compress(LONG, 9, mtime=7))
    folder = read(root)
    for path in ("/long.css", folder.assets["/long.css"]):
        encoded = folder.files[path].encoded
        assert list(encoded) == ["br", "gzip"], "the best first"
        assert encoded["br"].body == b"brotli"
        assert encoded["gzip"].body == (root / "long.css.gz").read_bytes()
    assert folder.files["/long.css.br"].body == b"brotli"
    assert dict(encoded["br"].headers)[b"cache-control"] == b"public, max-age=31536000, immutable"


def test_a_hidden_or_outside_form_is_not_used(root: Path, tmp_path: Path) -> None:
    """Design, section 3: nothing outside the root."""
    (root / "photo.webp").write_bytes(LONG)
    (root / "photo.webp.br").symlink_to(tmp_path / "secret.txt")
    (root / "photo.webp.gz").symlink_to(root / ".env")
    assert not read(root).files["/photo.webp"].encoded


def test_compressed_forms_count_towards_what_is_held(root: Path) -> None:
    """What is held has a bound."""
    (root / "long.css").write_bytes(LONG)
    (root / "long.css.br").write_bytes(b"brotli" * 100)
    folder = read(root, left=len(LONG) + 100)
    bodies = {file.body for file in folder.files.values() if file.body}
    bodies |= {form.body for file in folder.files.values() for form in file.encoded.values() if form.body}
    assert sum(map(len, bodies)) <= len(LONG) + 100
    assert folder.files["/long.css"].encoded["br"].body is None, "read as it is sent"


def test_a_large_file_has_the_forms_that_lie_beside_it(root: Path) -> None:
    """Nothing is compressed that is not in memory."""
    (root / "large.js").write_bytes(b"x" * (MAX_IN_MEMORY_BYTES + 1))
    assert not read(root).files["/large.js"].encoded
    (root / "large.js.gz").write_bytes(gzip.compress(b"x" * (MAX_IN_MEMORY_BYTES + 1)))
    assert list(read(root).files["/large.js"].encoded) == ["gzip"]


def test_a_stylesheet_names_the_hashed_files_and_changes_with_them(root: Path) -> None:
    """Design, section 3: whatever a page loads may be cached for ever."""
    (root / "logo.svg").write_text("<svg/>")
    (root / "css" / "z.css").write_text("z{b:url(../logo.svg)}")
    (root / "css" / "a.css").write_text("@import 'z.css';")
    before = read(root)
    body = before.files["/css/a.css"].body or b""
    assert body.decode() == f"@import '{before.assets['/css/z.css']}';"
    (root / "logo.svg").write_text("<svg> </svg>")
    after = read(root)
    assert after.assets["/css/a.css"] != before.assets["/css/a.css"], "through two steps"
    client = served(PublicFiles(root, hashed=True))
    for path in ("/css/a.css", after.assets["/css/a.css"]):
        answer = client.get(path)
        assert answer.headers["content-length"] == str(len(answer.content))
        assert client.get(answer.text.split("'")[1]).status_code == 200


def test_a_compressed_form_of_what_was_rewritten_is_made_anew(root: Path) -> None:
    """What lies beside it holds the old names."""
    (root / "logo.svg").write_text("<svg/>")
    css = b"z{b:url(logo.svg)}" * 100
    (root / "z.css").write_bytes(css)
    (root / "z.css.gz").write_bytes(gzip.compress(css))
    (root / "z.css.br").write_bytes(b"brotli")
    file = read(root).files["/z.css"]
    assert list(file.encoded) == ["gzip"]
    assert gzip.decompress(file.encoded["gzip"].body or b"") == file.body != css


def test_stylesheets_that_import_each_other_are_read(root: Path) -> None:
    """A circle of `@import` is a mistake of whoever wrote it, and must not hang the start."""
    (root / "one.css").write_text("@import 'two.css';")
    (root / "two.css").write_text("@import 'one.css';")
    (root / "self.css").write_text("@import 'self.css';")
    files = read(root).files
    assert (files["/two.css"].body, files["/self.css"].body) == (b"@import 'one.css';", b"@import 'self.css';")


def test_a_stylesheet_without_room_is_streamed_as_it_is(root: Path) -> None:
    """Its validator is that of what is sent."""
    (root / "logo.svg").write_text("<svg/>")
    (root / "z.css").write_text("z{b:url(logo.svg)}")
    files = PublicFiles(root, hashed=True, max_held_bytes=0)
    answer = served(files).get(files.asset_path("z.css"))
    assert answer.text == "z{b:url(logo.svg)}"


def test_a_name_that_is_no_text_does_not_stop_the_start(root: Path) -> None:
    """File systems keep bytes; nobody can ask for it, and nothing fails."""
    Path(os.fsdecode(os.fsencode(root) + b"/\xff.css")).write_text("x")
    assert read(root).files["/app.css"].body == b"body{}"
