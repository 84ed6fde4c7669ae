"""The documentation that belongs to this very release, as it lies in the wheel: pages by name, and sections found by words.

For `lazyapp docs`, for the MCP server about an application and for `/_lazy/docs`: an agent reads what is installed, offline.
"""

import difflib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from lazyapp.errors import ConfigurationError

#: The order of the pages, one line each: what llms.txt proposes. https://llmstxt.org
INDEX = "llms.txt"

_HEADING = re.compile(r"^(#{1,4}) +(.+?)\s*$")
_NAME = re.compile(r"[a-z0-9][a-z0-9-]*(/[a-z0-9][a-z0-9-]*)?")
_LISTED = re.compile(r"^- \[(.+?)\]\(([a-z0-9/-]+)\.md\): (.+)$", re.MULTILINE)
_WORD = re.compile(r"\w+")
_EXCERPT = 400
# What a reader of Markdown would not see: fences, quotes of code, the lines of tables, where links lead.
_MARKS = re.compile(r"^```\w*$|`|^\|[-| :]+\|$|\|| ?\*\*|\[([^\]]+)\]\([^)]*\)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Section:
    """One section of a page, down to its next heading.

    Args:
        page: the page's name, `tools` or `reference/lazymcp`.
        heading: its own; of the beginning of a page the page's title.
        anchor: as links write it after `#`.
        text: as Markdown, without the heading.
    """

    page: str
    heading: str
    anchor: str
    text: str

    @property
    def excerpt(self) -> str:
        """The beginning of its text."""
        flat = " ".join(_MARKS.sub(r"\1", self.text).split())
        return flat if len(flat) <= _EXCERPT else f"{flat[:_EXCERPT].rsplit(' ', 1)[0]} …"


@dataclass(frozen=True, slots=True)
class Listed:
    """A page as the index tells of it."""

    page: str
    title: str
    about: str


def folder() -> Path:
    """Where the pages lie: in a wheel beside this file, in a checkout at the top of the repository.

    Raises:
        ConfigurationError: they are in neither place.
    """
    here = Path(__file__).parent
    for place in (here / "docs", here.parent / "docs"):
        if (place / "README.md").is_file():
            return place
    raise ConfigurationError("This lazyapp was installed without its documentation; install it anew from its wheel.")


def names() -> list[str]:
    """The names of the pages, the guides before the reference."""
    root = folder()
    found = [path.relative_to(root).with_suffix("").as_posix() for path in root.rglob("*.md")]
    return sorted(found, key=lambda name: ("/" in name, name))


def page(name: str) -> str:
    """A page as Markdown.

    Args:
        name: `tools`, `tools.md`, `reference/lazymcp`; `README` is the table of contents.

    Raises:
        LookupError: there is no such page; the message names those that are like it, or the one that was meant.
    """
    wanted = name.strip().removesuffix(".md").removeprefix("docs/")
    if wanted in names():
        return (folder() / f"{wanted}.md").read_text(encoding="utf-8")
    pages = [each for each in names() if _NAME.fullmatch(each)]
    if alike := [each for each in pages if wanted and (wanted.lower() in each or each in wanted.lower())]:
        raise LookupError(f"There is no page {name!r}; there are {', '.join(alike)}.")
    near = difflib.get_close_matches(wanted.lower(), pages, n=1)
    raise LookupError(f"There is no page {name!r}; " + (f"did you mean {near[0]}?" if near else "`lazyapp docs` lists them."))


def index() -> str:
    """`llms.txt`: every page with a sentence about it."""
    return (folder() / INDEX).read_text(encoding="utf-8")


def contents() -> list[Listed]:
    """The pages in the order of the index."""
    return [Listed(name, title, about) for title, name, about in _LISTED.findall(index())]


def whole() -> str:
    """Every guide in one text, in the order of the index, for a reader that takes all of it."""
    return "\n\n".join(page(each.page).strip() for each in contents() if "/" not in each.page) + "\n"


def search(words: str, limit: int = 8) -> list[Section]:
    """The sections that have the words in them, those first that have them in their heading."""
    wanted = set(_words(words))
    scored = [(_score(section, wanted), position, section) for position, section in enumerate(sections())]
    found = sorted((each for each in scored if each[0] > 0), key=lambda each: (-each[0], each[1]))
    return [section for _, _, section in found[:limit]]


@cache
def sections() -> Sequence[Section]:
    """Every section of every page. Read once: what is installed does not change."""
    return [section for name in names() if name != "README" for section in _sections(name)]


def _sections(name: str) -> Iterator[Section]:
    heading, lines, is_code = name, list[str](), False
    for line in page(name).splitlines():
        if line.startswith("```"):
            is_code = not is_code
        match = None if is_code else _HEADING.match(line)
        if match is None:
            lines.append(line)
            continue
        if any(lines):
            yield Section(name, heading, anchor(heading), "\n".join(lines).strip())
        heading, lines = match[2], []
    if any(lines):
        yield Section(name, heading, anchor(heading), "\n".join(lines).strip())


def anchor(heading: str) -> str:
    """What a link to a heading says after `#`: lower case, blanks as hyphens, punctuation gone, as GitHub makes it."""
    bare = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
    return re.sub(r"[^\w\- ]", "", bare.strip().lower()).replace(" ", "-")


def _words(text: str) -> list[str]:
    """The words of a text, each as one would look for it: `Forms` and `form` are the same."""
    return [word[:-1] if len(word) > 3 and word.endswith("s") else word for word in _WORD.findall(text.lower())]


def _score(section: Section, wanted: set[str]) -> float:
    heading, text = set(_words(f"{section.heading} {section.page}")), _words(section.text)
    found = wanted & (heading | set(text))
    if not found:
        return 0.0
    density = sum(min(text.count(word), 5) for word in wanted) / (20 + len(text)) * 100
    # Whoever asks for several words means all of them; guides say how, the reference only what, decisions only why.
    return (
        100 * len(found) / len(wanted)
        + 10 * len(wanted & heading)
        + density
        - (15 if "/" in section.page or section.page == "decisions" else 0)
    )
