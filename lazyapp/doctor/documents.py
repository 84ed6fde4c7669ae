"""Checks of clients whose id is the URL of a document about them, where the server announces that it reads such documents.

draft-ietf-oauth-client-id-metadata-document. Nothing has to be published for it: the deployment is given the ids of clients whose
vendors publish their documents, and one of a host that does not exist. The ids are data: `clients.toml`.
"""

import tomllib
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from lazyapp.doctor.authorization import STRANGER, is_welcome, open_page, refusal_of, request_of, told
from lazyapp.doctor.finding import Finding, found
from lazyapp.doctor.probe import Answer, is_inside
from lazyapp.doctor.tokens import is_oauth_error
from lazyapp.doctor.visit import Visit

# RFC 2606, section 2: no host has this name.
_ABSENT = "https://lazyapp-doctor.invalid/client.json"
_WHAT = "a client document that cannot be read"


@dataclass(frozen=True, slots=True)
class PublishedClient:
    """A client that publishes a document.

    Attributes:
        url: its id.
        uses: the redirect URIs that it comes with.
    """

    name: str
    url: str
    uses: Sequence[str]


@cache
def published_clients() -> Sequence[PublishedClient]:
    """The clients of `clients.toml` that have a document."""
    data: dict[str, Any] = tomllib.loads(Path(__file__).with_name("clients.toml").read_text(encoding="utf-8"))
    return [PublishedClient(entry["name"], entry["url"], entry["uses"]) for entry in data["document"]]


async def check_published(visit: Visit) -> AsyncIterator[Finding]:
    """Clients that publish a document are welcome with it. A machine that is not on the internet need not be able to read one."""
    if not _reads_documents(visit) or is_inside(visit.url):
        return
    for client in published_clients():
        for uri in client.uses:
            answer = await open_page(visit, request_of(visit, client.url, uri))
            if answer.came and not is_welcome(answer):
                yield found("client-document-refused", f"{client.name} with {uri}: {told(answer)}")


async def check_unreadable(visit: Visit) -> AsyncIterator[Finding]:
    """A document that is not there leads to a page, or to an error of OAuth: never to a server error, and not to long silence."""
    if not _reads_documents(visit):
        return
    page = await open_page(visit, request_of(visit, _ABSENT, STRANGER))
    if _is_silent(page):
        yield found("client-document-hangs", f"{_WHAT}: {page}")
    for finding in refusal_of(_WHAT, page):
        yield finding
    form = {"grant_type": "refresh_token", "refresh_token": "made-up-by-lazyapp-doctor", "client_id": _ABSENT}
    answer = await visit.probe.post_form(visit.endpoint("token_endpoint"), form)
    if _is_silent(answer) and not _is_silent(page):
        yield found("client-document-hangs", f"{_WHAT}: {answer}")
    elif answer.came and not answer.is_redirect and not is_oauth_error(answer):
        yield found("token-error-unreadable", f"{_WHAT}: {answer.status} {answer.text_of('error') or answer.kind}".rstrip())


async def check_keys_of_clients(visit: Visit) -> AsyncIterator[Finding]:
    """A client may prove itself by the key in its document, and is told by which algorithms. RFC 8414, section 2."""
    if not visit.server:
        return
    methods = visit.lists("token_endpoint_auth_methods_supported")
    if _reads_documents(visit) and "private_key_jwt" not in methods:
        yield found("private-key-jwt-not-announced", f"token_endpoint_auth_methods_supported is {methods or 'absent'}")
    algorithms = visit.lists("token_endpoint_auth_signing_alg_values_supported")
    if "private_key_jwt" in methods and not algorithms:
        yield found("assertion-algorithms-missing", "token_endpoint_auth_signing_alg_values_supported is absent")


def _reads_documents(visit: Visit) -> bool:
    announced = visit.server.get("client_id_metadata_document_supported") is True
    return announced and bool(visit.endpoint("authorization_endpoint") and visit.endpoint("token_endpoint"))


def _is_silent(answer: Answer) -> bool:
    return not answer.came and answer.reason.startswith("no answer within")


CHECKS = (check_published, check_unreadable, check_keys_of_clients)
