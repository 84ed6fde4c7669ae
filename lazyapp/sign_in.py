"""`/login` and `/logout`: a person's way in to the pages and out again, without JavaScript.

Drawn behind the application's own routes wherever `Config.auth` or `Config.oauth` says that there are users; a route of the
application at the same path, and views of its own under `sign_in/`, win. Who is signed in afterwards is kept by `visitors.py`.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote, urlencode

from fastapi import Form, HTTPException, Request, Response
from pydantic import BaseModel, SecretStr

import lazyauth
from lazyapp.accept import header
from lazyapp.controller import Controller
from lazyapp.routes import Routes
from lazyapp.security import brings_token
from lazyapp.visitors import Visitors

TEMPLATES = Path(__file__).parent / "templates"
LOGIN, LOGOUT, SSO, CALLBACK = "/login", "/logout", "/login/sso", "/login/callback"
_AFTER = "_after"
# Where a person sees the logins of AI clients, if the authorization server has such a page.
CONNECTIONS = "/oauth/connections"
MAX_NEXT_LENGTH, MAX_KEPT_NEXT = 2_000, 1_200
# same-origin and not no-referrer: browsers without Sec-Fetch-Site would send `Origin: null` with the form, which proves nothing.
HEADERS: Mapping[str, str] = {"cache-control": "no-store", "pragma": "no-cache", "referrer-policy": "same-origin"}
WRONG = "The name or the password is wrong."
# One slash and then a segment, nothing that a browser drops or turns round: `//host`, `/\host` and `/<tab>/host` lead elsewhere.
_OWN = re.compile(r"/(?:[^/\\\x00-\x20\x7f][^\\\x00-\x20\x7f]*)?")


class SignInForm(BaseModel):
    """What the login form sends; what is missing is empty, and so wrong."""

    username: str = ""
    password: SecretStr = SecretStr("")
    next: str = ""


class SignInController(Controller):
    """The login form and the way out."""

    async def new(self, next: str = "") -> Response:  # noqa: A002  (what visitors read in the address)
        """The form; whoever is signed in already goes on."""
        if self.current_user is not None:
            return self.redirect_to(own_path(next))
        return self._form(next)

    async def create(self, visitors: Visitors, form: Annotated[SignInForm, Form()]) -> Response:
        """Sign in. After the password comes a 303, so that no browser sends it on. RFC 9700, section 4.12."""
        _require_our_page(self.request)
        credential = lazyauth.Credential(form.username, form.password.get_secret_value())
        asked_at = visitors.now()
        try:
            user = await visitors.recognise(credential, _address(self.request))
        except lazyauth.InvalidCredentials:
            return self._form(form.next, form.username, WRONG, 422)
        except lazyauth.TooManyTries as error:
            return self._form(form.next, form.username, _sentence(error), 429, {"retry-after": str(error.retry_after_s)})
        except lazyauth.Overloaded as error:
            return self._form(form.next, form.username, _sentence(error), 503, {"retry-after": "5"})
        # Not the time now: whoever was signed out everywhere since the authenticator answered is so here too.
        visitors.begin(self.session, user.id, max(asked_at, user.signed_out_at))
        return self.redirect_to(own_path(form.next))

    async def depart(self, visitors: Visitors, next: str = "") -> Response:  # noqa: A002
        """On to the other provider."""
        if visitors.sso is None:
            raise HTTPException(404)
        after = own_path(next)
        # The way back lies in the cookie, which is small; who comes from further signs in and begins there again.
        self.session[_AFTER] = after if len(after) <= MAX_KEPT_NEXT else "/"
        try:
            response: Response = await visitors.sso.begin(self.request, f"{self.settings.public_url}{CALLBACK}")
        except lazyauth.SignInFailed as error:
            return self._form(after, "", str(error), 502)
        response.headers.update(HEADERS)
        return response

    async def arrive(self, visitors: Visitors) -> Response:
        """Back from the other provider; in another browser than the one that left, nobody is signed in."""
        if visitors.sso is None:
            raise HTTPException(404)
        after = own_path(self.session.pop(_AFTER, ""))
        asked_at = visitors.now()
        try:
            user = await visitors.sso.finish(self.request)
        except lazyauth.SignInFailed as error:
            return self._form(after, "", str(error), 403)
        if not await visitors.is_known(user.id):
            return self._form(after, "", "You have no account here. Ask whoever looks after this site for one.", 403)
        visitors.begin(self.session, user.id, max(asked_at, user.signed_out_at))
        return self.redirect_to(after)

    async def leave(self) -> Response:
        """The page that asks whether to sign out, and says what that does not end."""
        user = self.current_user
        oauth = getattr(self.request.app, "oauth", None)
        connections = CONNECTIONS if oauth is not None and CONNECTIONS in oauth.routes else ""
        return self._shown(
            "leave", {"user_id": user.id if user else "", "has_clients": self._has_clients, "connections": connections}
        )

    async def destroy(self, visitors: Visitors) -> Response:
        """Sign out of the pages in this browser."""
        _require_our_page(self.request)
        visitors.end(self.session)
        self.flash("You are signed out." + (" AI clients that you connected stay connected." if self._has_clients else ""))
        return self.redirect_to(LOGIN)

    @property
    def _has_clients(self) -> bool:
        """Whether there are AI clients whose logins go on when the pages' end."""
        return getattr(self.request.app, "oauth", None) is not None

    def _form(
        self, after: str, username: str = "", error: str = "", status: int = 200, headers: Mapping[str, str] | None = None
    ) -> Response:
        visitors = self.request.app.services.get(Visitors)
        here = own_path(after) if after else ""
        links = sign_in_links(visitors.sso.label, here) if visitors.sso else {}
        variables = {"username": username, "error": error, "next": here, "links": links, "asks_password": visitors.passwords}
        return self._shown("new", variables, status, headers)

    def _shown(
        self, view: str, variables: Mapping[str, object], status: int = 200, headers: Mapping[str, str] | None = None
    ) -> Response:
        # An application without pages of its own has no layout either.
        layout = "app" if self._page.site.views.exists("layouts/app") else "sign_in"
        response = self.rendered({"app_name": self.request.app.title, **variables}, view=view, status=status, layout=layout)
        response.headers.update({**HEADERS, **(headers or {})})
        return response


