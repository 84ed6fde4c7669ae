"""Public files."""

import base64
import hashlib
import os
from pathlib import Path

import pytest

from lazyapp.public import PublicFiles, UnknownAsset
from lazyapp.public_file import MAX_IN_MEMORY_BYTES
from tests.lazyapp.public_site import public_folder, served


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return public_folder(tmp_path)


@pytest.fixture(params=[True, False], ids=["production", "development"])
def files(request: pytest.FixtureRequest, root: Path) -> PublicFiles:
    return PublicFiles(root, hashed=request.param, headers=[(b"x-content-type-options", b"nosniff")])


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("/app.css", "body{}"),
        ("/css/deep/page.css", "p{}"),
        ("/robots", "no ending"),
        ("/a%20b.txt", "space"),
        ("/inner.css", "body{}"),
    ],
)
def test_a_file_is_served_at_the_root(files: PublicFiles, path: str, text: str) -> None:
    """Design, section 3."""
    answer = served(files).get(path)
    assert (answer.status_code, answer.text) == (200, text)
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["content-length"] == str(len(text))


def test_in_production_the_asset_path_changes_with_the_content(root: Path) -> None:
    """Design, section 3: content-hashed names, immutable caching."""
    files = PublicFiles(root, hashed=True)
    path = files.asset_path("app.css")
    assert path.startswith("/app-")
    assert path.endswith(".css")
    answer = served(files).get(path)
    assert (answer.text, answer.headers["cache-control"]) == ("body{}", "public, max-age=31536000, immutable")
    assert served(files).get("/app.css").headers["cache-control"] == "public, max-age=0, must-revalidate"
    (root / "app.css").write_text("body{color:red}")
    assert PublicFiles(root, hashed=True).asset_path("/app.css") != path
    assert files.asset_path("robots").startswith("/robots-")


def test_in_development_the_asset_path_is_plain_and_a_change_is_seen(root: Path) -> None:
    """Design, section 3: unhashed in development."""
    files = PublicFiles(root, hashed=False)
    client = served(files)
    assert files.asset_path("app.css") == "/app.css"
    before = client.get("/app.css")
    (root / "app.css").write_text("body{color:red}")
    after = client.get("/app.css")
    assert (before.text, after.text) == ("body{}", "body{color:red}")
    assert before.headers["etag"] != after.headers["etag"]


def test_an_unknown_asset_is_named_with_what_was_meant(files: PublicFiles) -> None:
    """Issue 2, bad input."""
    with pytest.raises(UnknownAsset, match=r"asset_path\('ap.css'\).*did you mean app.css"):
        files.asset_path("ap.css")
    with pytest.raises(UnknownAsset, match="without public="):
        PublicFiles(None, hashed=True).asset_path("app.css")


def test_a_large_file_is_read_as_it_is_sent(files: PublicFiles, root: Path) -> None:
    """Only small files are kept in memory."""
    data = os.urandom(MAX_IN_MEMORY_BYTES + 1)
    (root / "large.bin").write_bytes(data)
    again = PublicFiles(root, hashed=files._hashed)
    assert again.find("/large.bin").body is None  # type: ignore[union-attr]
    answer = served(again).get("/large.bin")
    assert answer.content == data
    assert answer.headers["content-type"] == "application/octet-stream"


def test_a_files_text_is_given_for_error_pages(files: PublicFiles) -> None:
    """Design, section 3: public/<status>.html."""
    assert files.text("app.css") == "body{}"
    assert files.text("404.html") is None
    assert PublicFiles(None, hashed=False).find("/app.css") is None


def held(files: PublicFiles) -> list[bytes]:
    """Every body in memory, once for each place that refers to it."""
    return [file.body for file in files._files.values() if file.body is not None]


def test_a_body_is_held_once_under_both_names_and_for_equal_files(root: Path) -> None:
    """Memory is that of the folder, not twice that."""
    bodies = [body for body in held(PublicFiles(root, hashed=True)) if body == b"body{}"]
    assert len(bodies) == 4, "app.css and inner.css, each by two names"
    assert len({id(body) for body in bodies}) == 1


