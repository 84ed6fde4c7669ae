"""The JSON that a request brings."""

from pathlib import Path

import pytest
from pydantic import BaseModel

import lazyapp
from tests.lazyapp.site import Site


class Note(BaseModel):
    text: str
    more: dict[str, str] = {}


class NotesController(lazyapp.Controller):
    async def create(self, note: Note) -> Note:
        return note


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
