"""Files that an action gives away."""

from pathlib import Path
from typing import Any

import pytest
from fastapi import Response
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lazyapp.accept import AS_GET
from lazyapp.controller import Controller
from lazyapp.downloads import disposition, file_answer, within
from lazyapp.routes import Routes
from tests.lazyapp.site import Site


class FilesController(Controller):
    async def one(self, name: str, inline: bool = False) -> Response:
        return self.send_file(name, root=self.settings.root / "files", inline=inline)

    async def trusted(self) -> Response:
        return self.send_file(self.settings.root / "files" / "a.txt", filename="Rechnung für Ada.pdf")

    async def made(self) -> Response:
        return self.send_data("a,b\n", "list.csv")

    async def picture(self) -> Response:
        return self.send_data(b"<svg/>", "x.bin", media_type="image/svg+xml", inline=True)


def draw(routes: Routes) -> None:
    routes.get("/files/{name:path}", FilesController.one, name="file")
    for action in ("trusted", "made", "picture"):
        routes.get(f"/{action}", getattr(FilesController, action))


@pytest.fixture
def site(tmp_path: Path) -> Site:
    files = {"files/a.txt": "hello world", "files/sub/b.html": "<p>", "files/.hidden": "no", "secret.txt": "secret"}
    site = Site(tmp_path, draw, files)
    (tmp_path / "files" / "link.txt").symlink_to(tmp_path / "secret.txt")
    (tmp_path / "files" / "veil.txt").symlink_to(tmp_path / "files" / ".hidden")
    return site


def test_a_file_is_saved_under_its_name(site: Site) -> None:
    """RFC 6266, 4.2."""
    answer = site.client().get("/files/a.txt")
    assert (answer.text, answer.headers["content-type"]) == ("hello world", "text/plain; charset=utf-8")
    assert answer.headers["content-disposition"] == 'attachment; filename="a.txt"'
    assert site.client().get("/files/sub/b.html?inline=true").headers["content-disposition"] == 'inline; filename="b.html"'


def test_a_name_beyond_ascii_is_sent_for_every_client(site: Site) -> None:
    """RFC 6266, appendix D."""
    answer = site.client().get("/trusted")
    assert answer.headers["content-disposition"] == (
        "attachment; filename=\"Rechnung f_r Ada.pdf\"; filename*=UTF-8''Rechnung%20f%C3%BCr%20Ada.pdf"
    )
    assert answer.headers["content-type"] == "application/pdf"


def test_a_part_of_a_file_is_sent_to_who_asks_for_it(site: Site) -> None:
    """RFC 9110, 14.2 and 15.5.17."""
    client = site.client()
    part = client.get("/files/a.txt", headers={"range": "bytes=6-"})
    assert (part.status_code, part.text, part.headers["content-range"]) == (206, "world", "bytes 6-10/11")
    assert client.get("/files/a.txt", headers={"range": "bytes=50-"}).status_code == 416


def test_a_head_tells_the_length_and_reads_nothing(site: Site) -> None:
    """RFC 9110, 9.3.2."""
    answer = site.client().head("/files/a.txt")
    assert (answer.status_code, answer.headers["content-length"], answer.content) == (200, "11", b"")


async def test_a_head_that_is_handed_on_as_a_get_opens_no_file(tmp_path: Path) -> None:
    """RFC 9110, 9.3.2: a large file would be read for nobody."""
    (tmp_path / "a.txt").write_text("hello")
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> dict[str, Any]:
        return {"type": "http.disconnect"}

    answer = file_answer("a.txt", root=tmp_path, filename=None, inline=False)
    await answer({"type": "http", "method": "GET", AS_GET: True, "headers": []}, receive, send)
    assert [message.get("body") for message in sent] == [None, b""]


@pytest.mark.parametrize(
    "path",
    [
        *(
            "nothing.txt",
            "sub",
            "",
            "..%2Fsecret.txt",
            "%2e%2e/secret.txt",
            "sub/..%2F..%2Fsecret.txt",
            "link.txt",
            ".hidden",
            "veil.txt",
        ),
        *("%00", "a.txt%00.png", "x" * 5000, "..%5Csecret.txt", "%2Fetc%2Fpasswd", "sub%2F.%2Fb.html"),
    ],
)
def test_what_is_outside_hidden_or_no_file_is_not_there(site: Site, path: str) -> None:
    """CWE-22: path traversal."""
    answer = site.client().get(f"/files/{path}")
    assert answer.status_code == 404


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(st.sampled_from(["..", ".", "/", "\\", "sub", "b.html", "link.txt", "\0", "a.txt", "%2e", "\udcff"]), max_size=8))
def test_whatever_is_asked_for_lies_below_the_root(site: Site, parts: list[str]) -> None:
    """CWE-22, by every combination of what has led outside elsewhere."""
    root = site.folder / "files"
    found = within(root, "".join(parts))
    assert found is None or found.is_relative_to(root)


def test_what_was_made_in_memory_is_sent_as_a_file(site: Site) -> None:
    """Its type is told by its name, unless it is given."""
    answer = site.client().get("/made")
    assert (answer.text, answer.headers["content-type"]) == ("a,b\n", "text/csv; charset=utf-8")
    assert answer.headers["content-disposition"] == 'attachment; filename="list.csv"'
    picture = site.client().get("/picture")
    assert (picture.headers["content-type"], picture.headers["content-disposition"]) == (
        "image/svg+xml",
        'inline; filename="x.bin"',
    )


@pytest.mark.parametrize(
    ("name", "header"),
    [
        ("a b.txt", 'attachment; filename="a b.txt"'),
        ("/etc/pass\\wd", 'attachment; filename="wd"'),
        ('x"\r\nset-cookie: a=b', "attachment; filename=\"x___set-cookie: a=b\"; filename*=UTF-8''x%22%0D%0Aset-cookie%3A%20a%3Db"),
        ("100%.txt", "attachment; filename=\"100_.txt\"; filename*=UTF-8''100%25.txt"),
        ("\udcff", "attachment; filename=\"_\"; filename*=UTF-8''%3F"),
    ],
)
def test_a_name_cannot_break_out_of_its_header(name: str, header: str) -> None:
    """RFC 6266, 4.3; CWE-113."""
    assert disposition(name, inline=False) == header


@given(st.text())
def test_every_name_makes_a_header_that_can_be_sent(name: str) -> None:
    """RFC 9110, 5.5."""
    sent: Any = disposition(name, inline=True).encode("ascii")
    assert b"\r" not in sent
    assert b"\n" not in sent
