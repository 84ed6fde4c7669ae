"""lazyapp/connect/json_settings.py: a JSON file with one entry more."""

import json

import pytest

from lazyapp.connect.errors import Kept, Taken, Unreadable
from lazyapp.connect.json_settings import merged

ENTRY = {"type": "http", "url": "http://localhost:3000/mcp"}
KEY = "mcpServers"


@pytest.mark.parametrize("text", ["", "\n", "{}", "{ }\n", '{"mcpServers": {}}', '{"other": [1, {"a": "}"}]}'])
def test_an_entry_is_put_in_whatever_stands_there(text: str) -> None:
    """docs/commands.md, "Connect": what the client reads afterwards is what it read before, and the entry."""
    after = json.loads(merged(text, KEY, "example", ENTRY))
    before = json.loads(text) if text.strip() else {}
    assert after == {**before, KEY: {"example": ENTRY}}


WRITTEN = """{
    "theme" : "d\\u0061rk",   "big": 1.50e3,
    "mcpServers": {
        "other": {"command": "npx", "args": ["-y", "} \\" {"]}
    },
    "last": null
}
"""


@pytest.mark.parametrize("line", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_everything_else_stays_to_the_byte(line: str, mark: str) -> None:
    """Escapes, numbers, blanks, the order, the line ends, a byte order mark, and no line end where there was none."""
    text = mark + WRITTEN.rstrip("\n").replace("\n", line)
    after = merged(text, KEY, "example", ENTRY)
    added = (
        '},\n        "example": {\n            "type": "http",\n            "url": "http://localhost:3000/mcp"\n        }\n    },'
    )
    assert after == text.replace(f"}}{line}    }},", added.replace("\n", line))


def test_a_file_indented_with_tabs_stays_so() -> None:
    after = merged('{\n\t"a": 1\n}\n', KEY, "example", {"url": "u"})
    assert after == '{\n\t"a": 1,\n\t"mcpServers": {\n\t\t"example": {\n\t\t\t"url": "u"\n\t\t}\n\t}\n}\n'


def test_another_entry_of_the_name_is_shown_and_replaced_only_when_asked() -> None:
    """docs/commands.md, "Connect"."""
    text = WRITTEN.replace('"other"', '"example"')
    with pytest.raises(Taken) as taken:
        merged(text, KEY, "example", ENTRY)
    assert '"command": "npx"' in taken.value.there
    after = merged(text, KEY, "example", ENTRY, replace=True)
    assert json.loads(after) == {**json.loads(text), KEY: {"example": ENTRY}}
    assert after.startswith('{\n    "theme" : "d\\u0061rk",   "big": 1.50e3,\n')
    with pytest.raises(Kept):
        merged(after, KEY, "example", ENTRY)
    assert merged("\ufeff" + text, KEY, "example", ENTRY, replace=True) == "\ufeff" + after


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{\n  // mine\n  "mcpServers": {}\n}', "it has comments, or a comma too many"),
        ('{"a": 1, /* mine */ "b": "// no"}', "it has comments, or a comma too many"),
        ('{"a": [1, 2,],}', "it has comments, or a comma too many"),
        ('{"a": 1', "it is no JSON: "),
        ('{"a": "' + "\t" + '"}', "it is no JSON: "),
        ("[]", "it is no JSON object"),
        ('"x"', "it is no JSON object"),
        ('{"mcpServers": []}', "mcpServers is no object"),
        ('{"mcpServers": {}, "mcpServers": {}}', "it has the name 'mcpServers' twice"),
        ('{"mcpServers": {"a": 1, "a": 2}}', "it has the name 'a' twice"),
        ("[" * 200_000, "it is nested too deep"),
        ("/*" * 1000, "it is no JSON: "),
    ],
)
def test_what_would_lose_something_is_refused(text: str, reason: str) -> None:
    """docs/commands.md, "Connect": a file that is not plain JSON is left as it is."""
    with pytest.raises(Unreadable) as refused:
        merged(text, KEY, "example", ENTRY)
    assert str(refused.value).startswith(reason)


def test_commas_and_slashes_in_texts_are_no_comments() -> None:
    text = '{"a": "// ,}", "b": {"c": "/* */"}}'
    assert json.loads(merged(text, KEY, "example", ENTRY))["a"] == "// ,}"
