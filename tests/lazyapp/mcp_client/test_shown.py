"""lazyapp/mcp_client/shown.py: results as a person reads them."""

import base64
from pathlib import Path
from typing import Any

import pytest

from lazyapp.errors import LazyappError
from lazyapp.mcp_client.shown import as_json, notes, of_contents, of_prompt, of_tool, readable, save

PNG = {"type": "image", "mimeType": "image/png", "data": base64.b64encode(b"png").decode()}


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def test_a_text_that_repeats_the_data_is_shown_once() -> None:
    """MCP 2026-07-28, server/tools, "Structured content": servers send both, for clients that read one of them."""
    assert of_tool({"content": [text('{"n": 1}')], "structuredContent": {"n": 1}}).texts == ["n  1"]
    assert of_tool({"content": [text("one")], "structuredContent": {"n": 1}}).texts == ["one", "n  1"]


@pytest.mark.parametrize(
    ("value", "lines"),
    [
        ({"a": 1, "long": "x"}, ["a     1", "long  x"]),
        ({"a": None, "b": True, "c": [1, "x"]}, ["a  null", "b  true", "c  1, x"]),
        ([{"a": 1}, {"a": 2, "b": "y"}], ["a  b", "1", "2  y"]),
        ({"n": 1, "rows": [{"a": 1}]}, ["n  1", "rows:", "  a", "  1"]),
        ({"deep": {"a": {"b": [1]}}}, ["deep:", "  a:", "    b  1"]),
        ([{"a": "x" * 70}], ["a", "x" * 59 + "…"]),
        ([1, 2], ["[", "  1,", "  2", "]"]),
        ([], ["[]"]),
        ({}, ["{}"]),
        ("plain", ["plain"]),
        (7, ["7"]),
    ],
)
def test_data_is_shown_in_columns(value: object, lines: list[str]) -> None:
    """docs/commands.md, "What is printed"."""
    assert readable(value).splitlines() == lines


def test_links_embedded_files_and_blocks_of_tomorrow_are_shown() -> None:
    """MCP 2026-07-28, server/tools, "Tool result"."""
    blocks = [
        {"type": "resource_link", "uri": "a://b", "name": "b", "description": "The b."},
        {"type": "resource", "resource": {"uri": "a://c", "text": "inside"}},
        {"type": "resource", "resource": {"uri": "a://d", "blob": base64.b64encode(b"x").decode()}},
        {"type": "smell", "intensity": 3},
    ]
    found = of_tool({"content": blocks})
    assert found.texts == ["a://b  b  The b.", "inside", '{\n  "type": "smell",\n  "intensity": 3\n}']
    assert found.blobs == [("", b"x")]


def test_a_prompt_says_who_speaks_where_it_is_not_the_user_alone() -> None:
    """docs/commands.md, "Ask for a prompt"."""
    assert of_prompt({"messages": [{"role": "user", "content": text("Hi")}]}).texts == ["Hi"]
    said = [{"role": "user", "content": text("Hi")}, {"role": "assistant", "content": PNG}]
    assert of_prompt({"messages": said}).texts == ["[user]\nHi", "[assistant]\nimage/png, 3 bytes"]


def test_half_a_surrogate_pair_is_written_with_a_blot() -> None:
    assert as_json({"a": "\ud800"}) == '{"a":"?"}'


def test_bytes_are_saved_in_a_file_or_in_a_folder(tmp_path: Path) -> None:
    """docs/commands.md, "Pictures, sounds and files"."""
    found = of_contents([{"uri": "a://b", "mimeType": "image/jpeg; q=1", "blob": base64.b64encode(b"jpg").decode()}])
    assert save(found.blobs, str(tmp_path / "new" / "a.jpg")) == [tmp_path / "new" / "a.jpg"]
    assert (tmp_path / "new" / "a.jpg").read_bytes() == b"jpg"
    assert save(found.blobs, str(tmp_path / "new")) == [tmp_path / "new" / "1.jpg"]
    assert save(found.blobs * 2, str(tmp_path / "two")) == [tmp_path / "two" / "1.jpg", tmp_path / "two" / "2.jpg"]
    assert save([("", b"x")], f"{tmp_path}/three/") == [tmp_path / "three" / "1.bin"]
    with pytest.raises(LazyappError, match=r"--out: .*a\.jpg.* cannot be written"):
        save(found.blobs, str(tmp_path / "new" / "a.jpg" / "b.jpg"))


def test_an_out_for_nothing_is_said() -> None:
    assert notes([], "x.png") == ["There are no bytes to save in x.png; --out is for pictures, sounds and files."]
    assert notes([], "") == []
