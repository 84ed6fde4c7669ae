"""lazymcp/names.py: the promises "Directory shape" and "Define a module"."""

import functools
from pathlib import Path

import pytest

from lazymcp.errors import RegistrationError
from lazymcp.names import check_name, item_name, module_name, warn_of_length, where


@pytest.mark.parametrize(
    ("cls_name", "name"),
    [
        ("AdminMCP", "admin"),
        ("UserAccountsMCP", "user_accounts"),
        ("HTTPServerMCP", "httpserver"),
        ("Area51DeskMCP", "area51_desk"),
        ("Admin", "admin"),
        ("admin_mcp", "admin"),
        ("admin-tools-mcp", "admin_tools"),
        (" _AdminMCP ", "admin"),
        ("MCPAdmin", "mcpadmin"),
        ("MCP", ""),
    ],
)
def test_a_module_is_named_after_its_class(cls_name, name):
    """The promise "Directory shape": AdminMCP becomes admin."""
    assert module_name(cls_name) == name


@pytest.mark.parametrize(
    ("method", "suffix", "name"),
    [
        ("user_count_tool", "_tool", "user_count"),
        ("user_count_tool", "tool", "user_count"),
        ("UserCountTool", "Tool", "user_count"),
        ("audit_prompt", "_prompt", "audit"),
        ("list_mcp_tool", "_tool", "list_mcp"),
        ("greet", "_tool", "greet"),
        ("_tool", "_tool", ""),
    ],
)
def test_an_item_is_named_after_its_method_without_the_suffix(method, suffix, name):
    """The promise "Define a module": UserCountTool exports user_count."""
    assert item_name(method, suffix) == name


@pytest.mark.parametrize("name", ["a", "admin.user_count", "A-1", "_", "x" * 64])
def test_names_every_client_takes_pass(name):
    """SEP-986, narrowed to what model interfaces take."""
    check_name(name)


@pytest.mark.parametrize("name", ["", "x" * 65, "user count", "naïve", "a/b", "a\n", "x:y", "2fa", "-a", ".a"])
def test_other_names_are_refused(name):
    """SEP-986, narrowed to what model interfaces take."""
    with pytest.raises(RegistrationError, match="must be 1 to 64"):
        check_name(name)


def test_a_long_name_is_warned_of(caplog):
    """https://github.com/PostHog/posthog/pull/51483: Cursor drops tools silently."""
    warn_of_length("x" * 48, "here")
    assert not caplog.records
    warn_of_length("x" * 49, "here.py:3")
    assert "here.py:3: the name xxx" in caplog.text
    assert "has 49 characters" in caplog.text


def decorated(fn):
    @functools.wraps(fn)
    def inner(*args):
        return fn(*args)

    return inner


class Place:
    def method(self): ...

    @decorated
    def wrapped(self): ...


def line_of(text):
    return next(n for n, line in enumerate(Path(__file__).read_text().splitlines(), 1) if line.strip() == text)


def test_where_tells_the_file_and_line_of_functions_methods_and_classes(monkeypatch):
    """Design, section 2: naming file and line."""
    root = Path(__file__).parents[2]
    monkeypatch.chdir(root)
    here = Path(__file__).relative_to(root)
    assert where(Place) == f"{here}:{line_of('class Place:')}"
    assert where(Place()) == where(Place)
    assert where(Place.method) == where(Place().method) == f"{here}:{line_of('def method(self): ...')}"
    assert where(functools.partial(Place.method, None)) == where(Place.method)
    assert where(Place.wrapped) == f"{here}:{line_of('@decorated')}"


def test_where_gives_the_whole_path_outside_the_working_directory(monkeypatch, tmp_path):
    """Design, section 2."""
    monkeypatch.chdir(tmp_path)
    assert where(Place.method).startswith(str(Path(__file__)))


def test_where_names_what_has_no_source():
    """Design, section 2."""
    assert where(len) == "builtins.len"
    assert where(int) == "builtins.int"
    assert where(3) == "builtins.int"
