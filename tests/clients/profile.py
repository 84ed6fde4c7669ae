"""`Profile`: what one AI client sends, and what it insists on. Everything in which two clients differ is a value here."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Compare = Callable[[str, str], bool]


@dataclass(frozen=True, slots=True)
class Discovered:
    """What a client knows once it has read the documents.

    Attributes:
        endpoint: the MCP URL as the person typed it.
        challenge: the parameters of `WWW-Authenticate`.
        resource: the document of RFC 9728.
        server: the document of RFC 8414.
    """

    endpoint: str
    challenge: Mapping[str, str]
    resource: Mapping[str, Any]
    server: Mapping[str, Any]


def no_scope(_: Discovered) -> str | None:
    """The parameter is left out."""
    return None


def server_scopes(found: Discovered) -> str:
    """Everything that the authorization server lists, in its order."""
    return " ".join(found.server["scopes_supported"])


def resource_scopes(found: Discovered) -> str:
    """Everything that the resource lists."""
    return " ".join(found.resource["scopes_supported"])


def challenge_scopes(found: Discovered) -> str:
    """What the challenge names, else what the resource lists; with `offline_access` where the server advertises it."""
    scope = found.challenge.get("scope") or resource_scopes(found)
    return f"{scope} offline_access" if "offline_access" in found.server["scopes_supported"] else scope


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """One client.

    Attributes:
        name: as its users know it.
        source: where its behaviour is described.
        metadata: its registration body.
        redirect_uri: where its answer goes; for a loopback address the port that it happened to get.
        document: the URL that is its client id, where the server offers that; "" for a client that registers.
        published: what stands there.
        signs_for: the member of the server's document whose value its assertions are for; "" for a client that sends none.
        scope: the parameter of its authorization request.
        sends_resource: whether it names the resource in its requests, as the document of RFC 9728 spells it.
        asks_root_first: whether it reads the document at the root before that of the challenge.
        same_resource: how it compares the document's `resource` with the URL it was given.
        same_issuer: how it compares issuers.
        prompt: a parameter of its authorization request.
        protocol: the MCP revision that it speaks.
        in_a_browser: whether the requests come from a page's script, so that the browser asks for permission first.
        repeats_at_refresh: the parameters that it sends again when it refreshes.
    """

    name: str
    source: str
    metadata: Mapping[str, Any]
    redirect_uri: str
    document: str = ""
    published: Mapping[str, Any] = field(default_factory=dict)
    signs_for: str = ""
    scope: Callable[[Discovered], str | None] = no_scope
    sends_resource: bool = True
    asks_root_first: bool = False
    same_resource: Compare = str.__eq__
    same_issuer: Compare = str.__eq__
    prompt: str = ""
    protocol: Literal["2025-03-26", "2025-06-18", "2025-11-25"] = "2025-06-18"
    in_a_browser: bool = False
    repeats_at_refresh: tuple[str, ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
