"""A page as it came: its words, links and forms, and the way on from it. Where it goes is the browser's matter."""

import json
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self
from urllib.parse import urljoin, urlsplit

import httpx2

from lazyapp.testing.document import Element, parse
from lazyapp.testing.errors import NotOnPage, listed
from lazyapp.testing.fields import said
from lazyapp.testing.form import Form, Sending

SHOWN = 800


@dataclass(frozen=True, slots=True)
class Redirect:
    """One step of the way to a page: what was asked for, and the status and address of the answer."""

    url: str
    status: int
    location: str


class Page:
    """An answer, read when it is asked about. Fields that are filled keep their values until a button is pressed.

    Args:
        response: the last answer, its body read.
        redirects: the answers before it, in order.
        send: sends a form from this page.
        follow: goes to an address from this page.
    """

    def __init__(
        self,
        response: httpx2.Response,
        redirects: Sequence[Redirect],
        send: Callable[["Page", Sending], Awaitable["Page"]],
        follow: Callable[["Page", str], Awaitable["Page"]],
    ) -> None:
        self.response = response
        self.redirects = tuple(redirects)
        self._send = send
        self._follow = follow

    def __repr__(self) -> str:
        return f"Page({self.status} {self.url})"

    @property
    def status(self) -> int:
        """The HTTP status."""
        return self.response.status_code

    @property
    def url(self) -> str:
        """Its address, after all redirects."""
        return str(self.response.url)

    @property
    def path(self) -> str:
        """The address without its origin: path and query."""
        parts = urlsplit(self.url)
        return parts._replace(scheme="", netloc="").geturl() or "/"

    @property
    def location(self) -> str:
        """Where it leads, when it is a redirect that was not followed: to another site, or because the test said so."""
        target = self.response.headers.get("location", "")
        return urljoin(self.url, target) if target else ""

    @property
    def headers(self) -> httpx2.Headers:
        """The headers of the answer."""
        return self.response.headers

    @property
    def text(self) -> str:
        """The body, as it came."""
        return self.response.text

    def json(self) -> Any:
        """The body, read as JSON.

        Raises:
            AssertionError: it is none.
        """
        try:
            return json.loads(self.response.content)
        except ValueError:
            kind = self.headers.get("content-type", "no type")
            raise AssertionError(f"{self!r} is no JSON but {kind}: {self.text[:SHOWN]}") from None

    @cached_property
    def root(self) -> Element:
        """The elements of the page; none where it is not HTML."""
        return parse(self.text if "html" in self.headers.get("content-type", "") else "")

    @property
    def title(self) -> str:
        """The text of its `<title>`."""
        return next((" ".join(each.raw_text.split()) for each in self.root.all("title")), "")

    @property
    def words(self) -> str:
        """What a person reads on it, each run of blanks one blank; the body itself where it is not HTML."""
        return self.root.text if self.root.children else " ".join(self.text.split())

    def see(self, *texts: str) -> Self:
        """Assert that a person reads these texts on the page, which answers itself so that more can follow.

        Raises:
            NotOnPage: one is not there; the message says what is.
        """
        for text in texts:
            if " ".join(text.split()) not in self.words:
                raise NotOnPage(f"{self!r} does not say {text!r}; it says: {self.words[:SHOWN] or 'nothing'}")
        return self

    def see_not(self, *texts: str) -> Self:
        """Assert that a person reads none of these texts on the page.

        Raises:
            NotOnPage: one is there.
        """
        for text in texts:
            if " ".join(text.split()) in self.words:
                raise NotOnPage(f"{self!r} says {text!r}")
        return self

    @property
    def links(self) -> dict[str, str]:
        """The addresses that its links lead to, by their texts; of several with one text, the first."""
        found: dict[str, str] = {}
        for each in self.root.all("a", "area"):
            if each.has("href"):
                found.setdefault(each.text or each.get("aria-label") or each.get("alt") or each.get("title"), each.get("href"))
        return {text: urljoin(self.url, href.strip()) for text, href in found.items()}

    @cached_property
    def forms(self) -> list[Form]:
        """Its forms, in order."""
        return [Form(self.root, each, self.url) for each in self.root.all("form")]

    def form(self, name: str = "") -> Form:
        """The form of this title, button, id or name; without one, the only form.

        Raises:
            NotOnPage: there is none, or several.
        """
        found = [each for each in self.forms if not name or each.is_called(name)]
        if len(found) != 1:
            what = f"{len(found) or 'no'} forms" + (f" called {name!r}" if name else "")
            raise NotOnPage(f"{self!r} has {what}; there are {', '.join(map(repr, self.forms)) or 'none'}")
        return found[0]

    def fill(self, values: Mapping[str, object]) -> Self:
        """Fill the fields of a form, each called by its label; see `Form.fill`.

        Raises:
            NotOnPage: no form, or several, have all these fields.
        """
        self._form_with(values).fill(values)
        return self

    def value(self, field: str) -> object:
        """What a field of the page's forms holds; see `Form.value`.

        Raises:
            NotOnPage: no form, or several, have this field.
        """
        return self._form_with([field]).value(field)

    def _form_with(self, fields: Iterable[str]) -> Form:
        found = [form for form in self.forms if all(form.fields.has(name) for name in fields)]
        if len(found) != 1:
            what = f"{len(found) or 'no'} forms with the fields {listed(fields)}"
            raise NotOnPage(f"{self!r} has {what}; there are {', '.join(map(repr, self.forms)) or 'none'}")
        return found[0]

    async def press(self, button: str = "", form: Form | None = None) -> "Page":
        """Press a button, called by its text or a part of it, and go where its form leads; without a name, the only button.

        Args:
            button: its text.
            form: which form it belongs to, where several have such a button.

        Raises:
            NotOnPage: there is no such button, or several.
        """
        if form is None:
            found = [each for each in self.forms if not button or each.has_button(button)]
            exact = [each for each in found if said(button) in map(said, each.buttons)]
            found = exact or found
            if len(found) != 1:
                texts = listed(text for each in self.forms for text in each.buttons)
                raise NotOnPage(f"{self!r} has {len(found) or 'no'} forms with a button {button!r}; its buttons are {texts}")
            form = found[0]
        return await self._send(self, form.sending(button))

    async def click(self, link: str) -> "Page":
        """Follow a link, called by its text or a part of it.

        Raises:
            NotOnPage: there is no such link, or several.
        """
        exact = {text: url for text, url in self.links.items() if said(text) == said(link)}
        found = exact or {text: url for text, url in self.links.items() if said(link) in said(text)}
        if len(found) != 1:
            raise NotOnPage(f"{self!r} has {len(found) or 'no'} links called {link!r}; its links are {listed(self.links)}")
        return await self._follow(self, next(iter(found.values())))
