"""`/_lazy/docs`: the documentation of the version that runs, as pages for people and as Markdown for whoever asks for that."""

import posixpath
import re
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Final

from markupsafe import Markup

from lazyapp import documentation
from lazyapp.accept import wish
from lazyapp.developing.asked import answer, is_read, query_of
from lazyapp.developing.door import ROOT, Receive, Scope, Send
from lazyapp.developing.shown import HELPERS
from lazyapp.version import __version__
from lazyview import Views

PREFIX: Final = f"{ROOT}/docs"
TEMPLATES: Final = Path(__file__).parent / "templates"
_TEXTS: Final = {"llms.txt": documentation.index, "llms-full.txt": documentation.whole}

Links = Callable[[], Sequence[tuple[str, str]]]


class DocsPages:
    """The documentation, as an ASGI application.

    Args:
        name: of the application.
        links: where the bar of the panel leads.
    """

    def __init__(self, name: str, links: Links) -> None:
        self._name = name
        self._links = links
        self._views = Views([TEMPLATES], helpers=HELPERS)

    async def __call__(self, scope: Scope, _receive: Receive, send: Send) -> None:
        """One page: HTML for a browser; Markdown for everybody else, and under an address that ends in `.md`."""
        if not await is_read(scope, send):
            return None
        asked = scope["path"].removeprefix(PREFIX).strip("/")
        if (text := _TEXTS.get(asked)) is not None:
            return await answer(scope, send, text(), media_type="text/plain")
        is_html = wish(scope) == "html" and not asked.endswith(".md")
        try:
            source = documentation.page(asked) if asked else documentation.page("README") if is_html else documentation.index()
        except LookupError as error:
            kind = "text/html" if is_html else "text/plain"
            told = self._page(scope, "Not found", Markup("<h1>There is no such page</h1>")) if is_html else f"{error}\n"
            return await answer(scope, send, told, status=404, media_type=kind)
        if not is_html:
            return await answer(scope, send, source, media_type="text/markdown")
        title, body = rendered(asked.removesuffix(".md") or "README")
        return await answer(scope, send, self._page(scope, title, body))

    def _page(self, scope: Scope, title: str, body: Markup) -> str:
        words = query_of(scope).get("q", "").strip()
        return self._views.render(
            "docs/page",
            {
                "name": self._name,
                "version": __version__,
                "links": self._links(),
                "path": scope["path"],
                "title": title,
                "body": body,
                "words": words,
                "found": documentation.search(words, 12) if words else [],
                "prefix": PREFIX,
            },
            layout="developing",
        )


@cache
def rendered(name: str) -> tuple[str, Markup]:
    """The title of a page and its HTML, with links to its neighbours here and an id for each heading."""
    # Imported here: most runs of an application show no page of the documentation.
    from markdown_it import MarkdownIt

    # HTML within Markdown is shown as it is written.
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = parser.parse(documentation.page(name))
    title = name
    seen: dict[str, int] = {}
    for position, token in enumerate(tokens):
        if token.type == "heading_open":
            heading = tokens[position + 1].content
            title = re.sub(r"`", "", heading) if token.tag == "h1" else title
            token.attrSet("id", _numbered(documentation.anchor(heading), seen))
        for child in token.children or ():
            if child.type == "link_open":
                child.attrSet("href", _address(name, str(child.attrGet("href"))))
    html = str(parser.renderer.render(tokens, parser.options, {}))
    # What is wider than the page scrolls, by the keyboard too. WCAG 2.2, success criterion 2.1.1.
    html = html.replace("<pre>", '<pre tabindex="0">')
    html = html.replace("<table>", '<div class="wide" tabindex="0"><table>').replace("</table>", "</table></div>")
    return title, Markup(html)  # noqa: S704  # made above of our own pages


def _numbered(anchor: str, seen: dict[str, int]) -> str:
    """An id that no heading before has: the second `errors` is `errors-1`."""
    seen[anchor] = seen.get(anchor, -1) + 1
    return f"{anchor}-{seen[anchor]}" if seen[anchor] else anchor


def _address(page: str, link: str) -> str:
    """Where a link leads from here; what is no page of the documentation stays as it is."""
    target, hash_mark, fragment = link.partition("#")
    if re.match(r"[a-z]+:", target) or not target.endswith(".md"):
        return link
    name = posixpath.normpath(posixpath.join(posixpath.dirname(page), target.removesuffix(".md")))
    return f"{PREFIX}/{name}{hash_mark}{fragment}" if name != "README" else PREFIX + hash_mark + fragment
