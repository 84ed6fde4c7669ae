"""One file, prepared."""

import gzip
import logging
import os
import time
from pathlib import Path

import pytest

from lazyapp.public_file import MAX_IN_MEMORY_BYTES, compressed, read_encoded, read_file

TEXT = b"body{color:red}" * 200


@pytest.fixture
def css(tmp_path: Path) -> Path:
    path = tmp_path / "app.css"
    path.write_bytes(TEXT)
    return path


def test_a_file_says_when_it_changed_but_never_a_time_to_come(css: Path) -> None:
    """RFC 9110, 8.8.2.1."""
    os.utime(css, (0, 1_000_000_000))
    assert read_file(css).modified == b"Sun, 09 Sep 2001 01:46:40 GMT"
    os.utime(css, (0, time.time() + 10**6))
    assert b"20" in read_file(css).modified
    assert read_file(css).modified != read_file(css).modified.replace(b"GMT", b"+0000")
    os.utime(css, (0, -1))
    assert read_file(css).modified == b"Wed, 31 Dec 1969 23:59:59 GMT"


def test_a_large_file_has_a_validator_and_no_body(tmp_path: Path) -> None:
    """What is read as it is sent."""
    path = tmp_path / "large.bin"
    path.write_bytes(b"x" * (MAX_IN_MEMORY_BYTES + 1))
    file = read_file(path)
    assert (file.body, file.size) == (None, MAX_IN_MEMORY_BYTES + 1)
    assert file.read_whole() == path.read_bytes()


def test_a_compressed_form_is_the_file_with_its_own_validator(css: Path) -> None:
    """RFC 9110, 8.8.3.3: a strong validator is of one form only."""
    file = read_file(css, [(b"x-content-type-options", b"nosniff")])
    form = compressed(file)
    assert form is not None
    assert gzip.decompress(form.body or b"") == TEXT
    headers = dict(form.headers)
    assert headers[b"content-encoding"] == b"gzip"
    assert headers[b"content-length"] == str(form.size).encode()
    assert headers[b"content-type"] == b"text/css; charset=utf-8"
    assert headers[b"x-content-type-options"] == b"nosniff"
    assert headers[b"etag"] == form.etag != file.etag
    assert b"accept-ranges" not in headers


def test_every_process_makes_the_same_compressed_form(css: Path) -> None:
    """Design, section 3: no request needs the process that served the one before."""
    first, second = compressed(read_file(css)), compressed(read_file(css))
    assert first is not None
    assert second is not None
    assert first.etag == second.etag


def test_what_gets_no_smaller_is_not_compressed(tmp_path: Path) -> None:
    """Bytes that look like noise."""
    (tmp_path / "noise.txt").write_bytes(os.urandom(5000))
    assert compressed(read_file(tmp_path / "noise.txt")) is None


@pytest.mark.parametrize(
    "content",
    [gzip.compress(b"something else", mtime=0), b"no gzip", b"", gzip.compress(b"\0" * 10**7, mtime=0)],
    ids=["another", "no gzip", "empty", "a bomb"],
)
def test_a_forgotten_gzip_is_not_used_and_is_named(css: Path, content: bytes, caplog: pytest.LogCaptureFixture) -> None:
    """RFC 9110, 8.4: a content coding is lossless, so what comes out is what went in."""
    beside = css.with_name("app.css.gz")
    beside.write_bytes(content)
    with caplog.at_level(logging.WARNING):
        assert read_encoded(read_file(css), beside, "gzip") is None
    assert "app.css.gz does not hold what app.css does" in caplog.text


def test_a_form_that_cannot_be_read_is_not_used(css: Path, caplog: pytest.LogCaptureFixture) -> None:
    """No start fails for it."""
    assert read_encoded(read_file(css), css.with_name("gone.br"), "br") is None
    assert "is not used: No such file" in caplog.text


def test_a_brotli_form_is_sent_as_what_it_is(css: Path) -> None:
    """RFC 7932; nothing here can read it."""
    beside = css.with_name("app.css.br")
    beside.write_bytes(b"brotli")
    form = read_encoded(read_file(css), beside, "br")
    assert form is not None
    assert dict(form.headers)[b"content-encoding"] == b"br"
    assert dict(form.headers)[b"content-type"] == b"text/css; charset=utf-8"
