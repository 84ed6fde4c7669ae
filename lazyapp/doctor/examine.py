"""`examine`: everything the doctor does with one URL, in the order in which a client would get that far."""

import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

import httpx2

from lazyapp.doctor import authorization, documents, network, registration, resource, server, tokens
from lazyapp.doctor.finding import Finding, Severity, found
from lazyapp.doctor.probe import Probe
from lazyapp.doctor.visit import Visit, arrive
from lazyapp.errors import ConfigurationError

Check = Callable[[Visit], AsyncIterator[Finding]]
CHECKS: Sequence[Check] = (
    *resource.CHECKS,
    *server.CHECKS,
    *registration.CHECKS,
    *authorization.CHECKS,
    *documents.CHECKS,
    *tokens.CHECKS,
    *network.CHECKS,
)
_ORDER = list(Severity)


@dataclass(frozen=True, slots=True)
class Report:
    """What the doctor says about a deployment.

    Attributes:
        findings: the worst first, each once.
        issuer: the authorization server that was examined, "" when none was found.
        registered: the clients that were let in.
        asked: how many requests were sent.
        is_complete: whether the limits sufficed to ask everything.
    """

    url: str
    issuer: str
    registered: Sequence[str]
    findings: Sequence[Finding]
    asked: int
    is_complete: bool

    @property
    def is_healthy(self) -> bool:
        """Whether nothing was found that breaks or may break a client."""
        return self.is_complete and all(finding.fault.severity is Severity.NOTE for finding in self.findings)


async def examine(url: str, http: httpx2.AsyncClient, *, registers: bool = True) -> Report:
    """Play an MCP client against a deployment, without ever signing in.

    Args:
        url: the MCP endpoint, as people type it.
        registers: whether clients may be registered where registration is open; a server may keep a row for each.

    Raises:
        ConfigurationError: the URL cannot be one, or carries what may be a secret.
    """
    _check_url(url)
    probe = Probe(http, url, time.monotonic)
    visit, findings = await _arrive(probe, url, registers=registers)
    visit = await registration.register(visit)
    findings += [finding for check in CHECKS async for finding in check(visit)]
    return Report(
        url=url,
        issuer=str(visit.server.get("issuer") or visit.issuer),
        registered=[name for name, answer in visit.registrations.items() if answer.is_ok],
        findings=sorted(dict.fromkeys(findings), key=lambda finding: _ORDER.index(finding.fault.severity)),
        asked=probe.asked,
        is_complete=not probe.is_spent,
    )


async def _arrive(probe: Probe, url: str, *, registers: bool) -> tuple[Visit, list[Finding]]:
    """The visit, at the URL that the deployment itself names where there is nothing at the one that was typed."""
    visit = await arrive(probe, url, registers=registers)
    if visit.is_nowhere and visit.meant:
        there = await arrive(probe, visit.meant, registers=registers)
        if there.refusal.came and not there.is_nowhere:
            seen = f"POST {visit.refusal}; the document names {there.url}, which was examined in its place"
            return there, [found("not-the-endpoint", seen)]
    return visit, []


def _check_url(url: str) -> None:
    try:
        parts = urlsplit(url)
        is_url = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        is_url = False
    if not is_url:
        raise ConfigurationError(f"{url!r} is no http or https URL; type the MCP endpoint, such as https://example.com/mcp.")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ConfigurationError("The URL carries a user, a query or a fragment, which may be secret; type it without.")