def test_what_is_held_has_a_bound_and_the_rest_is_streamed_alike(root: Path) -> None:
    """A folder of any size may be served: names, validators and caching are the same, wherever the bytes come from."""
    (root / "z.css").write_text("z" * 100)
    bounded, whole = (PublicFiles(root, hashed=True, max_held_bytes=bound) for bound in (20, 1000))
    assert sum(len(body) for body in set(held(bounded))) <= 20
    assert len(held(whole)) == len(whole._files)
    assert bounded.asset_path("z.css") == whole.asset_path("z.css")
    for path in ("/z.css", whole.asset_path("z.css")):
        streamed, sent = served(bounded).get(path), served(whole).get(path)
        assert streamed.content == sent.content == b"z" * 100
        assert dict(sent.headers).items() <= dict(streamed.headers).items()
        again = served(bounded).get(path, headers={"if-none-match": streamed.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")
        assert served(bounded).head(path).headers["content-length"] == "100"


def test_a_streamed_file_that_was_replaced_is_not_sent_under_the_old_validator(root: Path) -> None:
    """RFC 9110, 8.8.1: one validator, one content; the hashed name, kept for a year by whoever asks, is gone with its content."""
    (root / "z.css").write_text("z" * 100)
    files = PublicFiles(root, hashed=True, max_held_bytes=20)
    hashed, before = files.asset_path("z.css"), served(files).get("/z.css")
    (root / "z.css").write_text("y" * 90)
    after = served(files).get("/z.css")
    assert (after.content, after.headers["content-length"]) == (b"y" * 90, "90")
    assert after.headers["etag"] != before.headers["etag"]
    assert files.find(hashed) is None
    (root / "z.css").unlink()
    assert files.find("/z.css") is None


def test_in_development_no_body_is_held(root: Path) -> None:
    """Nor is a large file hashed for each request."""
    (root / "large.bin").write_bytes(b"x" * (MAX_IN_MEMORY_BYTES + 1))
    files = PublicFiles(root, hashed=False)
    first, large = files.find("/app.css"), files.find("/large.bin")
    assert files.find("/app.css") is not first
    assert files.find("/large.bin") is large


def test_a_page_can_say_what_a_file_must_be(files: PublicFiles, root: Path) -> None:
    """W3C Subresource Integrity, 3.1: the digest of what is sent."""
    digest = base64.b64encode(hashlib.sha384(served(files).get("/app.css").content).digest()).decode()
    assert files.integrity("app.css") == files.integrity("/app.css") == f"sha384-{digest}"
    with pytest.raises(UnknownAsset, match=r"integrity\('app.cs'\).*did you mean app.css"):
        files.integrity("app.cs")


def test_the_integrity_of_a_large_file_is_that_of_what_lies_on_disk(root: Path) -> None:
    """Memory is not what decides it."""
    (root / "large.js").write_bytes(b"x" * (MAX_IN_MEMORY_BYTES + 1))
    both = {PublicFiles(root, hashed=hashed).integrity("large.js") for hashed in (True, False)}
    assert both == {f"sha384-{base64.b64encode(hashlib.sha384(b'x' * (MAX_IN_MEMORY_BYTES + 1)).digest()).decode()}"}


def test_the_integrity_changes_with_the_file_in_development(root: Path) -> None:
    """What was remembered is found by content."""
    files = PublicFiles(root, hashed=False)
    before = files.integrity("app.css")
    (root / "app.css").write_text("body{color:red}")
    assert files.integrity("app.css") != before


def test_an_asset_path_is_an_address(root: Path) -> None:
    """RFC 3986, 2.4: `%`, `?` and `#` in a name would mean something else in an address."""
    (root / "50% off?#1.txt").write_text("percent")
    for hashed in (True, False):
        files = PublicFiles(root, hashed=hashed)
        path = files.asset_path("50% off?#1.txt")
        assert path.startswith("/50%25%20off%3F%231")
        assert served(files).get(path).text == "percent"


def test_what_may_not_be_read_is_not_served(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No 500 for a file's mode; who runs as root cannot be refused, so opening it is what fails here."""
    real = Path.open

    def refusing(self: Path, *given: object, **options: object) -> object:
        if self.name == "app.css":
            raise PermissionError(13, "Permission denied")
        return real(self, *given, **options)  # type: ignore[call-overload]

    monkeypatch.setattr(Path, "open", refusing)
    assert PublicFiles(root, hashed=False).find("/app.css") is None
    production = PublicFiles(root, hashed=True)
    assert production.find("/app.css") is None
    assert production.find("/robots") is not None
