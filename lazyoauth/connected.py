"""The page of connected applications: a person sees each login of theirs, and ends those that they do not want any more."""

from datetime import UTC, datetime
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from lazyauth import Credential, InvalidCredentials
from lazyoauth.answers import Answers, redirect, require_same_origin, set_cookie, sign_in_to_pages, ways_in, wrong
from lazyoauth.connections import Connection
from lazyoauth.consent import publisher_of, scope_texts
from lazyoauth.errors import TemporarilyUnavailable
from lazyoauth.http import address_of, read_form, read_query
from lazyoauth.issuer import Issuer
from lazyoauth.metadata import CONNECTIONS
from lazyoauth.names import clean
from lazyoauth.parameters import Parameters
from lazyoauth.redirects import LOOPBACK_HOSTS
from lazyoauth.sign_in import sign_in
from lazyoauth.visits import Visit, Visits


class Connected:
    """The handler of the page.

    Args:
        answers: makes it.
    """

    def __init__(self, answers: Answers) -> None:
        self._answers = answers

    async def show(self, issuer: Issuer, request: Request) -> Response:
        """`GET /oauth/connections`, and `POST`: sign in, or end one login."""
        visits = _visits(issuer)
        known = visits.open(request.cookies)
        visit = await _current(issuer, request, visits, known)
        if request.method == "POST":
            require_same_origin(issuer, request)
            form = await read_form(request)
            visit.check(form.get("visit"))
            return await (self._end(issuer, visit, form) if visit.user_id else self._login(issuer, request, visit, form))
        if visit.user_id:
            page = await self._list(issuer, visit, was_ended=bool(read_query(request).get("ended")))
        else:
            page = self._login_page(issuer, visit, {"username": "", "error": ""})
        return page if visit is known else _keep(issuer, page, visit)

    async def _list(self, issuer: Issuer, visit: Visit, *, was_ended: bool) -> Response:
        found = await issuer.connections.of_user(visit.user_id)
        variables = {
            "title": "Connected apps",
            "action": CONNECTIONS,
            "visit": visit.token,
            "username": visit.user_id,
            "was_ended": was_ended,
            "connections": [await _described(issuer, connection) for connection in found],
        }
        return self._answers.page(issuer, "connections", variables)

    async def _login(self, issuer: Issuer, request: Request, visit: Visit, form: Parameters) -> Response:
        username, asked_at = form.get("username"), issuer.now()
        try:
            user = await sign_in(issuer, Credential(username, form.get("password")), address_of(request))
        except (InvalidCredentials, TemporarilyUnavailable) as error:
            failed = wrong(error)
            variables = {"username": username, "error": failed.sentence}
            return self._login_page(issuer, visit, variables, status=failed.status, headers=failed.headers)
        # What was known before the login opens nothing after it.
        begun = _visits(issuer).begin(user.id, max(asked_at, user.signed_out_at))
        response = _keep(issuer, redirect(CONNECTIONS), begun)
        return sign_in_to_pages(issuer, request, response, user.id, begun.auth_time)

    async def _end(self, issuer: Issuer, visit: Visit, form: Parameters) -> Response:
        """End one login of this person. Another person's is not theirs to see, so it is as if it had ended."""
        family_id = form.get("end")
        if any(one.family_id == family_id for one in await issuer.connections.of_user(visit.user_id)):
            await issuer.families.end(family_id)
            await issuer.connections.forget(family_id)
        return redirect(f"{CONNECTIONS}?ended=1")

    def _login_page(self, issuer: Issuer, visit: Visit, more: dict[str, Any], **http: Any) -> Response:
        variables = {"title": "Sign in", "action": CONNECTIONS, "visit": visit.token, **more, **ways_in(issuer, CONNECTIONS)}
        return self._answers.page(issuer, "sign_in", variables, **http)


async def _current(issuer: Issuer, request: Request, visits: Visits, known: Visit | None) -> Visit:
    """Who is looking: whoever is signed in to the application's pages, or has signed in here; else nobody yet."""
    if issuer.config.browser is not None:
        person = await issuer.config.browser.current(request.scope)
        if person is None:
            return known if known is not None and not known.user_id else visits.begin()
        same = known is not None and (known.user_id, known.auth_time) == (person.user_id, person.auth_time)
        return known if known is not None and same else visits.begin(person.user_id, person.auth_time)
    if known is None or not known.user_id:
        return known or visits.begin()
    user = await issuer.find_user(known.user_id)
    return visits.begin() if user is None or known.auth_time < user.signed_out_at else known


async def _described(issuer: Issuer, connection: Connection) -> dict[str, Any]:
    """A connection as the page tells it. The client is not asked for: a document would have to be fetched for that."""
    publisher = publisher_of(connection.client_id)
    registered = issuer.clients.registry.find(connection.client_id)
    return {
        "family_id": connection.family_id,
        "name": clean(connection.client_name),
        "host": connection.redirect_host,
        "is_local": connection.redirect_host in LOOPBACK_HOSTS,
        "publisher": "" if registered else publisher,
        "is_verified": registered is not None or bool(publisher),
        "permissions": scope_texts(issuer, connection.scope),
        "since": _moment(connection.created_at),
        "last_used": _moment(connection.last_used_at),
    }


def _moment(when: float) -> dict[str, str]:
    """A time for people, and for machines."""
    moment = datetime.fromtimestamp(when, UTC)
    return {"text": f"{moment.day} {moment:%B %Y}, {moment:%H:%M} UTC", "iso": f"{moment:%Y-%m-%dT%H:%MZ}"}


def _visits(issuer: Issuer) -> Visits:
    pending = issuer.transactions
    return Visits(keys=pending.keys, issuer=pending.issuer, lifetime_s=pending.lifetime_s, secure=pending.secure, now=pending.now)


def _keep(issuer: Issuer, response: Response, visit: Visit) -> Response:
    visits = _visits(issuer)
    return set_cookie(issuer, response, visits.cookie_name, visits.seal(visit))
