"""The documentation as a whole: what is made is current, every page is reachable, every link leads somewhere."""

import importlib
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

import pytest

from lazyapp.documentation import anchor
from tests.documentation.docstrings import markdown
from tests.documentation.made import DOCS, ROOT, made
from tests.documentation.reference import PACKAGES, file_of

PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
_CODE = re.compile(r"^```.*?^```$|`[^`\n]+`", re.MULTILINE | re.DOTALL)
_FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[(?:[^\[\]]|\[[^\]]*\])*\]\(([^()\s]+)\)")


def links(page: Path) -> list[str]:
    """Where a page leads to, but for what it shows as code."""
    return _LINK.findall(_CODE.sub("`code`", page.read_text(encoding="utf-8")))


def anchors(page: Path) -> set[str]:
    """The anchors of a page, as GitHub numbers those that come twice."""
    found: dict[str, int] = {}
    for heading in re.findall(r"^#{1,6} +(.+?)\s*$", _FENCED.sub("", page.read_text(encoding="utf-8")), re.MULTILINE):
        name = anchor(heading)
        found[name] = found.get(name, -1) + 1
        if found[name]:
            found[f"{name}-{found[name]}"] = 0
    return set(found)


def inner(page: Path) -> Iterator[tuple[str, Path, str]]:
    """Each link within the repository: as written, its file and its anchor."""
    for link in links(page):
        if not re.match(r"[a-z]+:", link):
            name, _, fragment = link.partition("#")
            yield link, (page.parent / unquote(name)).resolve() if name else page, fragment


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_link_leads_somewhere(page: Path) -> None:
    """docs/README.md. A dead link is worse than none."""
    dead = [
        link
        for link, file, fragment in inner(page)
        if not file.exists() or (fragment and file.suffix == ".md" and fragment not in anchors(file))
    ]
    assert dead == []


def test_the_readme_says_each_thing_once() -> None:
    """README.md, "Settings": a variable with two lines has two defaults; a command that stands twice is run twice."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`[A-Z].*?) \|", text, re.MULTILINE)
    variables = [name for row in rows for name in re.findall(r"`([A-Z_]+)`", row)]
    assert len(variables) > 20
    assert sorted(variables) == sorted(set(variables))
    for block in re.findall(r"^```console\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        commands = [line.partition("  #")[0].strip() for line in block.splitlines() if line.startswith("$ ")]
        assert commands == list(dict.fromkeys(commands))
    # A table's row cannot be broken.
    assert [line for line in text.splitlines() if len(line) > 160 and not line.startswith("|")] == []


def test_every_page_is_reached_from_the_table_of_contents() -> None:
    """llmstxt.org: each page stands in docs/README.md itself, so that llms.txt has it."""
    listed = {file for _, file, _ in inner(DOCS / "README.md")}
    missing = [page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md") if page not in listed and page.name != "README.md"]
    assert sorted(missing) == [], "say in docs/README.md what they are for"


def test_what_is_made_is_current() -> None:
    """docs/decisions.md: an API reference from docstrings, and llms.txt, never stale."""
    stale = [
        path.relative_to(ROOT).as_posix()
        for path, text in made().items()
        if not path.exists() or path.read_text(encoding="utf-8") != text
    ]
    assert stale == [], "run: .venv/bin/python -m tests.documentation"
    unknown = sorted(path.name for path in (DOCS / "reference").iterdir() if path not in made())
    assert unknown == []


@pytest.mark.parametrize("package", PACKAGES)
def test_every_public_name_has_its_section_with_signature_and_docstring(package: str) -> None:
    """style.md, "Public names"."""
    text = (DOCS / "reference" / file_of(package)).read_text(encoding="utf-8")
    sections = dict(zip(*[iter(re.split(r"^## (\w+)$", text, flags=re.MULTILINE)[1:])] * 2, strict=True))
    assert list(sections) == list(importlib.import_module(package).__all__)
    bare = [name for name, section in sections.items() if not re.sub(r"```.*?```", "", section, flags=re.DOTALL).strip()]
    assert bare == [], "no docstring"


def test_llms_txt_has_the_form_that_is_proposed() -> None:
    """https://llmstxt.org, "Format": a title, a quoted summary, and lists of links under second-level headings."""
    text = (DOCS / "llms.txt").read_text(encoding="utf-8")
    assert re.match(r"# lazyapp\n\n> .+\n\n", text)
    sections = re.split(r"^## .+$", text, flags=re.MULTILINE)
    assert len(sections) > 5
    for section in sections[1:]:
        assert all(re.fullmatch(r"- \[.+?\]\([\w/-]+\.md\): .+", line) for line in section.strip().splitlines())
    assert "## Optional" in text


def test_a_docstring_becomes_lists() -> None:
    """style.md, "Docstrings": the form that is read here."""
    docstring = """What you get.

    More.

    Args:
        verifier: 43 characters,
            as sent.
        first, second: two.

    Returns:
        The rest.

    Raises:
        InvalidGrant: no.
    """
    assert markdown(docstring) == (
        "What you get.\n\nMore.\n\n**Arguments**\n\n- `verifier`: 43 characters,\n  as sent.\n- `first`, `second`: two.\n\n"
        "**Returns**\n\nThe rest.\n\n**Raises**\n\n- `InvalidGrant`: no."
    )
