"""Checks of the authorization endpoint and the page that people see there: RFC 6749, section 4.1; RFC 9700; RFC 9207."""

from collections.abc import AsyncIterator, Iterator, Mapping
from urllib.parse import parse_qs, urlencode, urljoin

from lazyapp.doctor.finding import Finding, found
from lazyapp.doctor.probe import Answer, origin_of, parts_of
from lazyapp.doctor.registration import known_clients, registered
from lazyapp.doctor.visit import Visit

# RFC 7636, appendix B. Nobody ever redeems a code for it.
_CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
_STATE = "lazyapp-doctor/1=2"
#: A redirect URI that is nobody's.
STRANGER = "https://lazyapp-doctor.invalid/callback"
_HOPS = 4


async def check_strangers(visit: Visit) -> AsyncIterator[Finding]:
    """An unknown client, and a known one with another's redirect URI, lead to a page only. RFC 6749, section 4.1.2.1."""
    if not visit.endpoint("authorization_endpoint"):
        return
    cases = [("an unknown client", request_of(visit, "lazyapp-doctor-unknown", STRANGER))]
    if (known := registered(visit)) is not None:
        cases.append(("a redirect URI that was not registered", request_of(visit, known[1], STRANGER)))
    for what, parameters in cases:
        for finding in refusal_of(what, await open_page(visit, parameters)):
            yield finding


async def check_clients_welcome(visit: Visit) -> AsyncIterator[Finding]:
    """Each registered client gets a page with the redirect URI that it really uses."""
    for client in known_clients():
        known = registered(visit, client.name)
        if known is None:
            continue
        for uri in client.uses:
            answer = await open_page(visit, request_of(visit, known[1], uri))
            if answer.came and not is_welcome(answer):
                yield found(_fault_of(client.redirect_uris, uri), f"{client.name} with {uri}: {told(answer)}")


async def check_leniency(visit: Visit) -> AsyncIterator[Finding]:
    """What real clients write is understood: a scope with a space before it or that is unknown, no resource, no state."""
    known = registered(visit)
    if known is None:
        return
    client, client_id = known
    good = request_of(visit, client_id, client.uses[0])
    cases = {
        "scope-too-strict": {**good, "scope": " offline_access"},
        "unknown-scope-refused": {**good, "scope": f"{good.get('scope', '')} lazyapp-doctor:unknown".strip()},
        "resource-required": {name: value for name, value in good.items() if name != "resource"},
    }
    if not is_welcome(await open_page(visit, good)):
        return
    for fault, parameters in cases.items():
        answer = await open_page(visit, parameters)
        if answer.came and not is_welcome(answer):
            yield found(fault, told(answer))


async def check_errors_told(visit: Visit) -> AsyncIterator[Finding]:
    """PKCE is demanded; an error goes back to the client with `state` and `iss`. RFC 9700, section 2.1.1; RFC 9207, section 2."""
    known = registered(visit)
    if known is None:
        return
    client, client_id = known
    good = request_of(visit, client_id, client.uses[0])
    bare = await open_page(visit, {name: value for name, value in good.items() if not name.startswith("code_challenge")})
    if bare.came and is_welcome(bare):
        yield found("pkce-not-required", f"a request without code_challenge answers {bare.status}")
    answer = await open_page(visit, {**good, "response_type": "token"})
    if not answer.is_redirect or origin_of(answer.header("location")) != origin_of(client.uses[0]):
        return
    query = parse_qs(parts_of(answer.header("location")).query)
    if query.get("state") != [_STATE]:
        yield found("state-changed", f"state came back as {query.get('state', ['nothing'])[0]}")
    issuer = visit.server.get("issuer")
    if query.get("iss") != [issuer]:
        yield found("iss-missing", f"iss in the answer is {query.get('iss', ['absent'])[0]}, the issuer {issuer}")


async def check_page(visit: Visit) -> AsyncIterator[Finding]:
    """The login page lets the redirect and a popup through, and nobody frame or cache it."""
    known = registered(visit)
    if known is None:
        return
    client, client_id = known
    page = await _follow(visit, await open_page(visit, request_of(visit, client_id, client.uses[0])))
    if not page.is_ok or page.kind != "text/html":
        return
    policy = page.header("content-security-policy").lower()
    if "form-action" in policy:
        yield found("page-form-action", f"Content-Security-Policy: {page.header('content-security-policy')}")
    if page.header("cross-origin-opener-policy").lower().startswith("same-origin"):
        yield found("page-severs-popup", f"Cross-Origin-Opener-Policy: {page.header('cross-origin-opener-policy')}")
    if "frame-ancestors" not in policy and not page.header("x-frame-options"):
        yield found("page-can-be-framed", "neither frame-ancestors nor X-Frame-Options")
    if "no-store" not in page.header("cache-control"):
        yield found("answer-may-be-cached", f"login page: Cache-Control is {page.header('cache-control') or 'absent'}")


def refusal_of(what: str, answer: Answer) -> Iterator[Finding]:
    """What is wrong with the answer to a request whose client or redirect URI cannot be trusted."""
    if answer.is_redirect and origin_of(answer.header("location")) == origin_of(STRANGER):
        yield found("authorize-redirects-strangers", f"{what}: {answer.status} to {STRANGER}")
    elif answer.status >= 500 or (answer.came and not answer.is_redirect and answer.kind != "text/html"):
        yield found("authorize-error-no-page", f"{what}: {answer.status} {answer.kind}")


def request_of(visit: Visit, client_id: str, redirect_uri: str) -> dict[str, str]:
    """An authorization request as clients make it."""
    parameters = {
        "response_type": "code",
        "client_id": client_id,
        "redirect_uri": redirect_uri,
        "code_challenge": _CHALLENGE,
        "code_challenge_method": "S256",
        "state": _STATE,
        "resource": str(visit.resource.get("resource") or visit.url),
    }
    scope = visit.challenge.get("scope", "")
    return parameters | ({"scope": scope} if scope else {})


async def open_page(visit: Visit, parameters: Mapping[str, str]) -> Answer:
    """The answer that a browser gets first; no redirect is followed."""
    endpoint = visit.endpoint("authorization_endpoint")
    url = f"{endpoint}{'&' if '?' in endpoint else '?'}{urlencode(parameters)}"
    return await visit.probe.get(url, {"accept": "text/html", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"})


async def _follow(visit: Visit, answer: Answer) -> Answer:
    """To the page where a person would arrive; a login elsewhere is not followed, for the probe asks named origins only."""
    for _ in range(_HOPS):
        if not answer.is_redirect:
            break
        try:
            there = urljoin(answer.url, answer.header("location"))
        except ValueError:
            break
        answer = await visit.probe.get(there, {"accept": "text/html"})
    return answer


def is_welcome(answer: Answer) -> bool:
    """A page, or the way to one; not an error, shown or sent back."""
    if answer.is_redirect:
        return "error" not in parse_qs(parts_of(answer.header("location")).query)
    return answer.is_ok


def _fault_of(registered_uris: object, uri: str) -> str:
    if isinstance(registered_uris, list) and uri in registered_uris:
        return "redirect-refused"
    return "loopback-port-fixed"


def told(answer: Answer) -> str:
    """What an answer said, in a few words."""
    if answer.is_redirect:
        query = parse_qs(parts_of(answer.header("location")).query)
        return f"sent back with {query.get('error', ['?'])[0]} {query.get('error_description', [''])[0]}".strip()
    return f"{answer.status} {answer.kind}"


CHECKS = (check_strangers, check_clients_welcome, check_leniency, check_errors_told, check_page)
