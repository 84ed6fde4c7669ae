"""`lazyapp.generators.mcp_class`."""

import pytest

from lazyapp.errors import ConfigurationError
from lazyapp.generators.application import Application
from lazyapp.generators.imports import Import
from lazyapp.generators.mcp_class import MCPClass, check_free, classes, extended, find_class, split

PARTS = ([Import("lazymcp", "tool")], "class Answer: ...\n", "    async def more(self): ...\n")


def shop(application: Application, text: str) -> MCPClass:
    (application.root / "app" / "mcps" / "shop_mcp" / "__init__.py").write_text(text)
    return find_class(application, "shop")


def test_a_module_is_found_by_what_clients_call_it(application: Application) -> None:
    """docs/mcp.md, "Names": after the class, or as its attribute `name` says."""
    (application.root / "app" / "mcps" / "more_mcp.py").write_text(
        "class Row(BaseModel):\n    name: str = 'x'\n\n"
        "class UserAccountsMCP(Base): ...\n\nclass Other(lazymcp.Base):\n    name = 'spare'\n"
    )
    assert sorted(each.module for each in classes(application)) == ["shop", "spare", "user_accounts"]
    assert find_class(application, "shop").members == {"hello"}


def test_a_module_that_is_not_there_is_told_with_those_that_are(application: Application) -> None:
    with pytest.raises(
        ConfigurationError, match=r"no MCP module 'sho' under app/mcps \(there is shop\); `lazyapp generate mcp sho` makes it"
    ):
        find_class(application, "sho")


def test_a_module_with_a_syntax_error_is_named(application: Application) -> None:
    with pytest.raises(ConfigurationError, match=r"app/mcps/shop_mcp/__init__\.py cannot be read"):
        shop(application, "class ShopMCP(\n")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "# of the class\n@x\nclass ShopMCP(Base):\n    pass\n\n\nY = 1\n",
            f"class Answer: ...\n\n\n# of the class\n@x\nclass ShopMCP(Base):\n    pass\n\n{PARTS[2]}\n\nY = 1\n",
        ),
        (
            "class ShopMCP(Base):\n    pass\n    # later\n",
            "class Answer: ...\n\n\nclass ShopMCP(Base):\n    pass\n    # later\n\n    async def more(self): ...\n",
        ),
        (
            "class ShopMCP(Base):\n    pass",
            "class Answer: ...\n\n\nclass ShopMCP(Base):\n    pass\n\n    async def more(self): ...\n",
        ),
    ],
)
def test_a_method_stands_at_the_end_and_a_model_before(application: Application, before: str, after: str) -> None:
    text = f"from lazymcp import tool\n\n\n{before}"
    assert extended(text, shop(application, text), PARTS, application) == f"from lazymcp import tool\n\n\n{after}"


@pytest.mark.parametrize(
    "text", ["class ShopMCP(Base): x = 1\n", "class ShopMCP(Base):\n  x = 1\n", "class ShopMCP(Base):\n\tx = 1\n"]
)
def test_a_class_that_is_laid_out_otherwise_is_left_alone(application: Application, text: str) -> None:
    with pytest.raises(ConfigurationError, match="is not laid out with four blanks"):
        extended(text, shop(application, text), PARTS, application)


@pytest.mark.parametrize("taken", ["def find(self): ...", "def find_tool(self): ...", "async def find_(self): ..."])
def test_a_name_that_is_taken_is_refused(application: Application, taken: str) -> None:
    text = f"class ShopMCP(Base):\n    {taken}\n"
    with pytest.raises(ConfigurationError, match=r"has ShopMCP\.find already, and was left as it is"):
        check_free(shop(application, text), text, ["find"])


@pytest.mark.parametrize("line", ["class Answer: ...", "from x import Answer", "Answer = 1"])
def test_a_class_that_the_file_has_is_not_written_twice(application: Application, line: str) -> None:
    text = f"{line}\n\nclass ShopMCP(Base):\n    pass\n"
    with pytest.raises(ConfigurationError, match="has Answer already"):
        check_free(shop(application, text), text, [], ["Answer"])


@pytest.mark.parametrize(
    ("dotted", "reason"),
    [
        ("search", "names no MCP module; write module and name with a dot between, such as shop.search"),
        ("shop.", "cannot be the name of a tool"),
        ("../shop.x", "cannot be the name"),
        ("shop.a.b", "cannot be the name of a tool"),
        ("shop.find_tool", "ends in a word that lazymcp gives a meaning; call it 'find'"),
    ],
)
def test_a_malformed_name_is_refused(dotted: str, reason: str) -> None:
    with pytest.raises(ConfigurationError, match=reason):
        split(dotted, "a tool")


def test_lines_are_counted_as_python_counts_them(application: Application) -> None:
    """The language reference, 2.1.2: a form feed ends no line."""
    text = "# a\x0cb\n\n\nclass ShopMCP(Base):\n    x = (\n        1\n    )\n\n\nX = (\n    1\n)\n"
    _, _, method = PARTS
    assert f"    )\n\n{method}\n\nX = (" in extended(text, shop(application, text), PARTS, application)


def test_a_file_whose_imports_go_on_is_left_alone(application: Application) -> None:
    text = "import lazymcp \\\n\n\nclass ShopMCP(Base):\n    x = 1\n"
    with pytest.raises(ConfigurationError, match="was left as it is: where an import belongs is not certain"):
        extended(text, shop(application, text), PARTS, application)


def test_a_class_that_is_there_twice_is_changed_where_it_counts(application: Application) -> None:
    """The language reference, 4.2.1: the later definition binds the name anew."""
    text = "class ShopMCP(Base):\n    x = 1\n\n\nclass ShopMCP(Base):\n    y = 1\n"
    assert extended(text, shop(application, text), PARTS, application).endswith(f"    y = 1\n\n{PARTS[2]}")


def test_a_file_that_no_parser_follows_is_told(application: Application) -> None:
    """cpython's parser ends such a file with MemoryError."""
    with pytest.raises(ConfigurationError, match="cannot be read: it is nested too deeply"):
        shop(application, f"x = {'-' * 100_000}1\n")
