"""Checks of what stands between clients and the application: CORS, firewalls by user agent, port, TLS, clock."""

import time
from collections.abc import AsyncIterator, Iterator
from email.utils import parsedate_to_datetime

from lazyapp.doctor.finding import Finding, found
from lazyapp.doctor.probe import Answer, is_inside, parts_of
from lazyapp.doctor.visit import INITIALIZE, MCP_HEADERS, Visit

# MCP Inspector's own address, the page that developers use; a server may well turn away pages that nobody knows.
_PAGE = "http://localhost:6274"
_WANTED = ("authorization", "content-type", "mcp-protocol-version")
#: Claude asks for OAuth documents with one agent and calls MCP with another; firewalls know neither as a browser.
VENDORS = ("python-httpx/0.28.1", "Claude-User", "openai-mcp/1.0.0")
MAX_SKEW_S = 60.0


async def check_preflights(visit: Visit) -> AsyncIterator[Finding]:
    """A page's script may ask: the preflight needs no token and allows the headers that MCP clients send. Fetch, section 4.8."""
    if not visit.refusal.came:
        return
    token = visit.endpoint("token_endpoint")
    for url, wanted in (("" if visit.is_nowhere else visit.url, _WANTED), (token, ("content-type", "mcp-protocol-version"))):
        if not url:
            continue
        headers = {
            "origin": _PAGE,
            "access-control-request-method": "POST",
            "access-control-request-headers": ", ".join(wanted),
        }
        answer = await visit.probe.ask("OPTIONS", url, headers=headers)
        allowed = {name.strip().lower() for name in answer.header("access-control-allow-headers").split(",")}
        # The asterisk stands for every header but Authorization: Fetch, section 4.8.
        missing = [name for name in wanted if name not in allowed and ("*" not in allowed or name == "authorization")]
        if not answer.came:
            continue
        if answer.status == 403:
            yield found("pages-turned-away", f"OPTIONS {url} from a page of {_PAGE} answers 403")
        elif not answer.is_ok or not _lets_in(answer):
            yield found("preflight-refused", f"OPTIONS {url} answers {answer.status}, {_cors(answer)}")
        elif missing:
            yield found("preflight-lacks-headers", f"OPTIONS {url} does not allow {', '.join(missing)}")


async def check_readable(visit: Visit) -> AsyncIterator[Finding]:
    """A page's script may read the refusal with its challenge, and the documents."""
    for finding in _refusal_readable(await visit.probe.post_json(visit.url, INITIALIZE, {**MCP_HEADERS, "origin": _PAGE})):
        yield finding
    places = [answer.url for answer in (visit.path, *visit.servers.values()) if answer.is_ok][:2]
    for url in places:
        answer = await visit.probe.get(url, {"origin": _PAGE})
        if answer.is_ok and not _lets_in(answer):
            yield found("document-unreadable-by-pages", f"GET {url}, {_cors(answer)}")
        if answer.header("access-control-allow-credentials").lower() == "true":
            yield found("cors-with-credentials", f"GET {url} allows credentials for {answer.header('access-control-allow-origin')}")


async def check_vendors(visit: Visit) -> AsyncIterator[Finding]:
    """The user agents of hosted clients get the answer that others get."""
    if not visit.refusal.came or visit.refusal.is_redirect:
        return
    document = next((answer for answer in (visit.path, visit.root) if answer.is_ok), None)
    for agent in VENDORS:
        answer = await visit.probe.post_json(visit.url, INITIALIZE, {**MCP_HEADERS, "user-agent": agent})
        if answer.status != visit.refusal.status:
            seen = answer.status or answer.reason
            yield found("vendor-locked-out", f"{agent}: POST answers {seen}, others {visit.refusal.status}")
        elif document is not None:
            again = await visit.probe.get(document.url, {"user-agent": agent})
            if not again.is_ok:
                yield found("vendor-locked-out", f"{agent}: {document.url} answers {again.status or again.reason}, others 200")


async def check_address(visit: Visit) -> AsyncIterator[Finding]:
    """Hosted clients come through TLS, on port 443."""
    parts = parts_of(visit.url)
    if is_inside(visit.url):
        return
    if parts.scheme == "http":
        yield found("not-https", f"the endpoint is {visit.url}")
    elif parts.port not in (None, 443):
        yield found("not-port-443", f"the endpoint is on port {parts.port}")


async def check_clock(visit: Visit) -> AsyncIterator[Finding]:
    """The server's clock is right, for tokens carry times."""
    try:
        theirs = parsedate_to_datetime(visit.refusal.header("date")).timestamp()
    except (TypeError, ValueError):
        return
    if abs(skew := theirs - time.time()) > MAX_SKEW_S:
        yield found("clock-off", f"Date is {abs(skew):.0f} seconds {'ahead' if skew > 0 else 'behind'}")


def _refusal_readable(answer: Answer) -> Iterator[Finding]:
    if answer.status != 401:
        return
    if not _lets_in(answer):
        yield found("refusal-unreadable-by-pages", f"401, {_cors(answer)}")
    else:
        exposed = answer.header("access-control-expose-headers").lower()
        if "www-authenticate" not in exposed and "*" not in exposed:
            yield found("challenge-not-exposed", f"Access-Control-Expose-Headers: {exposed or 'absent'}")


def _lets_in(answer: Answer) -> bool:
    return answer.header("access-control-allow-origin") in ("*", _PAGE)


def _cors(answer: Answer) -> str:
    return f"Access-Control-Allow-Origin: {answer.header('access-control-allow-origin') or 'absent'}"


CHECKS = (check_preflights, check_readable, check_vendors, check_address, check_clock)
