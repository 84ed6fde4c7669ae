"""lazyapp/documentation.py: the documentation of the version that is installed."""

import tomllib
from pathlib import Path

import pytest

from lazyapp import documentation
from lazyapp.errors import ConfigurationError

ROOT = Path(__file__).parents[2]


def test_the_wheel_has_the_pages_where_they_are_looked_for() -> None:
    """https://nextjs.org/docs/app/guides/mcp: documentation inside the package is of the version that runs."""
    included = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    assert included["docs"] == "lazyapp/docs"


def test_pages_are_found_by_name() -> None:
    """docs/README.md."""
    assert documentation.page("tools") == documentation.page("docs/tools.md") == (ROOT / "docs" / "tools.md").read_text()
    assert documentation.page("reference/lazymcp").startswith("# lazymcp")


@pytest.mark.parametrize("name", ["../pyproject", "/etc/passwd", "", "tools/../tools", "reference/../tools", "llms.txt", "x\x00"])
def test_nothing_but_a_page_is_read(name: str) -> None:
    """CWE-22: a name is looked up in the list of pages, and no path is made of it."""
    with pytest.raises(LookupError, match="There is no page"):
        documentation.page(name)


def test_an_unknown_name_is_answered_with_those_that_are_like_it() -> None:
    """style.md, "Errors"."""
    with pytest.raises(LookupError, match=r"there are forms\.$"):
        documentation.page("form")


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("tutorail", "did you mean tutorial?"),
        ("reference/lazympc", "did you mean reference/lazymcp?"),
        ("zzz", "`lazyapp docs` lists them."),
    ],
)
def test_a_name_that_was_mistyped_is_answered_with_the_one_that_was_meant(name: str, advice: str) -> None:
    """style.md, "Errors": a list of all fifty pages helps nobody."""
    with pytest.raises(LookupError) as told:
        documentation.page(name)
    assert str(told.value) == f"There is no page {name!r}; {advice}"


@pytest.mark.parametrize(
    ("words", "page"),
    [
        ("tool progress", "tools"),
        ("migrations", "database"),
        ("form errors", "forms"),
        ("login page sign in", "sign-in"),
        ("ToolSpec", "tools"),
        ("deploy container", "deploy"),
    ],
)
def test_words_lead_to_the_page_about_them(words: str, page: str) -> None:
    """docs/about.md: search_docs."""
    assert page in [section.page for section in documentation.search(words, 4)]


def test_what_is_nowhere_is_not_found() -> None:
    """docs/about.md: search_docs."""
    assert documentation.search("xylophone quagga") == []
    assert documentation.search("") == []
    assert len(documentation.search("the", 3)) == 3


def test_an_excerpt_is_short_and_whole_words() -> None:
    """docs/about.md: search_docs."""
    section = documentation.Section("x", "X", "x", "word " * 200)
    assert section.excerpt.endswith("word …")
    assert len(section.excerpt) <= 402
    assert documentation.Section("x", "X", "x", "a\n b").excerpt == "a b"


def test_every_guide_is_in_the_whole() -> None:
    """https://llmstxt.org: a text that has all of it."""
    whole = documentation.whole()
    assert whole.count("\n# ") + 1 >= len([each for each in documentation.contents() if "/" not in each.page])
    assert "# Tools" in whole


@pytest.mark.parametrize(
    ("heading", "anchor"),
    [
        ("Over stdio", "over-stdio"),
        ("`Config`, and more!", "config-and-more"),
        ("[A](b.md) c", "a-c"),
        ("3. A model, and its table", "3-a-model-and-its-table"),
    ],
)
def test_an_anchor_is_what_github_makes_of_a_heading(heading: str, anchor: str) -> None:
    """https://docs.github.com/en/get-started/writing-on-github: "Section links"."""
    assert documentation.anchor(heading) == anchor


def test_an_installation_without_pages_says_what_to_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """style.md, "Errors"."""
    monkeypatch.setattr(documentation, "__file__", str(tmp_path / "lazyapp" / "documentation.py"))
    with pytest.raises(ConfigurationError, match="install it anew"):
        documentation.folder()