def draw(routes: Routes) -> None:
    """Draw the pages of this file where the application has none of its own."""
    taken = {(method, route.path) for route in routes for method in route.methods}
    names = {route.name for route in routes}
    for method, path, action, name in (
        ("GET", LOGIN, SignInController.new, "login"),
        ("POST", LOGIN, SignInController.create, "sign_in"),
        ("GET", SSO, SignInController.depart, "single_sign_on"),
        ("GET", CALLBACK, SignInController.arrive, "single_sign_on_callback"),
        ("GET", LOGOUT, SignInController.leave, "logout"),
        ("POST", LOGOUT, SignInController.destroy, "sign_out"),
    ):
        if (method, path) not in taken and name not in names:
            getattr(routes, method.lower())(path, action, name=name)


def sign_in_links(label: str, after: str) -> Mapping[str, str]:
    """The way to the other provider and back to a path of ours, by what its button says."""
    return {label: f"{SSO}?{urlencode({'next': after})}" if after else SSO}


def login_path(scope: Mapping[str, Any], origin: str) -> str:
    """Where to send somebody who must sign in first, so that they come back to what they asked for.

    Args:
        scope: the request that needs a person. What a form sent is lost, so its page is shown again.
        origin: our public origin.
    """
    if scope["method"] in ("GET", "HEAD"):
        query = scope["query_string"].decode("latin-1")
        after = quote(scope["path"]) + (f"?{query}" if query else "")
    else:
        came_from = header(scope, b"referer")
        after = came_from.removeprefix(origin) if came_from.startswith(f"{origin}/") else ""
    return f"{LOGIN}?{urlencode({'next': after})}" if after not in ("", "/") and own_path(after) == after else LOGIN


def own_path(target: str) -> str:
    """The path if it is one of ours that may follow a login, else the home page: nobody is sent to another host from here."""
    path = target.partition("?")[0].partition("#")[0].rstrip("/")
    if len(target) > MAX_NEXT_LENGTH or not _OWN.fullmatch(target) or path in (LOGIN, LOGOUT, SSO, CALLBACK):
        return "/"
    return target


def _require_our_page(request: Request) -> None:
    """Accept a form only with evidence that a page of ours sent it, or a stranger could sign a visitor in as somebody else.

    Cross-site requests were refused before; what is left is a request that says nothing, and one that a token exempted.
    """
    said = request.headers.get("sec-fetch-site") or request.headers.get("origin")
    if not said or brings_token(request.scope):
        raise HTTPException(403, "The form was not sent from this site's own page.")


def _sentence(error: Exception) -> str:
    return f"{str(error)[:1].upper()}{str(error)[1:]}."


def _address(request: Request) -> str:
    return request.client.host if request.client else ""
