"""lazyapp/connect/toml_settings.py: a TOML file with one table more."""

import tomllib

import pytest

from lazyapp.connect.errors import Kept, Taken, Unreadable
from lazyapp.connect.toml_settings import merged, table

KEY = "mcp_servers"
ENTRY = {"command": "/a b/python", "args": ["-m", 'la"zy\\app'], "env": {"A.B": "x\x7f"}}

WRITTEN = """# my settings
model = "gpt"   # the good one

[mcp_servers.other]
url = 'https://other.example/mcp'

[tui]
theme = "dark"
"""


@pytest.mark.parametrize(
    "text", ["", "# nothing yet", WRITTEN, WRITTEN.rstrip("\n"), "\ufeff" + WRITTEN, WRITTEN.replace("\n", "\r\n")]
)
def test_the_table_is_appended_and_everything_before_it_stays_to_the_byte(text: str) -> None:
    """docs/commands.md, "Connect": comments, line ends and a byte order mark included."""
    after = merged(text, KEY, "example", ENTRY)
    assert after.startswith(text)
    found = tomllib.loads(after.removeprefix("\ufeff"))
    assert found[KEY]["example"] == ENTRY
    assert {name: value for name, value in found.items() if name != KEY}.items() <= tomllib.loads(
        text.removeprefix("\ufeff")
    ).items()
    assert ("\r\n[mcp_servers.example]\r\n" in after) is ("\r\n" in text)


def test_another_table_of_the_name_is_shown_and_replaced_only_when_asked() -> None:
    """docs/commands.md, "Connect"; with the tables below it."""
    text = WRITTEN.replace("other]", 'example]\nenv.A = "1"').replace("[tui]", "[mcp_servers.example.tools]\nall = true\n\n[tui]")
    with pytest.raises(Taken, match=r"https://other\.example/mcp"):
        merged(text, KEY, "example", ENTRY)
    after = merged(text, KEY, "example", ENTRY, replace=True)
    assert tomllib.loads(after) == {"model": "gpt", "tui": {"theme": "dark"}, KEY: {"example": ENTRY}}
    assert after.startswith('# my settings\nmodel = "gpt"   # the good one\n')
    with pytest.raises(Kept):
        merged(after, KEY, "example", ENTRY)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("model = ", "it is no TOML: "),
        ("mcp_servers = 1", "mcp_servers is no table"),
        ('mcp_servers = {other = {url = "u"}}', "mcp_servers is written there in a way that takes no table"),
    ],
)
def test_what_would_break_or_lose_something_is_refused(text: str, reason: str) -> None:
    with pytest.raises(Unreadable) as refused:
        merged(text, KEY, "example", ENTRY)
    assert str(refused.value).startswith(reason)


@pytest.mark.parametrize(
    "text", ['mcp_servers.example.url = "u"\n', 'note = """\n[mcp_servers.example]\n"""\n[mcp_servers.example]\nurl = "u"\n']
)
def test_a_table_that_cannot_be_told_from_its_surroundings_is_not_replaced(text: str) -> None:
    """What is written is read again before it is kept."""
    with pytest.raises(Unreadable):
        merged(text, KEY, "example", ENTRY, replace=True)


def test_a_table_has_its_objects_below_it() -> None:
    assert table(KEY, "example", {"url": "u", "oauth": {"client_id": "a"}}) == (
        '[mcp_servers.example]\nurl = "u"\n\n[mcp_servers.example.oauth]\nclient_id = "a"\n'
    )
