"""Whatever strangers send, through the whole application: no 500, no hang, nothing from outside the public folder.

The parts have tests of their own; here nothing is left out between the wire and the answer.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import lazyapp
from tests.lazyapp.corpus_paths import ABSOLUTE, HIDDEN, NEVER, SECOND_SPELLINGS, TRAVERSALS
from tests.lazyapp.hostile_app import Answer, ask, hostile_app, running

FORM = b"application/x-www-form-urlencoded"
MULTIPART = b"multipart/form-data; boundary=x"
OURS = (b"sec-fetch-site", b"same-origin")
PATIENT = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=80)


@pytest.fixture(params=["production", "development"])
async def app(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[lazyapp.App]:
    async with running(hostile_app(tmp_path, request.param)) as app:
        yield app


def is_harmless(answer: Answer) -> bool:
    return answer.status < 500 and b"SECRET" not in answer.body and b"root:" not in answer.body


async def test_no_path_of_the_corpus_leads_out(app: lazyapp.App) -> None:
    """CWE-22: no file outside the root; no 500 either."""
    for path in NEVER:
        answer = await ask(app, "GET", path)
        assert is_harmless(answer), path
        assert answer.status in (200, 404), path
        assert answer.status == 404 or path.startswith("/notes"), path
    assert (await ask(app, "GET", "/app.css")).status == 200


async def test_a_file_takes_no_other_method(app: lazyapp.App) -> None:
    """RFC 9110, 15.5.6."""
    for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "BREW", "get"):
        answer = await ask(app, method, "/app.css", [OURS])
        assert (answer.status, answer.headers[b"allow"]) == (405, b"GET, HEAD"), method


def part(name: bytes, value: bytes, filename: bytes | None = None) -> bytes:
    file = b'; filename="' + filename + b'"' if filename is not None else b""
    return b'--x\r\nContent-Disposition: form-data; name="' + name + b'"' + file + b"\r\n\r\n" + value + b"\r\n"


END = b"--x--\r\n"
GOOD = part(b"text", b"a") + part(b"file", b"b", b"a.txt") + END
# The last is what a client is told that takes only JSON of a page that was made for people.
READ, REFUSED, TOO_LARGE = (200, 303, 406), (400, 422), (413,)
BROKEN_FORMS = [
    ("/notes", FORM, b"text=a&" * 1001, REFUSED),
    ("/notes", FORM, b"&" * 1_000_000, TOO_LARGE),
    ("/notes", FORM, b";" * 1_000_000, TOO_LARGE),
    ("/notes", b"Application/X-WWW-Form-URLencoded ; charset=x", b"&" * 1_000_000, TOO_LARGE),
    ("/notes", FORM, b"=" * 100_000, REFUSED),
    ("/notes", FORM, b"text=" + b"a" * 2_000_000, REFUSED),
    ("/notes", FORM, b"%" * 10_000, REFUSED),
    ("/notes", FORM, b"\xff\xfe=\0", REFUSED),
    ("/notes", FORM, b"text=a&text=b&text=c", READ),
    ("/notes", FORM, b"text=a&" + b"tags=x&" * 900, READ),
    ("/notes", FORM, b"text[a]" + b"[b]" * 10_000 + b"=1", REFUSED),
    ("/notes", FORM, b"", REFUSED),
    ("/notes", MULTIPART, part(b"text", b"a" * 100_000, b"a.txt") + END, REFUSED),
    ("/notes", MULTIPART, part(b"text", b"a") + part(b"text", b"b") + END, READ),
    ("/upload", MULTIPART, GOOD, READ),
    ("/upload", MULTIPART, part(b"text", b"a") * 1001 + END, REFUSED),
    ("/upload", MULTIPART, part(b"file", b"a", b"a.txt") * 1001 + END, REFUSED),
    ("/upload", MULTIPART, part(b"text", b"a" * 1_100_000) + END, REFUSED),
    ("/upload", MULTIPART, part(b"text", b"a"), REFUSED),
    ("/upload", MULTIPART, b"--x\r\n" + b"A: b\r\n" * 100_000, REFUSED),
    ("/upload", MULTIPART, b"--x\r\n\r\n\r\n" + END, REFUSED),
    ("/upload", MULTIPART, b"\r\n" * 10_000 + b"--", REFUSED),
    ("/upload", MULTIPART, part(b"n" * 100_000, b"a") + END, REFUSED),
    ("/upload", MULTIPART, part(b"text", b"a") + part(b"file", b"b", b"../../etc/passwd\0") + END, READ),
    ("/upload", b"multipart/form-data", GOOD, REFUSED),
    ("/upload", b"multipart/form-data; boundary=", GOOD, REFUSED),
    ("/upload", b"multipart/form-data; boundary=" + b"x" * 1000, GOOD, REFUSED),
    ("/upload", MULTIPART + b"; charset=undefined", GOOD, REFUSED),
    ("/upload", MULTIPART + b"; charset=utf-16", GOOD, REFUSED),
    ("/upload", MULTIPART + b"; charset=\xff", GOOD, READ),
    ("/upload", MULTIPART + b"; charset=hex", GOOD, READ),
    ("/upload", FORM, GOOD, REFUSED),
    ("/note", b"application/json", b"[" * 100_000, REFUSED),
    ("/note", b"application/json", b'{"text":' * 100_000, REFUSED),
    ("/note", b"application/json", b"\xff", REFUSED),
    ("/note", b"application/json", b'{"text":"a","stars":' + b"9" * 100_000 + b"}", REFUSED),
    ("/note", b"application/json", b'{"text":NaN,"stars":1e999}', REFUSED),
    ("/note", b"\xff; ;;=", b"x", REFUSED),
]


async def test_a_broken_form_is_refused_in_a_sentence(app: lazyapp.App) -> None:
    """RFC 9110, 15.5; no hang: too many fields or files, too large a part, what is torn, very deep, of another charset."""
    for path, kind, body, statuses in BROKEN_FORMS:
        answer = await ask(app, "POST", path, [OURS, (b"content-type", kind), (b"accept", b"application/json, text/html")], body)
        assert is_harmless(answer), (kind, body[:50])
        assert answer.status in statuses, (kind, body[:50], answer)
        assert statuses == READ or b'"detail": "' in answer.body


async def test_any_host_and_any_cookie_is_answered(app: lazyapp.App) -> None:
    """RFC 9112, 3.2; RFC 6265, 5.4."""
    for host in (
        b"",
        b"evil.test",
        b"localhost:99999999",
        b"[::1",
        b"[fe80::1%25eth0]",
        b"a" * 5000,
        b"\xff",
        b"localhost\0",
        b"@localhost",
    ):
        assert (await ask(app, "GET", "/notes", host=host)).status in (200, 400, 421), host
    assert (await ask(app, "GET", "/notes", [(b"host", b"evil.test")])).status == 400
    for cookie in (b"lazyapp=" + b"A" * 100_000, b"lazyapp=.eJ.x.y", b"lazyapp=\xff", b";" * 10_000, b"lazyapp=;" * 10_000, b"="):
        answer = await ask(app, "GET", "/notes", [(b"cookie", cookie)])
        assert (answer.status, b"set-cookie" in answer.headers) == (200, True), cookie[:20]


@pytest.fixture
def started(tmp_path: Path) -> Iterator["Started"]:
    """The application on a loop of its own, between its start and its end; Hypothesis calls no coroutines."""
    with asyncio.Runner() as runner:
        run = running(hostile_app(tmp_path, "production"))
        yield runner.run(run.__aenter__()), runner
        runner.run(run.__aexit__(None, None, None))


Started = tuple[lazyapp.App, asyncio.Runner]
WORDS = st.sampled_from(
    [*"./%;:?#&=+~\\", "..", "%2e", "%2f", "%5c", "%00", "app.css", "notes", "secret.txt", ".env", "out", "a b", "\u00e9"]
)
HEADERS = st.sampled_from(
    [
        (b"range", b"bytes=0-1"),
        (b"range", b"bytes=9999-"),
        (b"range", b"bytes=-1,5-"),
        (b"if-none-match", b'*, "'),
        (b"if-range", b"\xff"),
        (b"accept-encoding", b"gzip;q=,br;;"),
        (b"accept", b"\xff/*;q=x"),
        (b"content-type", b"multipart/form-data; boundary=\xff"),
        (b"content-type", FORM),
        (b"content-length", b"-1"),
        (b"content-length", b"\xb2"),
        (b"cookie", b"lazyapp=\x80"),
        (b"origin", b"null"),
        (b"sec-fetch-site", b"same-origin"),
        (b"authorization", b"Bearer \xff"),
        (b"x-forwarded-for", b"[::"),
    ]
)


@given(
    st.sampled_from(["GET", "HEAD", "POST", "PUT", "OPTIONS", "\u00c4"]),
    st.lists(WORDS, max_size=8),
    st.lists(HEADERS, max_size=4),
    st.binary(max_size=50) | st.sampled_from([GOOD, b"text=a", b"{}"]),
)
@PATIENT
def test_whatever_is_sent_is_answered(started: Started, method: str, path: list[str], headers: Any, body: bytes) -> None:
    """RFC 9110, section 15.6: no 500. CWE-22: no file outside the root."""
    app, runner = started
    answer = runner.run(ask(app, method, "/" + "".join(path), headers, body))
    assert is_harmless(answer), answer


SOME = (*TRAVERSALS[::40], *ABSOLUTE, *HIDDEN, *SECOND_SPELLINGS)
RAW = [
    *(b"GET " + path.encode() + b" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n" for path in SOME),
    b"GET /..\xff/secret.txt HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
    b"GET http://localhost/../secret.txt HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
    b"GET http://evil.test/app.css HTTP/1.1\r\nHost: evil.test\r\nConnection: close\r\n\r\n",
    b"GET secret.txt HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
    b"GET /app.css HTTP/1.1\r\nConnection: close\r\n\r\n",
    b"GET /app.css HTTP/1.0\r\nHost: localhost\r\n\r\n",
    b"GET /app.css HTTP/1.1\r\nHost: localhost\r\nRange: bytes=9-\r\nConnection: close\r\n\r\n",
    b"POST /app.css HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
    b"POST /notes HTTP/1.1\r\nHost: localhost\r\nContent-Type: " + FORM + b"\r\nContent-Length: 3\r\nConnection: close\r\n\r\n&&&",
]


@pytest.mark.parametrize("implementation", ["httptools", "h11"])
async def test_the_same_holds_on_the_wire(tmp_path: Path, implementation: Any) -> None:
    """RFC 9112, section 3.2: paths as they are sent, before a server has decoded anything."""
    app = hostile_app(tmp_path, "production")
    server = uvicorn.Server(uvicorn.Config(app, port=0, http=implementation, log_config=None, access_log=False))
    serving = asyncio.create_task(server.serve())
    while not server.started:  # uvicorn has no event for it
        await asyncio.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        for request in RAW:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(request)
            async with asyncio.timeout(20):
                answer = await reader.read()
            writer.close()
            head = answer.partition(b"\r\n")[0].split(b" ")
            assert int(head[1]) < 500, request[:200]
            assert b"SECRET" not in answer, request[:200]
            assert b"root:" not in answer, request[:200]
    finally:
        server.should_exit = True
        await serving
