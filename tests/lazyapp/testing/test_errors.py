"""`lazyapp.testing.errors`: what a failing test reads."""

from lazyapp.testing.errors import LoginRefused, MCPError, listed


def test_names_are_listed_once_each_in_their_order() -> None:
    assert listed(["b", "a", "b"]) == "'b', 'a'"
    assert listed([]) == "none"


def test_errors_carry_what_a_test_may_compare() -> None:
    assert str(LoginRefused("access_denied", "no")) == "access_denied: no"
    assert str(LoginRefused("", "a page said no")) == "a page said no"
    error = MCPError(-32602, "unknown tool", {"x": 1}, hint="the tools are a")
    assert (error.code, error.message, error.data) == (-32602, "unknown tool", {"x": 1})
    assert str(error) == "unknown tool (-32602); the tools are a"
