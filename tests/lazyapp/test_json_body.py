"""The JSON that a request brings."""

from pathlib import Path
from typing import Any

import pytest
from fastapi.responses import JSONResponse
from pydantic import BaseModel

import lazyapp
from tests.lazyapp.site import Site


class Note(BaseModel):
    text: str
    more: dict[str, str] = {}
    data: dict[str, Any] = {}


class NotesController(lazyapp.Controller):
    async def create(self, note: Note) -> Note | JSONResponse:
        return JSONResponse(note.data) if note.data else note


def answer(folder: Path, body: bytes, kind: str = "application/json") -> tuple[int, str]:
    client = Site(folder, lambda routes: routes.resources("notes", NotesController, only=["create"])).client()
    told = client.post("/notes", content=body, headers={"Content-Type": kind, "Accept": "application/json"})
    return told.status_code, told.text


@pytest.mark.parametrize("half", [b"\\ud800", b"\\uDFFF", b"a\\ude00\\ud83d"])
@pytest.mark.parametrize("where", [b'{"text":"%s"}', b'{"text":"a","more":{"%s":"b"}}', b'{"text":"a","unknown":["%s"]}'])
def test_half_a_surrogate_pair_is_no_text(tmp_path: Path, half: bytes, where: bytes) -> None:
    """RFC 8259, section 8.2: what software makes of it is unpredictable. Here it is malformed, as a broken bracket is."""
    assert answer(tmp_path, where % half)[0] == 422
    assert answer(tmp_path, where % half, "application/vnd.api+json")[0] == 422


@pytest.mark.parametrize(
    ("written", "meant"), [(b"\\ud83d\\ude00", "😀"), (b"\\\\ud800", "\\\\ud800"), (b"\\\\uD83D\\uD83D\\uDE00", "\\\\uD83D😀")]
)
def test_a_pair_and_an_escaped_backslash_are(tmp_path: Path, written: bytes, meant: str) -> None:
    """RFC 8259, section 7."""
    status, text = answer(tmp_path, b'{"text":"%s"}' % written)
    assert status == 200
    assert f'"text":"{meant}"' in text


@pytest.mark.parametrize(
    "body",
    [
        b'{"text":"\xed\xa0\x80"}',
        b'{"text":"\xff"}',
        '{"text":"a"}'.encode("utf-16"),
        '{"text":"a"}'.encode("utf-32-le"),
        b'{"text":"a","data":{"x":NaN}}',
        b'{"text":"a","data":{"x":-Infinity}}',
        b'{"text":"a","data":{"x":[1e999]}}',
        b'{"text":"a","data":{"x":' + b"[" * 100_000,
        b'{"text":"a","data":{"x":1' + b"0" * 5000 + b"}}",
    ],
)
def test_what_only_python_reads_is_malformed(tmp_path: Path, body: bytes) -> None:
    """RFC 8259, sections 6 and 8.1: no NaN, no infinity, UTF-8. The depth and the digits are Python's own limits."""
    assert answer(tmp_path, body)[0] in (400, 422)


def test_what_is_json_is_read(tmp_path: Path) -> None:
    """RFC 8259, section 8.1: a byte order mark may be ignored."""
    assert answer(tmp_path, b'\xef\xbb\xbf{"text":"\xc3\xa4","data":{"x":[1.5e3,-0.0,1e-999]}}') == (200, '{"x":[1500.0,-0.0,0.0]}')
