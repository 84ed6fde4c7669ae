"""How a file is sent."""

import asyncio
import gzip
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient

from lazyapp.public import PublicFiles
from lazyapp.public_file import MAX_IN_MEMORY_BYTES, PublicFile
from tests.lazyapp.public_site import public_folder, served

TEXT = b"0123456789" * 500
LARGE = os.urandom(MAX_IN_MEMORY_BYTES + 100_000)
DATE = "Sun, 09 Sep 2001 01:46:40 GMT"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = public_folder(tmp_path)
    for name, content in {"digits.txt": TEXT, "large.bin": LARGE, "empty.txt": b"", "digits.txt.br": b"brotli"}.items():
        (folder / name).write_bytes(content)
        os.utime(folder / name, (1_000_000_000, 1_000_000_000))
    return folder


@pytest.fixture
def client(root: Path) -> TestClient:
    return served(PublicFiles(root, hashed=True))


@pytest.fixture(params=["/digits.txt", "/large.bin"], ids=["memory", "disk"])
def path(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def whole(path: str) -> bytes:
    return TEXT if path == "/digits.txt" else LARGE


def test_a_client_that_has_the_file_is_told_so(client: TestClient, path: str) -> None:
    """RFC 9110, 13.1.2, 8.8.3.2 and 15.4.5."""
    etag = client.get(path).headers["etag"]
    for sent in (etag, f"W/{etag}", f'"other", {etag}', f'"other",W/{etag}', "*", " * "):
        answer = client.get(path, headers={"if-none-match": sent})
        assert (answer.status_code, answer.content) == (304, b"")
        assert answer.headers["etag"] == etag
        assert answer.headers["cache-control"] == "public, max-age=0, must-revalidate"
        assert "content-length" not in answer.headers
        assert "content-type" not in answer.headers
    for sent in ('"other"', "", "other", etag.strip('"'), "W/", '"'):
        assert client.get(path, headers={"if-none-match": sent}).status_code == 200


def test_a_client_that_knows_the_date_only_is_told_so_too(client: TestClient, path: str) -> None:
    """RFC 9110, 13.1.3: an entity tag, when there is one, decides alone; what is no date counts as not sent."""
    assert client.get(path).headers["last-modified"] == DATE
    for sent, status in {
        DATE: 304,
        "Sun, 09 Sep 2001 01:46:41 GMT": 304,
        "Sunday, 09-Sep-01 01:46:40 GMT": 304,
        "Sun Sep  9 01:46:40 2001": 304,
        "Sun, 09 Sep 2001 01:46:39 GMT": 200,
        "yesterday": 200,
        "": 200,
        "Sun, 09 Sep 99999999999999 01:46:40 GMT": 200,
        "Sun, 99 Sep 2001 01:46:40 GMT": 200,
        "Sun, 09 Sep 2001 01:46:40 +9999999999": 200,
    }.items():
        assert client.get(path, headers={"if-modified-since": sent}).status_code == status, sent
    assert client.get(path, headers={"if-modified-since": DATE, "if-none-match": '"other"'}).status_code == 200


def test_a_client_that_wants_what_it_had_before_is_refused_what_changed(client: TestClient, path: str) -> None:
    """RFC 9110, 13.1.1 and 13.1.4: strongly compared, and before anything else."""
    etag = client.get(path).headers["etag"]
    for sent, status in {etag: 200, f'"other", {etag}': 200, "*": 200, f"W/{etag}": 412, '"other"': 412, "": 412}.items():
        assert client.get(path, headers={"if-match": sent}).status_code == status, sent
    for sent, status in {DATE: 200, "Sun, 09 Sep 2001 01:46:39 GMT": 412, "yesterday": 200}.items():
        assert client.get(path, headers={"if-unmodified-since": sent}).status_code == status, sent
    assert client.get(path, headers={"if-match": '"other"', "range": "bytes=0-1"}).status_code == 412


@pytest.mark.parametrize(("sent", "start", "end"), [("0-0", 0, 1), ("10-19", 10, 20), ("4000-", 4000, None), ("-7", -7, None)])
def test_a_part_is_sent_of_memory_and_disk_alike(client: TestClient, path: str, sent: str, start: int, end: int | None) -> None:
    """RFC 9110, 14.2, 14.4 and 15.3.7."""
    content = whole(path)
    answer = client.get(path, headers={"range": f"bytes={sent}"})
    assert (answer.status_code, answer.content) == (206, content[start:end])
    first = start % len(content)
    assert answer.headers["content-range"] == f"bytes {first}-{first + len(answer.content) - 1}/{len(content)}"
    assert answer.headers["content-length"] == str(len(answer.content))
    assert answer.headers["etag"] == client.get(path).headers["etag"]


def test_parts_put_together_are_the_file(client: TestClient, path: str) -> None:
    """What an interrupted download does."""
    content, etag = whole(path), client.get(path).headers["etag"]
    got = client.get(path, headers={"range": "bytes=0-3333"}).content
    rest = client.get(path, headers={"range": f"bytes={len(got)}-", "if-range": etag})
    assert rest.status_code == 206
    assert got + rest.content == content


@pytest.mark.parametrize("validator", ['"other"', "W/{etag}", "Sun, 09 Sep 2001 01:46:41 GMT", "", "*"])
def test_a_part_of_what_changed_is_the_whole(client: TestClient, path: str, validator: str) -> None:
    """RFC 9110, 13.1.5: compared strongly, and a date exactly."""
    sent = validator.format(etag=client.get(path).headers["etag"])
    answer = client.get(path, headers={"range": "bytes=0-9", "if-range": sent})
    assert (answer.status_code, answer.content) == (200, whole(path))
    assert client.get(path, headers={"range": "bytes=0-9", "if-range": DATE}).status_code == 206


def test_a_range_behind_the_end_is_told_the_length(client: TestClient, path: str) -> None:
    """RFC 9110, 15.5.17."""
    answer = client.get(path, headers={"range": "bytes=99999999-"})
    assert (answer.status_code, answer.content) == (416, b"")
    assert answer.headers["content-range"] == f"bytes */{len(whole(path))}"
    assert client.get("/empty.txt", headers={"range": "bytes=0-"}).headers["content-range"] == "bytes */0"


def test_head_has_the_headers_of_get_and_no_part(client: TestClient, path: str) -> None:
    """RFC 9110, 9.3.2 and 14.2: a range is of a GET."""
    answer = client.head(path, headers={"range": "bytes=0-9"})
    assert (answer.status_code, answer.content) == (200, b"")
    assert answer.headers == client.get(path).headers
    assert answer.headers["accept-ranges"] == "bytes"


@pytest.mark.parametrize(("accepted", "coding"), [("gzip, deflate, br", "br"), ("gzip", "gzip"), ("br;q=0, gzip", "gzip")])
def test_a_client_gets_the_form_it_takes_with_its_own_validator(client: TestClient, accepted: str, coding: str) -> None:
    """RFC 9110, 8.4, 8.8.3.3 and 12.5.5."""
    plain = client.get("/digits.txt")
    head = client.head("/digits.txt", headers={"accept-encoding": accepted})
    assert head.headers["content-encoding"] == coding
    assert head.headers["vary"] == plain.headers["vary"] == "accept-encoding"
    assert head.headers["content-type"] == plain.headers["content-type"]
    assert head.headers["etag"] != plain.headers["etag"]
    assert int(head.headers["content-length"]) < len(TEXT)
    again = {"accept-encoding": accepted, "if-none-match": head.headers["etag"]}
    assert client.get("/digits.txt", headers=again).status_code == 304
    assert client.get("/digits.txt", headers={"if-none-match": head.headers["etag"]}).status_code == 200


def test_what_was_compressed_is_the_file(client: TestClient) -> None:
    """The client unpacks it."""
    answer = client.get("/digits.txt", headers={"accept-encoding": "gzip"})
    assert (answer.headers["content-encoding"], answer.content) == ("gzip", TEXT)


@pytest.mark.parametrize("accepted", ["", "identity", "gzip;q=0", "*;q=0", "identity;q=0, zstd"])
def test_a_client_that_takes_no_form_gets_the_file_itself(client: TestClient, accepted: str) -> None:
    """RFC 9110, 12.5.3 and 12.4.1."""
    answer = client.get("/digits.txt", headers={"accept-encoding": accepted})
    assert (answer.status_code, answer.content) == (200, TEXT)
    assert "content-encoding" not in answer.headers


def test_a_range_is_of_the_file_itself(client: TestClient) -> None:
    """RFC 9110, 14.2: of the selected representation, which for a request with a range is the one without a coding."""
    form = client.head("/digits.txt", headers={"accept-encoding": "gzip"})
    asked = {"accept-encoding": "gzip", "range": "bytes=10-19"}
    answer = client.get("/digits.txt", headers=asked)
    assert (answer.status_code, answer.content) == (206, TEXT[10:20])
    assert "content-encoding" not in answer.headers
    resumed = client.get("/digits.txt", headers={**asked, "if-range": form.headers["etag"]})
    assert (resumed.status_code, resumed.headers["content-encoding"]) == (200, "gzip")
    several = client.get("/digits.txt", headers={**asked, "range": "bytes=0-1,5-9"})
    assert (several.status_code, several.headers["content-encoding"], several.content) == (200, "gzip", TEXT)


def test_a_form_that_was_replaced_on_disk_is_not_sent(root: Path) -> None:
    """RFC 9110, 8.8.1: its validator was made of other bytes."""
    beside = root / "large.bin.gz"
    beside.write_bytes(gzip.compress(LARGE, 1))
    client = served(PublicFiles(root, hashed=True))
    assert client.get("/large.bin", headers={"accept-encoding": "gzip"}).headers["content-encoding"] == "gzip"
    beside.write_bytes(b"half an uplo")
    answer = client.get("/large.bin", headers={"accept-encoding": "gzip"})
    assert answer.content == LARGE
    assert "content-encoding" not in answer.headers


def ranges() -> st.SearchStrategy[str]:
    number = st.integers(0, 6000).map(str) | st.sampled_from(["", "0", "-", "99999999999999999999999"])
    one = st.tuples(number, number).map("-".join)
    return st.lists(one, max_size=3).map(lambda each: "bytes=" + ",".join(each)) | st.text(st.characters(codec="ascii"), max_size=9)


def conditions() -> st.SearchStrategy[dict[str, str]]:
    tags = st.sampled_from(["*", '"x"', 'W/"x"', "", '"', "{etag}", "W/{etag}", DATE, "Mon, 01 Jan 0001 00:00:00 +0000", "\xff"])
    names = ["if-match", "if-none-match", "if-modified-since", "if-unmodified-since", "if-range"]
    accepted = st.sampled_from(["", "gzip", "br", "*", "identity;q=0", "gzip;q=0", "br;q=0.1, gzip;q=0.2", ";;,,=", "\xff"])
    return st.fixed_dictionaries({}, optional=dict.fromkeys(names, tags) | {"accept-encoding": accepted, "range": ranges()})


@given(st.sampled_from(["GET", "HEAD"]), st.sampled_from(["/digits.txt", "/empty.txt", "/large.bin"]), conditions())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=150)
def test_whatever_is_asked_the_answer_is_the_file_or_a_part_of_it(root: Path, method: str, path: str, sent: dict[str, str]) -> None:
    """RFC 9110, 15: whatever codings and ranges are asked for, no 500."""
    files = known(root)
    file = files.find(path)
    assert file is not None
    headers = [(name.encode(), value.replace("{etag}", file.etag.decode()).encode("latin-1")) for name, value in sent.items()]
    status, given_headers, body = asyncio.run(exchange(files, file, method, headers))
    content = (root / path[1:]).read_bytes()
    assert status in (200, 206, 304, 412, 416)
    if status in (200, 206) and method == "GET":
        assert given_headers[b"content-length"] == str(len(body)).encode()
    if status == 206:
        span = given_headers[b"content-range"].decode().removeprefix("bytes ").partition("/")
        first, last = map(int, span[0].split("-"))
        assert (body, span[2]) == (content[first : last + 1], str(len(content)))
    elif status == 200 and method == "GET":
        coding = given_headers.get(b"content-encoding")
        assert {None: lambda: body, b"gzip": lambda: gzip.decompress(body), b"br": lambda: content}[coding]() == content
    else:
        assert body == b""


