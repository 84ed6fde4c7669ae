"""Where a request path leads."""

from pathlib import Path
from urllib.parse import unquote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lazyapp.public import PublicFiles
from lazyapp.public_path import locate, names, state_of
from tests.lazyapp.corpus_paths import NEVER
from tests.lazyapp.public_site import public_folder

# Words of a path, so that Hypothesis finds its way in and out of folders more often than by letters alone.
PIECES = st.sampled_from(
    [
        "..",
        ".",
        "",
        "css",
        "deep",
        "app.css",
        "page.css",
        "out",
        "secret.txt",
        "link.txt",
        ".env",
        ".git",
        "public",
        "..;",
        "~",
        "a b.txt",
    ]
)
SLASHES = st.sampled_from(["/", "//", "\\", "/./", "%2f", "\0", "/../"])


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return public_folder(tmp_path)


@pytest.mark.parametrize("hashed", [True, False], ids=["production", "development"])
def test_nothing_of_the_corpus_is_found(root: Path, hashed: bool) -> None:
    """CWE-22: no file outside the root, by no spelling, decoded once or twice."""
    files = PublicFiles(root, hashed=hashed)
    found = [path for path in NEVER for decoded in (path, unquote(path), unquote(unquote(path))) if files.find(decoded)]
    assert found == []
    assert files.find("/app.css") is not None


@pytest.mark.parametrize("path", ["/\udcff", "/app.css\udc00", "", "app.css", "/", "/a\ud800/b", "/" + "é" * 300])
def test_what_is_no_path_leads_nowhere(root: Path, path: str) -> None:
    """Lone surrogates cannot be encoded for the file system, and a name of more than 255 bytes cannot be looked up."""
    assert locate(root, path) is None


@given(st.lists(st.tuples(SLASHES, PIECES), max_size=8))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150)
def test_whatever_is_found_lies_inside_the_root_and_shows_nothing_hidden(root: Path, parts: list[tuple[str, str]]) -> None:
    """CWE-22; docs/public-files.md, "What is never served"."""
    found = locate(root, "".join(slash + piece for slash, piece in parts))
    if found is not None:
        assert found.is_relative_to(root)
        assert "SECRET" not in found.read_text()


@given(st.text(max_size=30))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_text_is_answered(root: Path, text: str) -> None:
    """RFC 3986, section 2.1: any text may come percent-encoded; none is an error of ours."""
    found = locate(root, f"/{text}")
    assert found is None or found.is_relative_to(root)


def test_names_are_the_paths_of_what_is_there(root: Path) -> None:
    """Sorted, so that every process reads a folder alike."""
    found = list(names(root))
    assert found == sorted(found)
    assert "/css/deep/page.css" in found


def test_a_file_that_is_gone_has_no_state(root: Path) -> None:
    """What is compared before a file is streamed."""
    stat = (root / "app.css").stat()
    assert state_of(root / "app.css") == (stat.st_mtime_ns, 6)
    (root / "app.css").unlink()
    assert state_of(root / "app.css") is None
