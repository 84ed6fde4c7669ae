"""Checks of the token endpoint's errors and of the published keys: RFC 6749, sections 5.1 and 5.2; RFC 7517.

Clients act on these errors: on `invalid_client` they register again, on `invalid_grant` they ask the person to sign in
again. Any other answer leaves them helpless.
"""

from collections.abc import AsyncIterator

from lazyapp.doctor.finding import Finding, found
from lazyapp.doctor.probe import Answer
from lazyapp.doctor.registration import registered
from lazyapp.doctor.visit import Visit

_PRIVATE = frozenset({"d", "p", "q", "dp", "dq", "qi", "oth", "k"})
_MADE_UP = "made-up-by-lazyapp-doctor"


async def check_unknown_client(visit: Visit) -> AsyncIterator[Finding]:
    """A client that the server does not know is told `invalid_client`, with 401, so that it registers again."""
    endpoint = visit.endpoint("token_endpoint")
    if not endpoint:
        return
    form = {"grant_type": "refresh_token", "refresh_token": _MADE_UP, "client_id": "lazyapp-doctor-unknown"}
    answer = await visit.probe.post_form(endpoint, form)
    if answer.is_redirect:
        yield found("token-redirects", f"POST {endpoint} answers {answer.status} to {answer.header('location')}")
    elif not answer.came:
        yield found("token-unreachable", str(answer))
    elif not is_oauth_error(answer):
        yield found("token-error-unreadable", f"an unknown client: {_told(answer)}")
    elif answer.text_of("error") != "invalid_client":
        yield found("unknown-client-not-told", f"an unknown client: {_told(answer)}")
    elif answer.status != 401:
        yield found("unknown-client-not-401", f"an unknown client: {_told(answer)}")
    if answer.came and not answer.is_redirect and "no-store" not in answer.header("cache-control"):
        yield found("answer-may-be-cached", f"token endpoint: Cache-Control is {answer.header('cache-control') or 'absent'}")


async def check_dead_grant(visit: Visit) -> AsyncIterator[Finding]:
    """A dead refresh token is told `invalid_grant`, with 400: on anything else clients keep it and try for ever."""
    known = registered(visit)
    if known is None or not visit.endpoint("token_endpoint"):
        return
    form = {"grant_type": "refresh_token", "refresh_token": _MADE_UP, "client_id": known[1]}
    answer = await visit.probe.post_form(visit.endpoint("token_endpoint"), form)
    if not answer.came or answer.is_redirect:
        return
    if not is_oauth_error(answer):
        yield found("token-error-unreadable", f"a dead refresh token: {_told(answer)}")
    elif (answer.status, answer.text_of("error")) != (400, "invalid_grant"):
        yield found("dead-grant-not-told", f"a dead refresh token: {_told(answer)}")


async def check_malformed(visit: Visit) -> AsyncIterator[Finding]:
    """Whatever is sent, the answer is the JSON object of RFC 6749, section 5.2, and never a framework's own page."""
    endpoint = visit.endpoint("token_endpoint")
    if not endpoint:
        return
    empty = await visit.probe.post_form(endpoint, {})
    if empty.came and not empty.is_redirect and not is_oauth_error(empty):
        yield found("token-error-unreadable", f"an empty form: {_told(empty)}")
    other = await visit.probe.post_json(endpoint, {"grant_type": "refresh_token"})
    if other.came and not other.is_redirect and not is_oauth_error(other):
        yield found("token-error-unreadable", f"a JSON body: {_told(other)}")


async def check_keys(visit: Visit) -> AsyncIterator[Finding]:
    """The key set can be read, and holds public keys only. RFC 7517, section 9.2."""
    url = visit.endpoint("jwks_uri")
    if not url:
        return
    answer = await visit.probe.get(url)
    if not answer.came:
        return
    keys = (answer.document() or {}).get("keys")
    if not answer.is_ok or not isinstance(keys, list):
        yield found("keys-unreadable", f"GET {answer}")
        return
    if private := sorted({name for key in keys if isinstance(key, dict) for name in _PRIVATE & key.keys()}):
        yield found("keys-private", f"{url} publishes {', '.join(private)}")


def is_oauth_error(answer: Answer) -> bool:
    """Whether it is the object of RFC 6749, section 5.2, with a status that clients understand."""
    is_json = answer.kind == "application/json" and bool(answer.text_of("error"))
    return is_json and answer.status in (400, 401, 403, 413, 415, 429, 503)


def _told(answer: Answer) -> str:
    return f"{answer.status} {answer.text_of('error') or answer.kind or 'without content type'}"


CHECKS = (check_unknown_client, check_dead_grant, check_malformed, check_keys)