_known: dict[Path, PublicFiles] = {}


def known(root: Path) -> PublicFiles:
    if root not in _known:
        _known[root] = PublicFiles(root, hashed=True)
    return _known[root]


async def exchange(
    files: PublicFiles, file: PublicFile, method: str, headers: list[tuple[bytes, bytes]]
) -> tuple[int, dict[bytes, bytes], bytes]:
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    await files.send(file, {"type": "http", "method": method, "path": "/", "headers": headers}, asyncio.Event().wait, send)  # type: ignore[arg-type]
    assert sent[0]["type"] == "http.response.start"
    assert not sent[-1].get("more_body")
    return sent[0]["status"], dict(sent[0]["headers"]), b"".join(message["body"] for message in sent[1:])


async def test_a_file_that_vanishes_before_it_is_opened_is_not_found(root: Path) -> None:
    """No 500 for a deployment that is under way."""
    files = PublicFiles(root, hashed=True)
    file = files.find("/large.bin")
    assert file is not None
    (root / "large.bin").unlink()
    assert (await exchange(files, file, "GET", []))[0] == 404


async def test_a_file_is_not_read_on_for_a_client_that_has_left(root: Path) -> None:
    """Asking for a large file and hanging up, again and again, would make the disk work for nobody."""
    files = PublicFiles(root, hashed=True)
    file = files.find("/large.bin")
    assert file is not None
    sent: list[bytes] = []
    has_left = asyncio.Event()

    async def receive() -> Any:
        await has_left.wait()
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        sent.append(message.get("body", b""))
        has_left.set()
        await asyncio.sleep(0)
        await asyncio.sleep(0)

    await files.send(file, {"type": "http", "method": "GET", "path": "/", "headers": []}, receive, send)
    assert sum(map(len, sent)) < len(LARGE)


