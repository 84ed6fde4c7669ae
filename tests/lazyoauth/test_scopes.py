"""RFC 6749, sections 3.3 and 6."""

import pytest

from lazyoauth.errors import InvalidScope
from lazyoauth.scopes import grant, narrow

SUPPORTED = ("mcp", "mcp:admin")


@pytest.mark.parametrize(
    ("requested", "granted"),
    [
        ("mcp", "mcp"),
        (" mcp  offline_access", "mcp offline_access"),
        ("", "mcp mcp:admin"),
        (" offline_access", "mcp mcp:admin offline_access"),
        ("openid profile", "mcp mcp:admin"),
        ("openid mcp mcp", "mcp"),
        ("mcp:admin mcp", "mcp:admin mcp"),
    ],
)
def test_what_is_known_is_granted_and_the_rest_ignored(requested, granted):
    """https://github.com/anthropics/claude-ai-mcp/issues/453, https://github.com/Blazity/ai-workflow/pull/298."""
    assert grant(requested, SUPPORTED) == granted


def test_a_refresh_may_narrow_but_not_widen():
    """RFC 6749, section 6."""
    assert narrow("", "mcp mcp:admin", "mcp mcp:admin") == "mcp mcp:admin"
    assert narrow("mcp", "mcp mcp:admin", "mcp mcp:admin") == "mcp"
    for wider in ("mcp mcp:admin", "mcp:admin", "mcp root"):
        with pytest.raises(InvalidScope):
            narrow(wider, "mcp", "mcp")


def test_a_client_that_repeats_its_first_request_is_not_refused():
    """https://github.com/Blazity/ai-workflow/pull/298: it asked for more than exists, and got less, once already."""
    assert narrow("openid mcp offline_access", "mcp", "openid mcp") == "mcp"
    assert narrow("openid", "mcp", "openid mcp") == "mcp"
