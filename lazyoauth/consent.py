"""What a person is told before they agree, and when they need not be asked again.

The name of a client is only what it calls itself, so the page shows where the answer goes (RFC 9700, section 4.11;
https://github.com/get-engram/engram/issues/447), says what nobody vouches for, and loads nothing that the client chose.
"""

import logging
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from lazyoauth.brands import borrowed
from lazyoauth.connections import Connection
from lazyoauth.issuer import Issuer
from lazyoauth.names import clean
from lazyoauth.records import AuthorizationRequest, Client, Transaction
from lazyoauth.scopes import OFFLINE_ACCESS, split

logger = logging.getLogger("lazyoauth")

_DAY_S = 86_400


def about(client: Client, request: AuthorizationRequest) -> dict[str, Any]:
    """Who is asking, for every page of a login."""
    publisher = publisher_of(client.id) if client.kind == "document" else ""
    is_local = request.leads_to_this_machine
    # Any program can answer on this machine; then the name can only be held against who published the client, if anybody did.
    bearer = publisher if is_local else request.redirect_host
    name = clean(client.name)
    return {
        "client_name": name,
        "client_host": request.redirect_host,
        "client_verified": client.verified,
        "client_is_local": is_local,
        "client_publisher": publisher,
        "client_brand": borrowed(name, bearer) if bearer and not client.verified else "",
        "client_link": _link(client.uri, {request.redirect_host, publisher}),
    }


def permissions(issuer: Issuer, client: Client, scope: str) -> list[str]:
    """What a yes allows, in words."""
    words = scope_texts(issuer, scope)
    if "refresh_token" in client.grant_types:
        days = issuer.config.lifetimes.refresh_absolute_s // _DAY_S
        words.append(f"Stay connected for up to {days} days without asking again" if days > 1 else "Stay connected for a while")
    return words


def scope_texts(issuer: Issuer, scope: str) -> list[str]:
    """Scopes in words: the application's own, else those of this package."""
    name = issuer.config.name or "this application"
    known: Mapping[str, str] = {"mcp": f"Use {name} as you: its tools, and the data you can see", **issuer.config.scope_texts}
    return [known.get(one, f"{one} in {name}") for one in split(scope) if one != OFFLINE_ACCESS]


async def is_remembered(issuer: Issuer, client: Client, transaction: Transaction) -> bool:
    """Whether this person agreed to this before, and the login that came of it still goes on.

    Never for a client that registered itself, nor for one on this machine: anybody can be such a client
    (https://github.com/neondatabase/mcp-server-neon/issues/66). Whatever is uncertain is asked.
    """
    if transaction.must_ask or client.kind == "dynamic" or transaction.request.leads_to_this_machine:
        return False
    try:
        connections = await issuer.connections.of_user(transaction.user_id)
    except Exception as error:
        logger.warning("earlier consent could not be looked up: %s", type(error).__name__)
        return False
    return any(_covers(connection, transaction.request) for connection in connections)


def publisher_of(client_id: str) -> str:
    """The host that publishes a client whose id is the URL of its document; "" for other ids."""
    try:
        return (urlsplit(client_id).hostname or "") if client_id.startswith("https://") else ""
    except ValueError:
        return ""


def _covers(connection: Connection, request: AuthorizationRequest) -> bool:
    same = (connection.client_id, connection.redirect_host, connection.resource)
    agreed = set(split(connection.scope))
    return same == (request.client_id, request.redirect_host, request.resource) and agreed.issuperset(split(request.scope))


def _link(uri: str, hosts: set[str]) -> str:
    """The client's home page, if following it leads where the answer goes too, and nowhere else."""
    try:
        parts = urlsplit(uri)
        trusted = (
            parts.scheme == "https" and parts.hostname in hosts - {""} and parts.username is None and parts.port in (None, 443)
        )
    except ValueError:
        return ""
    return uri if trusted and uri.isascii() and uri.isprintable() and " " not in uri else ""
