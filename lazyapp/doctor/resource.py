"""Checks of the MCP endpoint and of the documents that describe it: RFC 9728, RFC 6750, MCP 2026-07-28 (authorization)."""

import json
from collections.abc import AsyncIterator

from lazyapp.doctor.finding import Finding, found
from lazyapp.doctor.probe import is_inside, parts_of
from lazyapp.doctor.visit import INITIALIZE, MCP_HEADERS, Visit, challenge_of, strings

_MADE_UP = "Bearer made-up-by-lazyapp-doctor"


async def check_endpoint(visit: Visit) -> AsyncIterator[Finding]:
    """The endpoint answers, at the URL as it is typed, and asks for a token."""
    refusal = visit.refusal
    if not refusal.came:
        is_tls = "certificate" in refusal.reason.lower() or "ssl" in refusal.reason.lower()
        yield found("tls-refused" if is_tls else "endpoint-unreachable", str(refusal))
    elif refusal.is_redirect:
        yield found("endpoint-redirects", f"POST {refusal.url} answers {refusal.status} to {refusal.header('location')}")
    elif refusal.is_ok:
        yield found("endpoint-open", f"POST {refusal.url} without a token answers {refusal.status}")
    elif visit.is_nowhere:
        named = visit.resource.get("resource")
        hint = f"; the document names {_short(named)}: is that the URL?" if isinstance(named, str) and named != visit.url else ""
        yield found("not-the-endpoint", f"POST {refusal}{hint}")
    elif refusal.status != 401:
        yield found("refusal-not-401", f"POST {refusal}")


async def check_slash(visit: Visit) -> AsyncIterator[Finding]:
    """The endpoint and the endpoint with a slash are one: a rule of a load balancer often matches one of them only."""
    bare = visit.url.rstrip("/")
    other = bare if visit.url.endswith("/") else f"{bare}/"
    if not parts_of(bare).path or not visit.refusal.came or visit.is_nowhere:
        return
    answer = await visit.probe.post_json(other, INITIALIZE, MCP_HEADERS)
    if answer.is_redirect:
        yield found("slash-redirects", f"POST {other} answers {answer.status} to {answer.header('location')}")
    elif answer.came and answer.status != visit.refusal.status:
        yield found("slash-elsewhere", f"POST {visit.url} answers {visit.refusal.status}, {other} {answer.status}")


async def check_challenge(visit: Visit) -> AsyncIterator[Finding]:
    """The refusal says where to get a token. RFC 9728, section 5.1."""
    if visit.refusal.status != 401:
        return
    header = visit.refusal.header("www-authenticate")
    if not visit.challenge and "bearer" not in header.lower():
        yield found("challenge-missing", f"401 with WWW-Authenticate: {header or 'none'}")
        return
    if visit.named is None:
        yield found("challenge-names-no-document", f"WWW-Authenticate: {header}")
    elif not visit.named.is_ok or visit.named.document() is None:
        yield found("challenge-names-nothing", f"resource_metadata: {visit.named}")
    elif parts_of(visit.named.url).scheme == "http" and parts_of(visit.url).scheme == "https":
        yield found("challenge-names-http", f'resource_metadata="{visit.named.url}"')
    if "offline_access" in visit.challenge.get("scope", "").split():
        yield found("challenge-offline-access", f'scope="{visit.challenge["scope"]}"')


async def check_bad_token(visit: Visit) -> AsyncIterator[Finding]:
    """A token that is no good is told so: on this answer clients refresh. RFC 6750, section 3.1."""
    if visit.refusal.status != 401:
        return
    answer = await visit.probe.post_json(visit.url, INITIALIZE, {**MCP_HEADERS, "authorization": _MADE_UP})
    if answer.came and answer.status != 401:
        yield found("bad-token-not-401", f"POST with a made-up token answers {answer.status}")
    elif answer.came and challenge_of(answer).get("error") != "invalid_token":
        yield found("bad-token-without-error", f"WWW-Authenticate: {answer.header('www-authenticate') or 'none'}")


async def check_places(visit: Visit) -> AsyncIterator[Finding]:
    """The resource's document is at the well-known place for the path and at the root, and open. RFC 9728, section 3.1."""
    for answer in {visit.path.url: visit.path, visit.root.url: visit.root}.values():
        if answer.status in (401, 403):
            yield found("well-known-guarded", f"GET {answer}")
        elif answer.is_redirect:
            yield found("well-known-redirects", f"GET {answer.url} answers {answer.status} to {answer.header('location')}")
        elif answer.is_ok and (answer.document() is None or answer.kind != "application/json"):
            yield found("document-not-json", f"GET {answer.url} answers {answer.kind or 'no content type'}")
    if not visit.resource and visit.refusal.status == 401:
        yield found("resource-document-missing", f"{visit.path}; {visit.root}")
    elif visit.resource and visit.path.status == 404 and not visit.is_nowhere:
        yield found("resource-document-not-at-path", str(visit.path))
    elif visit.resource and visit.root.status == 404:
        yield found("resource-document-not-at-root", str(visit.root))


async def check_same_body(visit: Visit) -> AsyncIterator[Finding]:
    """Whichever place a client asks, it learns the same."""
    at_path, at_root = visit.path.document(), visit.root.document()
    if visit.path.is_ok and visit.root.is_ok and at_path and at_root and at_path != at_root:
        names = sorted(name for name in {*at_path, *at_root} if at_path.get(name) != at_root.get(name))
        told = "; ".join(f"{name} is {_short(at_path.get(name))} and {_short(at_root.get(name))}" for name in names)
        yield found("resource-documents-differ", told)


async def check_resource(visit: Visit) -> AsyncIterator[Finding]:
    """`resource` is the endpoint's URL, byte for byte. RFC 9728, section 3.3."""
    resource = visit.resource.get("resource")
    if not visit.resource or visit.is_nowhere or resource == visit.url:
        return
    if isinstance(resource, str) and is_inside(resource) and not is_inside(visit.url):
        yield found("names-inside", f"resource is {resource}")
    else:
        yield found("resource-not-the-url", f"resource is {_short(resource)}, the endpoint is {visit.url}")


async def check_servers_named(visit: Visit) -> AsyncIterator[Finding]:
    """The resource names its authorization server, and asks for no `offline_access`. RFC 9728, section 2; SEP-2207."""
    if not visit.resource:
        return
    if not visit.issuer:
        yield found("resource-names-no-server", f"authorization_servers is {_short(visit.resource.get('authorization_servers'))}")
    elif is_inside(visit.issuer) and not is_inside(visit.url):
        yield found("names-inside", f"authorization_servers names {visit.issuer}")
    if "offline_access" in strings(visit.resource.get("scopes_supported")):
        yield found("resource-offline-access", "scopes_supported of the resource has offline_access")
    if nulls := [name for name, value in visit.resource.items() if value is None]:
        yield found("null-members", f"the resource's document has null for {', '.join(nulls)}")


def _short(value: object) -> str:
    return json.dumps(value) if value is not None else "absent"


CHECKS = (
    check_endpoint,
    check_slash,
    check_challenge,
    check_bad_token,
    check_places,
    check_same_body,
    check_resource,
    check_servers_named,
)
