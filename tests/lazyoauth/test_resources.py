"""RFC 8707."""

import pytest

from lazyoauth.errors import InvalidTarget
from lazyoauth.resources import canonical, choose, same

OURS = "https://app.example/mcp"


@pytest.mark.parametrize(
    "spelling", [OURS, f"{OURS}/", "https://APP.example/mcp", "https://app.example:443/mcp", "HTTPS://app.example/mcp"]
)
def test_the_spellings_that_clients_use_are_one_resource(spelling):
    """https://github.com/openai/codex/issues/35716; RFC 3986, section 6.2.2."""
    assert same(OURS, spelling)
    assert choose([spelling], OURS) == spelling, "the client's own spelling is kept for aud"


@pytest.mark.parametrize(
    "other",
    [
        "https://app.example", "https://app.example/", "https://app.example/mcp/x", "https://app.example/MCP", "http://app.example/mcp",
        "https://app.example:8443/mcp", "https://evil.example/mcp", "https://app.example.evil/mcp", "https://app.example/mcp?x=1",
        "https://app.example/mcp#x", "https://user@app.example/mcp", "app.example/mcp", "mcp", "https://[bad/mcp", "https://app.example:x/mcp",
        "https://app.example/mcp//",
    ],
)  # fmt: skip
def test_another_resource_is_refused(other):
    """RFC 8707, section 2."""
    assert not same(OURS, other)
    with pytest.raises(InvalidTarget):
        choose([other], OURS)
    with pytest.raises(InvalidTarget):
        choose([OURS, other], OURS)


def test_a_request_without_resource_means_ours():
    """https://github.com/anthropics/claude-code/issues/10572."""
    assert choose([], OURS) == OURS


def test_addresses_of_version_six_keep_their_brackets():
    """RFC 3986, section 3.2.2."""
    assert canonical("http://[::1]:3000/mcp") == "http://[::1]:3000/mcp"
    assert same("http://[::1]:80/mcp", "http://[::1]/mcp")
