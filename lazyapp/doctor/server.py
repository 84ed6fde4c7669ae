"""Checks of the authorization server's document: RFC 8414, RFC 9207, MCP 2026-07-28 (authorization)."""

from collections.abc import AsyncIterator

from lazyapp.doctor.finding import Finding, found
from lazyapp.doctor.probe import is_inside, origin_of, parts_of
from lazyapp.doctor.visit import Visit

_ENDPOINTS = ("authorization_endpoint", "token_endpoint")


async def check_places(visit: Visit) -> AsyncIterator[Finding]:
    """The document is where clients look for it, open, and JSON. RFC 8414, section 3."""
    for answer in visit.servers.values():
        if answer.status in (401, 403):
            yield found("well-known-guarded", f"GET {answer}")
        elif answer.is_redirect:
            yield found("well-known-redirects", f"GET {answer.url} answers {answer.status} to {answer.header('location')}")
        elif answer.is_ok and (answer.document() is None or answer.kind != "application/json"):
            yield found("document-not-json", f"GET {answer.url} answers {answer.kind or 'no content type'}")
    documents = [document for answer in visit.servers.values() if answer.is_ok and (document := answer.document())]
    if not documents:
        if visit.issuer:
            yield found("server-document-missing", "; ".join(map(str, visit.servers.values())) or f"{visit.issuer} was not asked")
        return
    # The appended form of OpenID Connect is the fallback of the inserted one; only the first two are asked by everyone.
    missing = [answer for answer in list(visit.servers.values())[:2] if answer.status in (404, 405, 410)]
    if missing:
        yield found("server-document-not-everywhere", "; ".join(map(str, missing)))
    if any(document.get(name) != documents[0].get(name) for document in documents for name in ("issuer", *_ENDPOINTS)):
        yield found("server-documents-differ", "issuer or endpoints are not the same at every well-known place")


async def check_issuer(visit: Visit) -> AsyncIterator[Finding]:
    """The issuer is byte-identical wherever it stands. RFC 8414, section 3.3."""
    if not visit.server:
        return
    issuer = visit.server.get("issuer")
    if not isinstance(issuer, str):
        yield found("issuer-missing", "the server's document has no issuer")
    elif visit.issuer and issuer != visit.issuer:
        seen = f"the resource names {visit.issuer}, the server calls itself {issuer}"
        yield found("issuer-differs-by-slash" if issuer.rstrip("/") == visit.issuer.rstrip("/") else "issuer-differs", seen)
    elif issuer.endswith("/"):
        yield found("issuer-ends-with-slash", f"issuer is {issuer}")


async def check_endpoints(visit: Visit) -> AsyncIterator[Finding]:
    """The endpoints are named, and can be reached from where clients are."""
    if not visit.server:
        return
    if missing := [name for name in _ENDPOINTS if not visit.endpoint(name)]:
        yield found("endpoints-missing", f"the server's document has no {' and no '.join(missing)}")
    if "response_types_supported" not in visit.server:
        yield found("response-types-missing", "the server's document has no response_types_supported")
    if nulls := [name for name, value in visit.server.items() if value is None]:
        yield found("null-members", f"the server's document has null for {', '.join(nulls)}")
    for name in (*_ENDPOINTS, "registration_endpoint", "jwks_uri"):
        url = visit.endpoint(name)
        if url and is_inside(url) and not is_inside(visit.url):
            yield found("names-inside", f"{name} is {url}")
        elif url and parts_of(url).scheme == "http" and not is_inside(url):
            yield found("endpoint-not-https", f"{name} is {url}")
        elif url and visit.issuer and origin_of(url) != origin_of(visit.issuer) and name in _ENDPOINTS:
            yield found("endpoint-elsewhere", f"{name} is {url}, the issuer {visit.issuer}")


async def check_pkce(visit: Visit) -> AsyncIterator[Finding]:
    """S256 is announced, for clients refuse a server that does not; `plain` protects nobody. RFC 9700, section 2.1.1."""
    if not visit.server:
        return
    methods = visit.lists("code_challenge_methods_supported")
    if "S256" not in methods:
        yield found("s256-not-announced", f"code_challenge_methods_supported is {methods or 'absent'}")
    if "plain" in methods:
        yield found("plain-announced", f"code_challenge_methods_supported is {methods}")


async def check_ways_in(visit: Visit) -> AsyncIterator[Finding]:
    """A client that nobody registered by hand has a way in: a client document, or a registration."""
    if not visit.server:
        return
    documents = visit.server.get("client_id_metadata_document_supported") is True
    if not documents and not visit.endpoint("registration_endpoint"):
        yield found("no-way-in", "no registration_endpoint, and client_id_metadata_document_supported is not true")
    elif not documents:
        yield found("client-documents-not-announced", "client_id_metadata_document_supported is not true")
    methods = visit.lists("token_endpoint_auth_methods_supported")
    if "none" not in methods:
        yield found("none-not-announced", f"token_endpoint_auth_methods_supported is {methods or 'absent'}")
    elif methods[0].startswith("client_secret_"):
        yield found("none-not-first", f"token_endpoint_auth_methods_supported is {methods}")


async def check_answers_announced(visit: Visit) -> AsyncIterator[Finding]:
    """`iss` comes with each answer, and staying connected is on offer. RFC 9207, section 3; SEP-2207."""
    if not visit.server:
        return
    if visit.server.get("authorization_response_iss_parameter_supported") is not True:
        yield found("iss-not-announced", "authorization_response_iss_parameter_supported is not true")
    if "offline_access" not in visit.lists("scopes_supported"):
        yield found("offline-access-not-announced", f"scopes_supported is {visit.lists('scopes_supported') or 'absent'}")
    grants = visit.lists("grant_types_supported")
    if grants and "refresh_token" not in grants:
        yield found("refresh-not-announced", f"grant_types_supported is {grants}")


CHECKS = (check_places, check_issuer, check_endpoints, check_pkce, check_ways_in, check_answers_announced)