async def test_what_became_shorter_while_it_was_sent_ends_the_connection(root: Path) -> None:
    """RFC 9112, 8: a length was announced, so that the client must see that it has less."""
    files = PublicFiles(root, hashed=True)
    file = files.find("/large.bin")
    assert file is not None

    async def send(message: Any) -> None:
        os.truncate(root / "large.bin", 10)

    with pytest.raises(OSError, match="changed while it was sent"):
        await files.send(
            file,
            {"type": "http", "method": "GET", "path": "/", "headers": []},
            asyncio.Event().wait,
            send,  # type: ignore[arg-type]
        )


async def test_a_file_that_is_replaced_while_it_is_sent_is_sent_as_it_was(root: Path) -> None:
    """docs/public-files.md: a deployment moves the new file into the place of the old; each answer is of one of them."""
    files = PublicFiles(root, hashed=True)
    file = files.find("/large.bin")
    assert file is not None
    body = b""

    async def send(message: Any) -> None:
        nonlocal body
        body += message.get("body", b"")
        (root / "new.bin").write_bytes(b"n" * len(LARGE))
        (root / "new.bin").replace(root / "large.bin")

    scope = {"type": "http", "method": "GET", "path": "/", "headers": []}
    await files.send(file, scope, asyncio.Event().wait, send)  # type: ignore[arg-type]
    assert body == LARGE


