"""`lazyapp.generators.layout`."""

from lazyapp.generators.application import Application
from lazyapp.generators.imports import Import
from lazyapp.generators.layout import cut, folded, module, piece, render_block, sections, template

WIDE = [f"number_{n}: int" for n in range(6)]


def test_what_fits_is_one_line_and_the_rest_has_a_line_each() -> None:
    """ruff's formatter keeps what ends in a comma open, whatever the width: the "magic trailing comma"."""
    assert folded("    def f(", ["self", "a: int"], ") -> int:") == "    def f(self, a: int) -> int:"
    opened = folded("    def f(", WIDE, ") -> int:").splitlines()
    assert (opened[0], opened[1], opened[-1]) == ("    def f(", "        number_0: int,", "    ) -> int:")


def test_a_template_is_filled_in_and_its_imports_are_taken_off() -> None:
    imports, body = piece("mcp.py", class_name="ShopMCP", words="the shop")
    assert imports == [Import("lazymcp")]
    assert body.startswith("class ShopMCP(lazymcp.Base):\n")
    assert cut("import a\n\nx = 1\n\n") == ([Import("a")], "x = 1\n")
    assert "$" not in template("init_mcp.py", app="app")


def test_a_text_of_several_parts_is_told_apart_by_their_names() -> None:
    found = sections(
        "controller_plain_test.py", **dict.fromkeys("many an_one words title action path action_title many_title".split(), "x")
    )
    assert list(found) == ["index", "create", "show", "custom"]
    assert found["custom"].startswith("async def test_x_is_served(")


def test_a_module_is_laid_out_as_the_formatter_leaves_it(application: Application) -> None:
    assert module("Doc.", [], ["x = 1\n"], application) == '"""Doc."""\n\n\nx = 1\n'
    assert module("Doc.", [Import("ast")], ["def f(): ...\n"], application) == '"""Doc."""\n\nimport ast\n\n\ndef f(): ...\n'
    assert render_block([], application) == ""
