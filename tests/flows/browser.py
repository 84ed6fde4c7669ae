"""A small browser: it follows redirects, keeps cookies, fills the forms it finds, and says what browsers say about a request.

What it does beyond a plain HTTP client are the rules that have broken real logins: Sec-Fetch headers, the `Origin: null` that a
`no-referrer` page sends, and a `form-action` policy that also holds for the redirects after a form.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser
from types import TracebackType
from typing import Self
from urllib.parse import urljoin, urlsplit

import httpx2

REDIRECTS = (301, 302, 303, 307, 308)
MAX_REDIRECTS = 20


@dataclass
class Form:
    """A form as a person sees it: fields by name and by label, buttons by their text."""

    action: str
    method: str
    values: dict[str, str] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)
    buttons: list[tuple[str, str, str]] = field(default_factory=list)  # text, name, value

    def filled(self, answers: Mapping[str, str], press: str | None) -> dict[str, str]:
        """What is sent when `answers`, by label or name, are typed in and the button with the text `press` is clicked."""
        values = dict(self.values)
        for asked, answer in answers.items():
            name = next((name for label, name in self.labels.items() if label.casefold() == asked.casefold()), asked)
            if name not in self.values:
                raise LookupError(f"the form has no field {asked!r}, only {[*self.labels, *self.values]}")
            values[name] = answer
        if press is not None:
            pressed = [(name, value) for text, name, value in self.buttons if press.casefold() in text.casefold()]
            if not pressed:
                raise LookupError(f"the form has no button {press!r}, only {[text for text, _, _ in self.buttons]}")
            values.update({name: value for name, value in pressed[:1] if name})
        return values


def _having(forms: Sequence[Form], answers: Mapping[str, str], press: str | None) -> Form:
    """The first form with all of these fields and this button; else the first, whose complaint says what it has."""
    for form in forms:
        try:
            form.filled(answers, press)
        except LookupError:
            continue
        return form
    return forms[0]


class _Reader(HTMLParser):
    """Collects forms, links, title and text of a page."""

    def __init__(self, url: str) -> None:
        super().__init__()
        self.url, self.title, self.text = url, "", ""
        self.forms: list[Form] = []
        self.links: dict[str, str] = {}
        self.stylesheets: list[str] = []
        self._within: list[tuple[str, dict[str, str], int]] = []  # title, label, button, a, textarea: where their text begins
        self._ids: dict[str, str] = {}
        self._labels: list[tuple[Form, str, str]] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attributes}
        if tag == "form":
            self.forms.append(Form(urljoin(self.url, given.get("action") or self.url), given.get("method", "get").upper()))
        elif tag in ("input", "select", "textarea") and self.forms and (name := given.get("name", "")):
            self._field(given, name, given.get("type", "text"))
        elif tag == "link" and given.get("rel") == "stylesheet":
            self.stylesheets.append(urljoin(self.url, given["href"]))
        if tag in ("title", "label", "button", "a", "textarea", "style", "script"):
            self._within.append((tag, given, len(self.text)))

    def _field(self, given: dict[str, str], name: str, kind: str) -> None:
        form = self.forms[-1]
        if kind == "submit":
            form.buttons.append((given.get("value", "Submit"), name, given.get("value", "")))
        elif kind not in ("checkbox", "radio") or "checked" in given:
            form.values[name] = given.get("value", "on" if kind == "checkbox" else "")
        if given.get("id"):
            self._ids[given["id"]] = name
        for tag, _, start in self._within:
            if tag == "label":  # the field stands inside its label
                form.labels[" ".join(self.text[start:].split())] = name

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._name_labels()
        if not self._within or self._within[-1][0] != tag:
            return
        _, given, start = self._within.pop()
        text = " ".join(self.text[start:].split())
        if tag == "title":
            self.title = text
        elif tag == "a" and given.get("href"):
            self.links[text] = urljoin(self.url, given["href"])
        elif tag == "label" and self.forms and given.get("for"):
            self._labels.append((self.forms[-1], text, given["for"]))
        elif tag == "button" and self.forms and given.get("type", "submit") == "submit":
            self.forms[-1].buttons.append((text, given.get("name", ""), given.get("value", "")))
        if tag in ("title", "style", "script"):
            self.text = self.text[:start]

    def _name_labels(self) -> None:
        for form, text, identity in self._labels:
            if identity in self._ids:
                form.labels[text] = self._ids[identity]

    def handle_data(self, data: str) -> None:
        self.text += data


@dataclass
class Page:
    """What the window shows: the last answer, read."""

    response: httpx2.Response
    title: str
    text: str
    forms: list[Form]
    links: dict[str, str]
    stylesheets: list[str]

    @classmethod
    def read(cls, response: httpx2.Response) -> Self:
        reader = _Reader(str(response.url))
        if "html" in response.headers.get("content-type", ""):
            reader.feed(response.text)
            reader.close()
        return cls(response, reader.title, " ".join(reader.text.split()), reader.forms, reader.links, reader.stylesheets)

    @property
    def url(self) -> str:
        return str(self.response.url)

    @property
    def status(self) -> int:
        return self.response.status_code


class Browser:
    """One window with its cookies. `callback` is where a login leads back to: the browser stops there and fetches nothing."""

    def __init__(self, callback: str | None = None) -> None:
        self.callback = callback
        self.page: Page | None = None
        self.came_back: str | None = None
        self._http = httpx2.AsyncClient(timeout=30, headers={"User-Agent": "Mozilla/5.0 (flows)", "Accept": "text/html,*/*;q=0.8"})

    async def __aenter__(self) -> Self:
        await self._http.__aenter__()
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self._http.__aexit__(kind, error, trace)

    async def open(self, url: str) -> Page:
        """Type an address, or follow a link from a program: no page of ours is behind it."""
        return await self._visit("GET", url, None, {"Sec-Fetch-Site": "none"})

    async def submit(self, answers: Mapping[str, str] | None = None, *, press: str | None = None, form: int | None = None) -> Page:
        """Fill a form of the page by label or name, and click its button: the form of that number, or the first that has them."""
        page = self._shown()
        chosen = _having(page.forms, answers or {}, press) if form is None else page.forms[form]
        sent = chosen.filled(answers or {}, press)
        action, method = chosen.action, chosen.method
        same = origin(action) == origin(page.url)
        headers = {"Sec-Fetch-Site": "same-origin" if same else "cross-site"}
        policy = page.response.headers.get("referrer-policy", "strict-origin-when-cross-origin")
        if policy not in ("no-referrer", "origin", "strict-origin") and same:
            headers["Referer"] = page.url
        if method == "POST":
            # Fetch, "append a request Origin header": a page that sends no referrer sends no origin with its forms either.
            headers["Origin"] = "null" if policy == "no-referrer" or (policy == "same-origin" and not same) else origin(page.url)
        return await self._visit(method, action, sent, headers)

    async def log_in(self, url: str, user: str, password: str) -> str:
        """From an authorization URL through the login and consent forms to the address the client is called back with."""
        await self.open(url)
        if any("password" in form.values for form in self._shown().forms):
            await self.submit({"User name": user, "Password": password})
        if self.came_back is None:
            await self.submit(press="Allow")
        if self.came_back is None:
            page = self._shown()
            raise AssertionError(f"the login ended at {page.url} ({page.status}): {page.text[:500]}")
        return self.came_back

    async def _visit(self, method: str, url: str, values: Mapping[str, str] | None, headers: dict[str, str]) -> Page:
        headers = {"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document", "Sec-Fetch-User": "?1", **headers}
        started, policy = url, form_action(self.page.response) if values is not None and self.page else None
        self.came_back = None
        for _ in range(MAX_REDIRECTS):
            if policy is not None and not allows(policy, url, self._shown().url):
                raise AssertionError(f"form-action {policy} of {self._shown().url} blocks {url}")
            if self.callback and url.startswith(self.callback):
                self.came_back = url
                return self._shown()
            in_body = method == "POST"
            request = self._http.build_request(
                method, url, data=values if in_body else None, params=None if in_body or values is None else values, headers=headers
            )
            response = await self._http.send(request)
            if response.status_code not in REDIRECTS or "location" not in response.headers:
                self.page = Page.read(response)
                return self.page
            url = urljoin(str(response.url), response.headers["location"])
            if response.status_code not in (307, 308):
                method, values = "GET", None
                headers.pop("Origin", None)
            if origin(url) != origin(started) and headers["Sec-Fetch-Site"] != "none":
                headers["Sec-Fetch-Site"] = "cross-site"
        raise AssertionError(f"{started} redirects without end")

    def _shown(self) -> Page:
        assert self.page is not None, "open a page first"
        return self.page


def origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def form_action(response: httpx2.Response) -> list[str] | None:
    """The sources of the page's `form-action`, or None when its policy has none."""
    for directive in response.headers.get("content-security-policy", "").split(";"):
        name, *sources = directive.split() or [""]
        if name == "form-action":
            return sources
    return None


def allows(sources: list[str], url: str, page: str) -> bool:
    """CSP Level 3, 6.4.1: as Chromium reads it, the target of every redirect after the form is checked too."""
    own = {"'self'": origin(page), "*": origin(url)}
    return any(own.get(source, source) in (origin(url), f"{urlsplit(url).scheme}:") for source in sources)
