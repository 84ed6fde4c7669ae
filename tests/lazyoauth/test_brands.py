"""Names that people trust. RFC 9700, section 4.11; https://github.com/get-engram/engram/issues/447."""

import pytest

from lazyoauth.brands import BRANDS, borrowed


@pytest.mark.parametrize(
    ("name", "host", "brand"),
    [
        ("Claude", "claude.ai", ""),
        ("Claude", "claude.com", ""),
        ("Claude", "CLAUDE.AI", ""),
        ("Claude", "claude.ai.evil.example", "Claude"),
        ("Claude", "notclaude.ai", "Claude"),
        ("Claude", "sub.claude.ai", "Claude"),
        ("ChatGPT", "platform.openai.com", ""),
        ("ChatGPT", "evilopenai.com", "ChatGPT"),
        ("Cursor", "cursor://anysphere.cursor-mcp", ""),
        ("Visual Studio Code", "vscode.dev", ""),
        ("VS Code", "evil.example", "VS Code"),
        ("My helper for Claude", "evil.example", "Claude"),
        ("claude desktop", "evil.example", "Claude"),
        ("C l a u d e", "evil.example", "Claude"),
        ("Clаude", "evil.example", "Claude"),  # noqa: RUF001  a Cyrillic letter
        ("CIaude", "evil.example", "Claude"),
        ("C1aude", "evil.example", "Claude"),
        ("Çlaudé", "evil.example", "Claude"),
        ("Ｃｌａｕｄｅ", "evil.example", "Claude"),  # noqa: RUF001  full width
        ("0penAI", "evil.example", "OpenAI"),
        ("Notes helper", "evil.example", ""),
        ("Precursor", "evil.example", ""),
        ("", "evil.example", ""),
    ],
)
def test_a_borrowed_name_is_known_by_the_host(name, host, brand):
    """Look-alikes, other alphabets, spaces in between; and names that only contain such a word are left alone."""
    assert borrowed(name, host) == brand


def test_every_owner_may_bear_its_own_name():
    """No host of the table leads to a warning about the name that it stands beside."""
    for brand in BRANDS:
        for host in brand.hosts:
            assert borrowed(brand.name, host.removeprefix(".")) == ""
