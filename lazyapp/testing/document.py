"""An HTML page as a tree, read with the standard library's parser: enough to find labels, fields, buttons, links and words."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = frozenset("area base br col embed hr img input link meta source track wbr".split())
_BLOCKS = (
    "address article aside blockquote div dl fieldset footer form h1 h2 h3 h4 h5 h6 header hr main nav ol p pre section table ul"
)
# HTML, section 13.1.2.4: these end where the next of their kind begins.
_ENDED_BY = {
    "li": frozenset({"li"}),
    "dt": frozenset({"dt", "dd"}),
    "dd": frozenset({"dt", "dd"}),
    "option": frozenset({"option", "optgroup"}),
    "optgroup": frozenset({"optgroup"}),
    "tr": frozenset({"tr", "tbody", "tfoot"}),
    "td": frozenset({"td", "th", "tr", "tbody", "tfoot"}),
    "th": frozenset({"td", "th", "tr", "tbody", "tfoot"}),
    "p": frozenset(_BLOCKS.split()),
}
_UNSEEN = frozenset({"script", "style", "template", "head", "title"})  # what stands in noscript is seen: nothing runs scripts here
_INLINE = frozenset("a abbr b bdi bdo cite code data dfn em i kbd mark q s samp small span strong sub sup time u var wbr".split())


@dataclass(slots=True, eq=False)
class Element:
    """One element; its children are elements and texts, in order."""

    tag: str
    attributes: dict[str, str]
    parent: "Element | None" = field(default=None, repr=False)
    children: "list[Element | str]" = field(default_factory=list, repr=False)

    def get(self, name: str, default: str = "") -> str:
        """An attribute's value; an attribute without one is the empty text."""
        return self.attributes.get(name, default)

    def has(self, name: str) -> bool:
        """Whether the attribute stands there, whatever its value."""
        return name in self.attributes

    def all(self, *tags: str) -> "Iterator[Element]":
        """Every element below with one of these names, in the order of the page; without names, every element."""
        for child in self.children:
            if isinstance(child, Element):
                if not tags or child.tag in tags:
                    yield child
                yield from child.all(*tags)

    def ancestors(self) -> "Iterator[Element]":
        """What it lies in, from the inside out."""
        here = self.parent
        while here is not None:
            yield here
            here = here.parent

    @property
    def raw_text(self) -> str:
        """Its text as written, blanks and all: what a textarea holds."""
        return "".join(child if isinstance(child, str) else child.raw_text for child in self.children)

    @property
    def text(self) -> str:
        """The words that a reader sees in it, each run of blanks one blank."""
        return self.text_without()

    def text_without(self, *tags: str) -> str:
        """The words that a reader sees in it, those in elements of these names left out."""
        return " ".join("".join(self._words(frozenset(tags))).split())

    def _words(self, without: frozenset[str]) -> Iterator[str]:
        for child in self.children:
            if isinstance(child, str):
                yield child
            elif child.tag not in _UNSEEN and child.tag not in without and not child.has("hidden"):
                gap = "" if child.tag in _INLINE else " "
                yield gap
                yield child.get("alt") if child.tag == "img" else ""
                yield from child._words(without)
                yield gap


class _Builder(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Element("", {})
        self._here = self.root

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        while tag in _ENDED_BY.get(self._here.tag, ()) and self._here.parent is not None:
            self._here = self._here.parent
        given: dict[str, str] = {}
        for name, value in attrs:
            given.setdefault(name, value or "")  # HTML, section 13.2.5.33: of two attributes of one name the first counts
        element = Element(tag, given, self._here)
        self._here.children.append(element)
        if tag not in VOID:
            self._here = element

    def handle_endtag(self, tag: str) -> None:
        for opened in (self._here, *self._here.ancestors()):
            if opened.tag == tag and opened.parent is not None:
                self._here = opened.parent
                return

    def handle_data(self, data: str) -> None:
        self._here.children.append(data)


def parse(html: str) -> Element:
    """The page's root, which has no name of its own."""
    builder = _Builder()
    builder.feed(html)
    builder.close()
    return builder.root
