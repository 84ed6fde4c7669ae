"""Public files."""

import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

from lazyapp.public import MAX_IN_MEMORY_BYTES, PublicFiles, UnknownAsset, content_type


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "public"
    (folder / "css" / "deep").mkdir(parents=True)
    (folder / "app.css").write_text("body{}")
    (folder / "css" / "deep" / "page.css").write_text("p{}")
    (folder / "robots").write_text("no ending")
    (folder / "a b.txt").write_text("space")
    (folder / ".env").write_text("SECRET=1")
    (folder / ".git").mkdir()
    (folder / ".git" / "config").write_text("hidden")
    (tmp_path / "secret.txt").write_text("outside")
    (folder / "link.txt").symlink_to(tmp_path / "secret.txt")
    (folder / "inner.css").symlink_to(folder / "app.css")
    (folder / "shown.txt").symlink_to(folder / ".env")
    (folder / "loop.txt").symlink_to(folder / "loop.txt")
    (folder / "out").symlink_to(tmp_path)
    return folder


@pytest.fixture(params=[True, False], ids=["production", "development"])
def files(request: pytest.FixtureRequest, root: Path) -> PublicFiles:
    return PublicFiles(root, hashed=request.param, headers=[(b"x-content-type-options", b"nosniff")])


def served(files: PublicFiles) -> TestClient:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        file = files.find(scope["path"])
        if file is None:
            await send({"type": "http.response.start", "status": 404, "headers": []})
            await send({"type": "http.response.body", "body": b""})
        else:
            await files.send(file, scope, receive, send)

    return TestClient(app)


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


NEVER = [
    "/",
    "",
    "/css",
    "/css/",
    "/app.css/",
    "//app.css",
    "/css//deep/page.css",
    "/./app.css",
    "/css/../app.css",
    "/../secret.txt",
    "/css/../../secret.txt",
    "/..%2fsecret.txt",
    "/%2e%2e/secret.txt",
    "/%252e%252e/secret.txt",
    "/..\\secret.txt",
    "/css\\deep\\page.css",
    "/.env",
    "/.git/config",
    "/shown.txt",
    "/link.txt",
    "/out/secret.txt",
    "/loop.txt",
    "/app.css\0",
    "/\0",
    "/app.css\0.txt",
    "/" + "a" * 5000,
    "/etc/passwd",
    "//etc/passwd",
    "/\udcff",
    "app.css",
]


@pytest.mark.parametrize("path", NEVER)
def test_nothing_else_is_found(files: PublicFiles, path: str) -> None:
    """Design, section 3: nothing outside the root, by no spelling."""
    assert files.find(path) is None


@given(st.text(st.sampled_from("./\\%2eEfF\0~aAps-_ :"), max_size=30))
def test_whatever_is_found_lies_inside_the_root(text: str) -> None:
    """Issue 5: no file outside the root."""
    root = Path(__file__).parent
    found = PublicFiles(root, hashed=False).find(f"/{text}")
    assert found is None or found.path.is_relative_to(root)


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


def test_a_client_that_has_the_file_is_told_so(files: PublicFiles) -> None:
    """RFC 9110, 13.1.2 and 15.4.5."""
    client = served(files)
    etag = client.get("/app.css").headers["etag"]
    for sent in (etag, f"W/{etag}", f'"other", {etag}', "*"):
        answer = client.get("/app.css", headers={"if-none-match": sent})
        assert (answer.status_code, answer.content) == (304, b"")
        assert answer.headers["etag"] == etag
    assert client.get("/app.css", headers={"if-none-match": '"other"'}).status_code == 200


def test_head_has_the_headers_and_no_body(files: PublicFiles) -> None:
    """RFC 9110, 9.3.2."""
    answer = served(files).head("/app.css")
    assert (answer.status_code, answer.content, answer.headers["content-length"]) == (200, b"", "6")


def test_a_large_file_is_read_as_it_is_sent(files: PublicFiles, root: Path) -> None:
    """Only small files are kept in memory."""
    data = os.urandom(MAX_IN_MEMORY_BYTES + 1)
    (root / "large.bin").write_bytes(data)
    again = PublicFiles(root, hashed=files._hashed)
    assert again.find("/large.bin").body is None  # type: ignore[union-attr]
    answer = served(again).get("/large.bin")
    assert answer.content == data
    assert answer.headers["content-type"] == "application/octet-stream"


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("app.css", "text/css; charset=utf-8"),
        ("app.js", "text/javascript; charset=utf-8"),
        ("logo.SVG", "image/svg+xml"),
        ("page.html", "text/html; charset=utf-8"),
        ("font.woff2", "font/woff2"),
        ("site.webmanifest", "application/manifest+json"),
        ("unknown.zzz", "application/octet-stream"),
    ],
)
def test_types_are_the_same_on_every_machine(name: str, kind: str) -> None:
    """RFC 9110, 8.3."""
    assert content_type(name) == kind


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
