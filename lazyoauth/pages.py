"""The pages of a login: authorize, login, consent, and the error page. They work without JavaScript."""

from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response

from lazyauth import Credential, InvalidCredentials
from lazyoauth import authorize as authorization
from lazyoauth.answers import (
    Answers,
    delete_cookie,
    redirect,
    require_same_origin,
    sentence,
    set_cookie,
    sign_in_to_pages,
    ways_in,
    wrong,
)
from lazyoauth.consent import about, is_remembered, permissions
from lazyoauth.errors import ExpiredTransaction, Forbidden, OAuthError, TemporarilyUnavailable, UntrustedRedirect
from lazyoauth.http import address_of, read_form, read_query
from lazyoauth.issuer import Issuer
from lazyoauth.metadata import CONSENT, LOGIN
from lazyoauth.records import Client, Transaction
from lazyoauth.sign_in import sign_in

# Enough for every tab a person has open; more than that is somebody filling the cookie jar.
MAX_PENDING = 16
_ADVICE = (
    (UntrustedRedirect, "In the application, remove this connection and add it again. If that does not help, tell its makers."),
    (ExpiredTransaction, "Close this page, go back to the application and connect again."),
    (Forbidden, "Close this page, go back to the application and connect again. Never sign in on a page that came by surprise."),
    (TemporarilyUnavailable, "Wait a little, then go back to the application and connect again."),
)


