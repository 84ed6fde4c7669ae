"""A person's browser, without scripts: it keeps cookies, follows redirects, and says of a request what browsers say.

What it says beyond a plain HTTP client are the things that logins and forms depend on: the Fetch metadata headers, the origin of
what a form sends, and the page that a request came from.
"""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urljoin, urlsplit

import httpx2

from lazyapp.testing.errors import NotOnPage
from lazyapp.testing.form import Sending
from lazyapp.testing.page import Page, Redirect
from lazyapp.testing.transport import FAILURES

MAX_REDIRECTS = 20
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_HTML = "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8"


class Browser:
    """One browser with cookies of its own.

    Args:
        http: sends the requests, follows no redirect, and keeps the cookies.
        origin: the application's public origin.
        raise_errors: raise what fails in the application, instead of answering its error page.
    """

    def __init__(self, http: httpx2.AsyncClient, origin: str, *, raise_errors: bool = True) -> None:
        self.http = http
        self.url = origin
        self._raise_errors = raise_errors
        self._page: Page | None = None

    @property
    def page(self) -> Page:
        """The page that is shown: the last answer.

        Raises:
            NotOnPage: nothing was asked for yet.
        """
        if self._page is None:
            raise NotOnPage("no page is open; `await client.get(…)` opens one")
        return self._page

    @property
    def cookies(self) -> httpx2.Cookies:
        """The cookies that it has been given; a test may add some."""
        return self.http.cookies

    async def get(self, path: str, *, params: Mapping[str, Any] | None = None, **options: Any) -> Page:
        """Type an address; see `request`."""
        return await self.request("GET", path, params=params, **options)

    async def post(self, path: str, *, data: Any = None, json: Any = None, **options: Any) -> Page:
        """Send what no form on a page sends; see `request`."""
        return await self.request("POST", path, data=data, json=json, **options)

    async def put(self, path: str, *, data: Any = None, json: Any = None, **options: Any) -> Page:
        """As `post`."""
        return await self.request("PUT", path, data=data, json=json, **options)

    async def patch(self, path: str, *, data: Any = None, json: Any = None, **options: Any) -> Page:
        """As `post`."""
        return await self.request("PATCH", path, data=data, json=json, **options)

    async def delete(self, path: str, **options: Any) -> Page:
        """As `post`, without a body."""
        return await self.request("DELETE", path, **options)

    async def request(
        self,
        method: str,
        path: str,
        *,
        headers: Mapping[str, str] | None = None,
        follow: bool = True,
        json: Any = None,
        **options: Any,
    ) -> Page:
        """Send a request, as a page of the application itself could, and follow where it is led.

        Args:
            path: a path of the application, or an address of it in full.
            headers: more headers; they win over the browser's own.
            follow: whether redirects are followed, within the application.
            json: sent as JSON; the answer is then asked for as JSON too.
            options: httpx2's `params`, `data`, `files`, `content`.
        """
        url = self._own(path)
        kind = {"accept": "application/json"} if json is not None else {}
        said = {**self._says(method, url, None), **kind, **(headers or {})}
        request = self.http.build_request(method, url, headers=said, json=json, **options)
        return await self._visit(request, follow=follow)

    async def _press(self, page: Page, sending: Sending) -> Page:
        headers = self._says(sending.method, sending.url, page)
        if sending.content_type:
            headers["content-type"] = sending.content_type
        content = sending.content if sending.method == "POST" else None
        return await self._visit(self.http.build_request(sending.method, self._own(sending.url), headers=headers, content=content))

    async def _follow(self, page: Page, url: str) -> Page:
        if urlsplit(url)._replace(fragment="") == urlsplit(page.url)._replace(fragment="") and "#" in url:
            return page
        return await self._visit(self.http.build_request("GET", self._own(url), headers=self._says("GET", url, page)))

    async def _visit(self, request: httpx2.Request, *, follow: bool = True) -> Page:
        redirects: list[Redirect] = []
        while True:
            response = await self.http.send(request)
            self._raise(response)
            page = Page(response, redirects, self._press, self._follow)
            if not follow or response.status_code not in _REDIRECTS or not self._is_own(page.location):
                self._page = page
                return page
            redirects.append(Redirect(page.url, page.status, page.location))
            if len(redirects) > MAX_REDIRECTS:
                way = " → ".join(each.location for each in redirects[-4:])
                raise AssertionError(f"{redirects[0].url} redirects without end: {way}")
            request = self._redirected(request, response.status_code, page.location)

    def _redirected(self, request: httpx2.Request, status: int, location: str) -> httpx2.Request:
        kept = {name: value for name, value in request.headers.items() if name in ("accept", "referer") or name.startswith("sec-")}
        if status in (307, 308):
            kept |= {name: value for name, value in request.headers.items() if name in ("content-type", "origin")}
            return self.http.build_request(request.method, location, headers=kept, content=request.content)
        # Fetch, section 4.4, step 12: anything else is asked for again with GET, without a body; HEAD stays HEAD.
        return self.http.build_request("HEAD" if request.method == "HEAD" else "GET", location, headers=kept)

    def _raise(self, response: httpx2.Response) -> None:
        failures: Sequence[BaseException] = response.extensions.get(FAILURES, ())
        if self._raise_errors and response.status_code == 500 and failures:
            raise failures[0]

    def _says(self, method: str, url: str, page: Page | None) -> dict[str, str]:
        """What a browser says of a request: from which page it comes, if from any, and that a person wants it."""
        is_typed = page is None and method in ("GET", "HEAD")
        headers = {
            "accept": _HTML,
            "sec-fetch-site": "none" if is_typed else "same-origin",
            "sec-fetch-mode": "navigate",
            "sec-fetch-dest": "document",
            "sec-fetch-user": "?1",
        }
        # Fetch, "append a request Origin header": a page that sends no referrer sends no origin with its forms either.
        is_silent = page is not None and page.headers.get("referrer-policy") == "no-referrer"
        if method not in ("GET", "HEAD"):
            headers["origin"] = "null" if is_silent else self.url
        if page is not None and not is_silent:
            headers["referer"] = page.url.partition("#")[0]
        return headers

    def _is_own(self, url: str) -> bool:
        parts = urlsplit(url)
        return f"{parts.scheme}://{parts.netloc}" == self.url

    def _own(self, path: str) -> str:
        url = urljoin(f"{self.url}/", path)
        if not self._is_own(url):
            raise NotOnPage(f"{url} is not an address of this application, whose origin is {self.url}; nothing is sent elsewhere")
        return url