async def test_a_file_that_is_written_over_while_it_is_sent_ends_the_connection(root: Path) -> None:
    """RFC 9110, section 8.8.1: the validator is of the old bytes, so none of the new may follow them."""
    os.utime(root / "large.bin", (1_000_000_000, 1_000_000_000))
    files = PublicFiles(root, hashed=True)
    file = files.find("/large.bin")
    assert file is not None
    body = b""

    async def send(message: Any) -> None:
        nonlocal body
        body += message.get("body", b"")
        if body:
            (root / "large.bin").write_bytes(b"n" * len(LARGE))

    scope = {"type": "http", "method": "GET", "path": "/", "headers": []}
    with pytest.raises(OSError, match="changed while it was sent"):
        await files.send(file, scope, asyncio.Event().wait, send)  # type: ignore[arg-type]
    assert 0 < len(body) < len(LARGE)
    assert LARGE.startswith(body)


async def test_a_file_that_was_replaced_before_it_is_opened_is_asked_for_again(root: Path) -> None:
    """RFC 9110, section 8.8.1: length and validator, known already, would be those of the old."""
    files = PublicFiles(root, hashed=True)
    file = files.find("/large.bin")
    assert file is not None
    (root / "large.bin").write_bytes(b"another")
    status, headers, body = await exchange(files, file, "GET", [])
    assert (status, headers[b"retry-after"], body) == (503, b"1", b"")