class Pages:
    """The handlers of the pages.

    Args:
        answers: makes them.
    """

    def __init__(self, answers: Answers) -> None:
        self._answers = answers

    async def authorize(self, issuer: Issuer, request: Request) -> Response:
        """`GET` and `POST /oauth/authorize`. RFC 6749, section 3.1 asks for GET and allows POST."""
        parameters = read_query(request) if request.method in ("GET", "HEAD") else await read_form(request)
        target = await authorization.find_target(issuer, parameters)
        try:
            asked = authorization.check(issuer, target, parameters)
        except OAuthError as error:
            return redirect(authorization.error_url(issuer, target.redirect_uri, target.state, error))
        prompts = set(parameters.get("prompt").split())
        transaction, secret = issuer.transactions.begin(asked, must_ask="consent" in prompts)
        person = None
        if issuer.config.browser is not None and prompts.isdisjoint(("login", "select_account")):
            person = await issuer.config.browser.current(request.scope)
        if person is not None:
            signed, secret = issuer.transactions.sign_in(transaction, person.user_id, person.auth_time)
            response = await self._after_login(issuer, target.client, signed, secret)
        else:
            hint = {"username": parameters.get("login_hint")[:200], "error": ""}
            response = self._login_page(issuer, transaction, target.client, hint)
            _keep(issuer, response, transaction, secret)
        _discard_surplus(issuer, request, response)
        return response

    async def login(self, issuer: Issuer, request: Request) -> Response:
        """`POST /oauth/login`."""
        require_same_origin(issuer, request)
        form = await read_form(request)
        transaction = issuer.transactions.open(form.get("transaction"), request.cookies)
        client = await self._client(issuer, transaction)
        username, asked_at = form.get("username"), issuer.now()
        try:
            user = await sign_in(issuer, Credential(username, form.get("password")), address_of(request))
        except (InvalidCredentials, TemporarilyUnavailable) as error:
            # The page again with what was typed, save the password.
            failed = wrong(error)
            variables = {"username": username, "error": failed.sentence}
            return self._login_page(issuer, transaction, client, variables, status=failed.status, headers=failed.headers)
        # Not the time now: whoever was signed out everywhere since the authenticator answered is so here too.
        signed, secret = issuer.transactions.sign_in(transaction, user.id, max(asked_at, user.signed_out_at))
        response = await self._after_login(issuer, client, signed, secret)
        return sign_in_to_pages(issuer, request, response, user.id, signed.auth_time)

    async def consent(self, issuer: Issuer, request: Request) -> Response:
        """`GET` and `POST /oauth/consent`: the question, and the answer."""
        if request.method != "POST":
            return await self._consent_page(issuer, request)
        require_same_origin(issuer, request)
        form = await read_form(request)
        transaction = _signed_in(issuer.transactions.open(form.get("transaction"), request.cookies))
        decision = form.get("decision")
        if decision == "switch":
            return await self._switch(issuer, transaction)
        # Whatever is not a clear yes is a no.
        url = await _approved(issuer, transaction) if decision == "allow" else authorization.deny(issuer, transaction)
        response = redirect(url)
        # Answered once: the same page sent again finds no cookie.
        delete_cookie(issuer, response, issuer.transactions.cookie_name(transaction))
        return response

    def error(self, issuer: Issuer, _: Request, error: OAuthError) -> Response:
        """The page for what cannot be told to the client. It leads nowhere: RFC 6749, section 4.1.2.1."""
        advice = next((words for kind, words in _ADVICE if isinstance(error, kind)), "")
        variables = {
            "title": "This sign-in cannot go on",
            "message": sentence(error.message),
            "advice": advice or "Go back to the application and connect again. If that does not help, tell its makers.",
            "code": error.code,
        }
        return self._answers.page(issuer, "error", variables, status=error.status, headers=error.headers())

    async def _after_login(self, issuer: Issuer, client: Client, transaction: Transaction, secret: str) -> Response:
        """On to the question, or to the client if it was answered before."""
        if await is_remembered(issuer, client, transaction):
            response = redirect(await _approved(issuer, transaction))
            delete_cookie(issuer, response, issuer.transactions.cookie_name(transaction))
            return response
        response = redirect(f"{CONSENT}?{urlencode({'transaction': issuer.transactions.seal(transaction)})}")
        return _keep(issuer, response, transaction, secret)

    async def _switch(self, issuer: Issuer, transaction: Transaction) -> Response:
        """The login page again, for somebody who is signed in as somebody else."""
        anew, secret = issuer.transactions.begin(transaction.request, must_ask=transaction.must_ask)
        page = self._login_page(issuer, anew, await self._client(issuer, transaction), {"username": "", "error": ""})
        delete_cookie(issuer, page, issuer.transactions.cookie_name(transaction))
        return _keep(issuer, page, anew, secret)

    async def _consent_page(self, issuer: Issuer, request: Request) -> Response:
        sealed = read_query(request).get("transaction")
        transaction = _signed_in(issuer.transactions.open(sealed, request.cookies))
        client = await self._client(issuer, transaction)
        variables = about(client, transaction.request) | {
            "title": "Allow access?",
            "action": CONSENT,
            "transaction": sealed,
            "username": transaction.user_id,
            "permissions": permissions(issuer, client, transaction.request.scope),
        }
        return self._answers.page(issuer, "consent", variables)

    def _login_page(self, issuer: Issuer, transaction: Transaction, client: Client, more: dict[str, Any], **http: Any) -> Response:
        sealed = issuer.transactions.seal(transaction)
        page = about(client, transaction.request) | {"title": "Sign in", "action": LOGIN, "transaction": sealed} | more
        page |= ways_in(issuer, authorization.path_of(transaction.request, must_ask=transaction.must_ask))
        return self._answers.page(issuer, "login", page, **http)

    async def _client(self, issuer: Issuer, transaction: Transaction) -> Client:
        client = await issuer.clients.find(transaction.request.client_id)
        if client is None:
            raise ExpiredTransaction("The application that sent you here is no longer registered with this server.")
        return client


async def _approved(issuer: Issuer, transaction: Transaction) -> str:
    try:
        return await authorization.approve(issuer, transaction)
    except TemporarilyUnavailable as error:
        return authorization.error_url(issuer, transaction.request.redirect_uri, transaction.request.state, error)


def _signed_in(transaction: Transaction) -> Transaction:
    if not transaction.user_id:
        raise ExpiredTransaction("Sign in first. Go back to the application and connect again.")
    return transaction


def _keep(issuer: Issuer, response: Response, transaction: Transaction, secret: str) -> Response:
    return set_cookie(issuer, response, issuer.transactions.cookie_name(transaction), secret)


def _discard_surplus(issuer: Issuer, request: Request, response: Response) -> None:
    """Browsers send older cookies first (RFC 6265, section 5.4): the oldest pending logins give way."""
    pending = [name for name in request.cookies if name.startswith(issuer.transactions.cookie_prefix)]
    for name in pending[: max(0, len(pending) - MAX_PENDING + 1)]:
        delete_cookie(issuer, response, name)
