"""What is sent to a browser: pages, redirects after forms, cookies; and the evidence that a form is one of ours.

No `form-action` in the policy and no `Cross-Origin-Opener-Policy`: the first stops browsers at the redirect to the client
(https://github.com/PrefectHQ/fastmcp/issues/2302), the second cuts the tie to the window that opened the login
(https://github.com/ory/network/issues/451). After each form comes a 303: RFC 9700, section 4.12.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from lazyoauth.config import Render
from lazyoauth.errors import Forbidden, TemporarilyUnavailable
from lazyoauth.http import NO_STORE
from lazyoauth.issuer import Issuer

HEADERS = NO_STORE | {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
WRONG = "The name or the password is wrong."


@dataclass(frozen=True, slots=True)
class Wrong:
    """A login that did not succeed, as its page says it: one sentence for every kind of wrong."""

    sentence: str
    status: int
    headers: Mapping[str, str]


def wrong(error: Exception) -> Wrong:
    """What to say of an error of `sign_in`."""
    if isinstance(error, TemporarilyUnavailable):
        return Wrong(f"{sentence(error.message)}.", error.status, error.headers())
    return Wrong(WRONG, 422, {})


class Answers:
    """Makes pages.

    Args:
        render: makes a complete page of a view and its variables.
    """

    def __init__(self, render: Render) -> None:
        self._render = render

    def page(
        self,
        issuer: Issuer,
        view: str,
        variables: Mapping[str, Any],
        *,
        status: int = 200,
        headers: Mapping[str, str] | None = None,
    ) -> Response:
        """A page of the view `oauth/…`."""
        html = self._render(f"oauth/{view}", {"app_name": issuer.config.name or issuer.url.partition("://")[2], **variables})
        return Response(html, status_code=status, media_type="text/html", headers={**HEADERS, **(headers or {})})


def sentence(message: str) -> str:
    """The message with a capital, for people."""
    return message[:1].upper() + message[1:]


def redirect(url: str) -> Response:
    """On to this URL, by GET."""
    response = RedirectResponse("/", status_code=303, headers=HEADERS)
    # Set as it is: the client must see the very bytes that it registered.
    response.headers["location"] = url
    return response


def set_cookie(issuer: Issuer, response: Response, name: str, value: str) -> Response:
    """Give the browser a cookie for as long as a login may take."""
    response.set_cookie(
        name,
        value,
        max_age=issuer.config.lifetimes.transaction_s,
        path="/",
        secure=issuer.is_secure,
        httponly=True,
        samesite="lax",
    )
    return response


def delete_cookie(issuer: Issuer, response: Response, name: str) -> None:
    """Take a cookie back."""
    response.delete_cookie(name, path="/", secure=issuer.is_secure, httponly=True, samesite="lax")


def ways_in(issuer: Issuer, after: str) -> dict[str, Any]:
    """What a login page shows: whether it asks for a password, and further ways that lead back to this path, by their labels.

    Where another provider is the only way, a person still presses its button. They read who asks before they leave, `prompt=login`
    is answered by a page, and no provider that answers at once can send a browser round in circles.
    """
    links = issuer.config.sign_in_links(after) if issuer.config.sign_in_links is not None else {}
    return {"links": links, "asks_password": issuer.config.passwords}


def sign_in_to_pages(issuer: Issuer, request: Request, response: Response, user_id: str, auth_time: float) -> Response:
    """One login serves the application's own pages too, where it has any that know one."""
    if issuer.config.browser is not None:
        response.raw_headers.extend(issuer.config.browser.begin(request.scope, user_id, auth_time))
    return response


def require_same_origin(issuer: Issuer, request: Request) -> None:
    """Accept a form only with evidence that a page of ours sent it.

    `same-site` is not enough: another name under the same domain is another party. A browser that does not send
    `Sec-Fetch-Site` sends `Origin`; with neither, nothing is proved.

    Raises:
        Forbidden: there is no such evidence.
    """
    site = request.headers.get("sec-fetch-site")
    trusted = site in ("same-origin", "none") if site is not None else request.headers.get("origin") == issuer.url
    if not trusted:
        raise Forbidden("The form was not sent from this site's own page.", detail="Sec-Fetch-Site or Origin")
