"""`lazyapp.generators.edit`: a file is changed where that is certain, and left alone where it is not."""

import ast

import pytest

from lazyapp.generators.edit import CannotEdit, binds, calls, check_same, checked, with_keyword, with_statement

DRAW = "def draw(routes: lazyapp.Routes) -> None:\n"


def drawn(text: str) -> str:
    return with_statement(text, "Routes", lambda routes: f"with {routes}.get():\n    {routes}.more()")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (f"{DRAW}    routes.root()\n", f"{DRAW}    routes.root()\n    with routes.get():\n        routes.more()\n"),
        (f"{DRAW}    '''Doc.'''\n\n\nX = 1\n", f"{DRAW}    '''Doc.'''\n    with routes.get():\n        routes.more()\n\n\nX = 1\n"),
        (
            "def other(): ...\n\n\nasync def draw(r: 'Routes'):\n  with r.x() as y:\n    y.z()",
            "def other(): ...\n\n\nasync def draw(r: 'Routes'):\n  with r.x() as y:\n    y.z()\n  with r.get():\n      r.more()\n",
        ),
        (
            f"{DRAW}    routes.get(\n        1,\n    )  # why\n",
            f"{DRAW}    routes.get(\n        1,\n    )  # why\n    with routes.get():\n        routes.more()\n",
        ),
        (f"{DRAW}\troutes.root()\n", f"{DRAW}\troutes.root()\n\twith routes.get():\n\t    routes.more()\n"),
        (
            "def draw(routes: Routes):\r\n    pass\r\n",
            "def draw(routes: Routes):\r\n    pass\r\n    with routes.get():\r\n        routes.more()\r\n",
        ),
        (
            f"{DRAW}    key = lambda x: (yield)\n",
            f"{DRAW}    key = lambda x: (yield)\n    with routes.get():\n        routes.more()\n",
        ),
    ],
)
def test_a_statement_stands_at_the_end_of_the_function(before: str, after: str) -> None:
    """docs/generators.md: a line at the right place."""
    assert drawn(before) == after


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("def draw(routes: Routes:\n", "it has a syntax error in line 1"),
        ("x = '\0'\n", "it has a syntax error"),
        ("def draw(routes): ...\n", "it has no function that takes Routes"),
        (f"{DRAW}    pass\n\n\n{DRAW}    pass\n", "it has more than one function that takes Routes"),
        ("def draw(routes: Routes): routes.root()\n", "draw stands on one line"),
        (f"{DRAW}    if x:\n        return\n    routes.root()\n", "draw returns before its end"),
        (f"{DRAW}    raise NotImplementedError\n", "draw returns before its end"),
        (f"{DRAW}    routes = routes.namespace('a')\n", "routes is another thing at the end of draw"),
        (f"{DRAW}    routes.root(); \\\n\n", "where the change belongs is not certain"),
        (f"{DRAW}    routes.root() \\\n\nX = 1\n", "where the change belongs is not certain"),
        (f"{DRAW}    x = {'-' * 100_000}1\n", "nested too deeply"),
        (f"{DRAW}    pass\n\n\ndef draw(x): ...\n", "it has another draw"),
        (f"{DRAW}    pass\n\n\ndraw = 1\n", "it has another draw"),
        ("class Drawer:\n    def draw(self, routes: Routes): ...\n", "it has no function that takes Routes"),
    ],
)
def test_what_is_not_certain_is_not_done(text: str, reason: str) -> None:
    with pytest.raises(CannotEdit, match=reason):
        drawn(text)


@pytest.mark.parametrize(
    "last",
    [
        "del routes",
        "import os as routes",
        "import routes.more",
        "from os import path as routes",
        "def routes(): ...",
        "class routes: ...",
        "try: ...\n    except OSError as routes: ...",
        "match 1:\n        case routes: ...",
        "match 1:\n        case [*routes]: ...",
        "match 1:\n        case {**routes}: ...",
        "for routes in (): ...",
        "print(routes := 1)",
        "def again():\n        nonlocal routes\n        routes = 1\n    again()",
    ],
)
def test_a_parameter_that_became_another_thing_is_not_used(last: str) -> None:
    """The language reference, 4.2.1: what binds a name."""
    with pytest.raises(CannotEdit, match="routes is another thing at the end of draw"):
        drawn(f"{DRAW}    routes.root()\n    {last}\n")


@pytest.mark.parametrize("sign", ["\x0c", "\x0b", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029"])
def test_lines_are_counted_as_python_counts_them(sign: str) -> None:
    """The language reference, 2.1.2: only a line feed, a carriage return, and both together end a line."""
    text = f"{DRAW}    # a{sign}b\n    routes.get(\n        1,\n    )\n\n\nX = 1\n"
    assert drawn(text) == text.replace("    )\n", "    )\n    with routes.get():\n        routes.more()\n")
    text = f"# a{sign}b\na = Config(\n    x=1,\n)\n"
    assert with_keyword(text, "mcp", "m", 88) == text.replace("x=1,\n", "x=1,\n    mcp=m,\n")
    assert (
        drawn(f"{DRAW}    pass\r\rX = '{sign}'")
        == f"{DRAW}    pass\r\n    with routes.get():\n        routes.more()\n\rX = '{sign}'"
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "a = Config(\n    x=1,\n    y=[2,\n       3],  # kept\n)\n",
            "a = Config(\n    x=1,\n    y=[2,\n       3],  # kept\n    mcp=m,\n)\n",
        ),
        ("a = lazyapp.Config(x='é')\n", "a = lazyapp.Config(x='é', mcp=m)\n"),
    ],
)
def test_a_keyword_stands_behind_the_last(before: str, after: str) -> None:
    assert with_keyword(before, "mcp", "m", 88) == after


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("x = 1\n", "makes no Config"),
        ("Config(a=1)\nConfig(a=1)\n", "more than one Config"),
        ("Config(mcp=1)\n", "has mcp or"),
        ("Config(**given)\n", "has mcp or"),
        ("Config()\n", "is empty"),
        (f"Config(name='{'x' * 80}')\n", "is full"),
        ("Config(a=1, b=2\n)\n", "laid out in its own way"),
        ("Config(\n    a=1, b=2,\n)\n", "laid out in its own way"),
    ],
)
def test_a_keyword_that_has_no_certain_place_is_not_written(text: str, reason: str) -> None:
    with pytest.raises(CannotEdit, match=reason):
        with_keyword(text, "mcp", "m", 88)


def test_a_change_is_read_again() -> None:
    """docs/generators.md: written with certainty, or told."""
    meant = ast.parse("a = 1\nb = 2\n")
    assert checked("a = 1  # why\nb = 2", meant) == "a = 1  # why\nb = 2"
    for text in ("a = 1\n", "a = 1\nb = 3\n", "a = 1\nb =\n"):
        with pytest.raises(CannotEdit, match="not certain"):
            checked(text, meant)
    deep = ast.parse("1")
    for _ in range(5000):
        deep.body = [ast.If(ast.Constant(1), deep.body, [])]
    with pytest.raises(CannotEdit, match="nested too deeply"):
        check_same(deep, deep)


def test_what_a_file_binds_and_calls_is_found() -> None:
    text = "import a as b\nfrom c import d\nclass E: ...\nf = 1\ndraw.g(1)\n"
    assert [name for name in "abcdefg" if binds(text, name)] == ["b", "d", "f"]
    assert binds(text, "E")
    assert binds("import os.path", "os")
    assert [ast.unparse(each) for each in calls(text, "g")] == ["draw.g(1)"]
    assert list(calls("(", "g")) == []
