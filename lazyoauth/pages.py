"""The pages for people: authorize, login, consent, and the error page. They work without JavaScript.

No `form-action` in the policy and no `Cross-Origin-Opener-Policy`: the first stops browsers at the redirect to the client
(https://github.com/PrefectHQ/fastmcp/issues/2302), the second cuts the tie to the window that opened the login
(https://github.com/ory/network/issues/451). After each form comes a 303: RFC 9700, section 4.12.
"""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from lazyauth import Credential, InvalidCredentials
from lazyoauth import authorize as authorization
from lazyoauth.config import TEMPLATES, Render
from lazyoauth.errors import ExpiredTransaction, Forbidden, OAuthError, TemporarilyUnavailable
from lazyoauth.http import NO_STORE, Handler, address_of, read_form, read_query
from lazyoauth.issuer import Issuer
from lazyoauth.metadata import CONSENT, LOGIN
from lazyoauth.records import Client, Transaction
from lazyoauth.scopes import OFFLINE_ACCESS, split
from lazyoauth.sign_in import sign_in

HEADERS = NO_STORE | {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
# Enough for every tab a person has open; more than that is somebody filling the cookie jar.
MAX_PENDING = 16
STYLESHEET = TEMPLATES / "oauth" / "style.css"


class Pages:
    """The handlers of the pages.

    Args:
        render: makes a complete page of a view and its variables.
    """

    def __init__(self, render: Render) -> None:
        self._render = render

    async def authorize(self, issuer: Issuer, request: Request) -> Response:
        """`GET` and `POST /oauth/authorize`. RFC 6749, section 3.1 asks for GET and allows POST."""
        parameters = read_query(request) if request.method in ("GET", "HEAD") else await read_form(request)
        target = await authorization.find_target(issuer, parameters)
        try:
            asked = authorization.check(issuer, target, parameters)
        except OAuthError as error:
            return _redirect(authorization.error_url(issuer, target.redirect_uri, target.state, error))
        transaction, secret = issuer.transactions.begin(asked)
        variables = {"username": parameters.get("login_hint")[:200], "error": ""}
        response = self._login_page(issuer, transaction, target.client, variables)
        _discard_surplus(issuer, request, response)
        return _with_cookie(issuer, response, transaction, secret)

    async def login(self, issuer: Issuer, request: Request) -> Response:
        """`POST /oauth/login`."""
        _require_same_origin(issuer, request)
        form = await read_form(request)
        transaction = issuer.transactions.open(form.get("transaction"), request.cookies)
        username = form.get("username")
        try:
            user = await sign_in(issuer, Credential(username, form.get("password")), address_of(request))
        except (InvalidCredentials, TemporarilyUnavailable) as error:
            client = await self._client(issuer, transaction)
            return self._failed_login(issuer, transaction, client, username, error)
        signed, secret = issuer.transactions.sign_in(transaction, user.id)
        query = urlencode({"transaction": issuer.transactions.seal(signed)})
        return _with_cookie(issuer, _redirect(f"{CONSENT}?{query}"), signed, secret)

    async def consent(self, issuer: Issuer, request: Request) -> Response:
        """`GET` and `POST /oauth/consent`: the question, and the answer. It is asked every time."""
        if request.method != "POST":
            return await self._consent_page(issuer, request)
        _require_same_origin(issuer, request)
        form = await read_form(request)
        transaction = _signed_in(issuer.transactions.open(form.get("transaction"), request.cookies))
        if form.get("decision") == "allow":
            try:
                url = await authorization.approve(issuer, transaction)
            except TemporarilyUnavailable as error:
                url = authorization.error_url(issuer, transaction.request.redirect_uri, transaction.request.state, error)
        else:
            # Whatever is not a clear yes is a no.
            url = authorization.deny(issuer, transaction)
        response = _redirect(url)
        # Answered once: the same page sent again finds no cookie.
        _delete_cookie(issuer, response, issuer.transactions.cookie_name(transaction))
        return response

    def error(self, issuer: Issuer, _: Request, error: OAuthError) -> Response:
        """The page for what cannot be told to the client. It leads nowhere: RFC 6749, section 4.1.2.1."""
        message = error.message[:1].upper() + error.message[1:]
        variables = {"title": "This sign-in cannot go on", "message": message, "code": error.code}
        return self._page(issuer, "oauth/error", variables, status=error.status, headers=dict(error.headers()))

    async def _consent_page(self, issuer: Issuer, request: Request) -> Response:
        sealed = read_query(request).get("transaction")
        transaction = _signed_in(issuer.transactions.open(sealed, request.cookies))
        client = await self._client(issuer, transaction)
        variables = _about(client, transaction) | {
            "title": "Allow access?",
            "action": CONSENT,
            "transaction": sealed,
            "username": transaction.user_id,
            "permissions": _permissions(issuer, client, transaction),
        }
        return self._page(issuer, "oauth/consent", variables)

    def _failed_login(self, issuer: Issuer, transaction: Transaction, client: Client, username: str, error: Exception) -> Response:
        """The page again with what was typed, save the password, and one sentence for every kind of wrong."""
        if isinstance(error, TemporarilyUnavailable):
            variables = {"username": username, "error": f"{error.message[:1].upper()}{error.message[1:]}."}
            return self._login_page(issuer, transaction, client, variables, error.status, dict(error.headers()))
        variables = {"username": username, "error": "The name or the password is wrong."}
        return self._login_page(issuer, transaction, client, variables, 422)

    def _login_page(
        self,
        issuer: Issuer,
        transaction: Transaction,
        client: Client,
        variables: dict[str, Any],
        status: int = 200,
        headers: dict[str, str] | None = None,
    ) -> Response:
        sealed = issuer.transactions.seal(transaction)
        page = _about(client, transaction) | {"title": "Sign in", "action": LOGIN, "transaction": sealed} | variables
        return self._page(issuer, "oauth/login", page, status=status, headers=headers)

    def _page(
        self, issuer: Issuer, view: str, variables: dict[str, Any], *, status: int = 200, headers: dict[str, str] | None = None
    ) -> Response:
        html = self._render(view, {"app_name": issuer.config.name or issuer.url.partition("://")[2], **variables})
        return Response(html, status_code=status, media_type="text/html", headers=HEADERS | (headers or {}))

    async def _client(self, issuer: Issuer, transaction: Transaction) -> Client:
        client = await issuer.clients.find(transaction.request.client_id)
        if client is None:
            raise ExpiredTransaction("The application that sent you here is no longer registered with this server.")
        return client


def _about(client: Client, transaction: Transaction) -> dict[str, Any]:
    """Who is asking, for every page: the host is where the answer goes, the name is only what the client calls itself."""
    return {
        "client_name": client.name,
        "client_host": transaction.request.redirect_host,
        "client_verified": client.verified,
        "client_is_local": transaction.request.leads_to_this_machine,
    }


def _permissions(issuer: Issuer, client: Client, transaction: Transaction) -> list[str]:
    """What a yes allows, in words."""
    name = issuer.config.name or "this application"
    known = {"mcp": f"Use {name} as you: its tools, and the data you can see"}
    granted = [scope for scope in split(transaction.request.scope) if scope != OFFLINE_ACCESS]
    words = [known.get(scope, f"{scope} in {name}") for scope in granted]
    if "refresh_token" in client.grant_types:
        days = issuer.config.lifetimes.refresh_absolute_s // 86_400
        words.append(f"Stay connected for up to {days} days without asking again" if days > 1 else "Stay connected for a while")
    return words


def _signed_in(transaction: Transaction) -> Transaction:
    if not transaction.user_id:
        raise ExpiredTransaction("Sign in first. Go back to the application and connect again.")
    return transaction


def _require_same_origin(issuer: Issuer, request: Request) -> None:
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


def _redirect(url: str) -> Response:
    response = RedirectResponse("/", status_code=303, headers=HEADERS)
    # Set as it is: the client must see the very bytes that it registered.
    response.headers["location"] = url
    return response


def _with_cookie(issuer: Issuer, response: Response, transaction: Transaction, secret: str) -> Response:
    response.set_cookie(
        issuer.transactions.cookie_name(transaction),
        secret,
        max_age=issuer.config.lifetimes.transaction_s,
        path="/",
        secure=issuer.is_secure,
        httponly=True,
        samesite="lax",
    )
    return response


def _delete_cookie(issuer: Issuer, response: Response, name: str) -> None:
    response.delete_cookie(name, path="/", secure=issuer.is_secure, httponly=True, samesite="lax")


def _discard_surplus(issuer: Issuer, request: Request, response: Response) -> None:
    """Browsers send older cookies first (RFC 6265, section 5.4): the oldest pending logins give way."""
    pending = [name for name in request.cookies if name.startswith(issuer.transactions.cookie_prefix)]
    for name in pending[: max(0, len(pending) - MAX_PENDING + 1)]:
        _delete_cookie(issuer, response, name)


def standalone() -> Render:
    """Complete pages for an application that brings none: this package's views within its own layout."""
    # Jinja is wanted by such an application only.
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined, trim_blocks=True)

    def render(view: str, variables: Mapping[str, Any]) -> str:
        content = environment.get_template(f"{view}.html.j2").render(variables)
        # Markup: it was escaped while it was rendered.
        return environment.get_template("oauth/layout.html.j2").render(variables, content=Markup(content))  # noqa: S704

    return render


def stylesheet(text: str) -> Handler:
    """A handler for the stylesheet of those pages."""

    async def handler(_issuer: Issuer, _request: Request) -> Response:
        return Response(text, media_type="text/css", headers={"Cache-Control": "public, max-age=3600"})

    return handler
