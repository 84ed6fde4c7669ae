"""The way in, as every MCP client takes it: the refusal, the resource's documents, the server's documents.

MCP 2026-07-28, authorization, "Authorization Server Discovery"; RFC 9728, section 3; RFC 8414, section 3.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from lazyapp.doctor.probe import Answer, Probe, origin_of, parts_of

INITIALIZE: Mapping[str, Any] = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "lazyapp-doctor", "version": "1"},
    },
}
MCP_HEADERS = {"accept": "application/json, text/event-stream"}
_PARAMETER = re.compile(r'([A-Za-z_]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))')
_RESOURCE, _SERVER, _OPENID = (
    f"/.well-known/{name}" for name in ("oauth-protected-resource", "oauth-authorization-server", "openid-configuration")
)


@dataclass(frozen=True, slots=True)
class Visit:
    """What a client knows before it registers. Documents stand under the URLs where they were asked for.

    Attributes:
        url: the MCP endpoint, as people type it.
        refusal: the answer to a request without a token.
        challenge: the parameters of its Bearer challenge.
        named: what the challenge's `resource_metadata` leads to; None when it names nothing.
        root, path: the resource's document at the two well-known places.
        resource: the document that a client ends up with, {} when there is none.
        issuer: the authorization server that it names first, byte for byte.
        servers: the server's document at each well-known place, in the order clients try them.
        server: the first that is a document, {} when there is none.
        registers: whether registrations may be sent.
        registrations: the answer to each client's registration, by the client's name; see `registration.register`.
    """

    probe: Probe
    url: str
    refusal: Answer
    challenge: Mapping[str, str]
    named: Answer | None
    root: Answer
    path: Answer
    resource: Mapping[str, Any]
    issuer: str = ""
    servers: Mapping[str, Answer] = field(default_factory=dict)
    server: Mapping[str, Any] = field(default_factory=dict)
    registers: bool = True
    registrations: Mapping[str, Answer] = field(default_factory=dict)

    @property
    def origin(self) -> str:
        """The origin of the MCP endpoint."""
        return origin_of(self.url)

    @property
    def is_nowhere(self) -> bool:
        """Whether nothing serves MCP at the URL. Much else is wrong then, and all of it has this one cause."""
        return self.refusal.status in (404, 405, 410)

    @property
    def meant(self) -> str:
        """The URL of the same origin that the document names instead, "" when there is none."""
        named = self.resource.get("resource")
        if not isinstance(named, str) or named == self.url or origin_of(named) != self.origin:
            return ""
        parts = parts_of(named)
        return "" if parts.username or parts.query or parts.fragment else named

    def endpoint(self, name: str) -> str:
        """The URL of an endpoint, "" when the server's document names none."""
        value = self.server.get(name)
        return value if isinstance(value, str) else ""

    def lists(self, name: str) -> list[str]:
        """A list of strings in the server's document, [] when there is none."""
        return strings(self.server.get(name))


async def arrive(probe: Probe, url: str, *, registers: bool) -> Visit:
    """Walk in as a client does, and keep everything that was said on the way."""
    origin, path = origin_of(url), parts_of(url).path
    refusal = await probe.post_json(url, INITIALIZE, MCP_HEADERS)
    challenge = challenge_of(refusal)
    named_url = challenge.get("resource_metadata", "")
    at_root = await probe.get(origin + _RESOURCE)
    at_path = await probe.get(origin + _RESOURCE + path) if path not in ("", "/") else at_root
    known = {answer.url: answer for answer in (at_root, at_path)}
    named = (known.get(named_url) or await probe.get(named_url)) if named_url else None
    answers = [answer for answer in (named, at_path, at_root) if answer is not None and answer.is_ok]
    resource = next((document for answer in answers if (document := answer.document())), {})
    issuer = next(iter(strings(resource.get("authorization_servers"))), "")
    servers: dict[str, Answer] = {}
    # Without a resource document, clients of 2025-03-26 take the MCP host for the server.
    base = issuer or origin
    if probe.allow(base):
        for place in server_places(base):
            servers[place] = await probe.get(place)
    found = [answer.document() for answer in servers.values() if answer.is_ok]
    server = next((document for document in found if document), {})
    for name in ("authorization_endpoint", "token_endpoint", "registration_endpoint", "jwks_uri"):
        if isinstance(server.get(name), str):
            probe.allow(server[name])
    return Visit(probe, url, refusal, challenge, named, at_root, at_path, resource, issuer, servers, server, registers)


def server_places(issuer: str) -> list[str]:
    """Where the document of an issuer is looked for: RFC 8414, section 3.1, and OpenID Connect Discovery, section 4."""
    origin, path = origin_of(issuer), parts_of(issuer).path.rstrip("/")
    if not path:
        return [origin + _SERVER, origin + _OPENID]
    return [origin + _SERVER + path, origin + _OPENID + path, f"{origin}{path}{_OPENID}"]


def challenge_of(answer: Answer) -> dict[str, str]:
    """The parameters of a Bearer challenge; {} when there is none. RFC 6750, section 3; RFC 9110, section 11.6.1."""
    header = answer.header("www-authenticate")
    at = re.search(r"(?:^|,\s*)bearer\b", header, re.IGNORECASE)
    if at is None:
        return {}
    return {name.lower(): quoted or plain for name, quoted, plain in _PARAMETER.findall(header[at.end() :])}


def strings(value: object) -> list[str]:
    """The strings of a list, [] for anything else."""
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []
