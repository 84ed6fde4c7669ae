"""Registrations as real clients send them, and checks of what came back: RFC 7591. The bodies are data: `clients.toml`."""

import tomllib
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from lazyapp.doctor.finding import Finding, found
from lazyapp.doctor.probe import Answer
from lazyapp.doctor.visit import Visit, strings

_EVIL = "javascript:alert(1)//"


@dataclass(frozen=True, slots=True)
class KnownClient:
    """A client as it registers.

    Attributes:
        uses: the redirect URIs that it then comes with; a port other than the registered one is what some of them do.
    """

    name: str
    body: Mapping[str, Any]
    uses: Sequence[str]

    @property
    def redirect_uris(self) -> Sequence[str]:
        return strings(self.body["redirect_uris"])


@cache
def known_clients() -> Sequence[KnownClient]:
    """The clients of `clients.toml`."""
    data: dict[str, Any] = tomllib.loads(Path(__file__).with_name("clients.toml").read_text(encoding="utf-8"))
    return [KnownClient(entry["name"], entry["body"], entry["uses"]) for entry in data["client"]]


async def register(visit: Visit) -> Visit:
    """Register as each known client does, where registration is open and wanted."""
    endpoint = visit.endpoint("registration_endpoint")
    if not endpoint or not visit.registers:
        return visit
    answers = {client.name: await visit.probe.post_json(endpoint, client.body) for client in known_clients()}
    return replace(visit, registrations=answers)


def registered(visit: Visit, name: str = "") -> tuple[KnownClient, str] | None:
    """A client that was let in and its `client_id`: the one of that name, or the first."""
    for client in known_clients():
        answer = visit.registrations.get(client.name)
        if answer is not None and answer.is_ok and answer.text_of("client_id") and name in ("", client.name):
            return client, answer.text_of("client_id")
    return None


async def check_let_in(visit: Visit) -> AsyncIterator[Finding]:
    """Each client is let in with the very body it sends, and keeps every redirect URI."""
    for client in known_clients():
        answer = visit.registrations.get(client.name)
        if answer is None or not answer.came:
            continue
        if answer.is_redirect:
            yield found("registration-redirects", f"{client.name}: {answer.status} to {answer.header('location')}")
        elif answer.status == 429:
            yield found("registration-limited", f"{client.name}: 429 after {list(visit.registrations).index(client.name)} others")
        elif not answer.is_ok:
            yield found("registration-refused", f"{client.name}: {answer.status} {_said(answer)}")
        elif dropped := [uri for uri in client.redirect_uris if uri not in strings(_body(answer).get("redirect_uris"))]:
            yield found("registration-drops-redirects", f"{client.name} loses {', '.join(dropped)}")


async def check_answer(visit: Visit) -> AsyncIterator[Finding]:
    """The answer is what RFC 7591, section 3.2.1 says: 201, the metadata as stored, and no secret for a public client."""
    first = registered(visit)
    if first is None:
        return
    answer = visit.registrations[first[0].name]
    body = _body(answer)
    if answer.status != 201:
        yield found("registration-not-201", f"the registration answers {answer.status}")
    if not strings(body.get("redirect_uris")):
        yield found("registration-tells-no-redirects", f"the answer has {', '.join(sorted(body))}")
    if body.get("client_secret") or body.get("token_endpoint_auth_method", "none") != "none":
        method = body.get("token_endpoint_auth_method", "absent")
        secret = "a client_secret" if body.get("client_secret") else "no client_secret"
        yield found("registration-gives-secret", f"asked for none; the answer has {secret}, token_endpoint_auth_method {method}")
    if "no-store" not in answer.header("cache-control"):
        yield found("answer-may-be-cached", f"registration: Cache-Control is {answer.header('cache-control') or 'absent'}")


async def check_refusals(visit: Visit) -> AsyncIterator[Finding]:
    """What cannot be registered is refused in the words of RFC 7591, section 3.2.2; a script is no redirect URI."""
    endpoint = visit.endpoint("registration_endpoint")
    if registered(visit) is None:
        return
    empty = await visit.probe.post_json(endpoint, {"client_name": "lazyapp doctor"})
    if empty.came and not empty.is_ok and not (empty.status == 400 and empty.text_of("error")):
        yield found("registration-error-unreadable", f"a body without redirect_uris: {empty.status} {_said(empty)}")
    evil = await visit.probe.post_json(endpoint, {"client_name": "lazyapp doctor", "redirect_uris": [_EVIL]})
    if evil.is_ok:
        yield found("registration-takes-scripts", f"redirect_uris [{_EVIL}] answers {evil.status}")


def _body(answer: Answer) -> Mapping[str, Any]:
    return answer.document() or {}


def _said(answer: Answer) -> str:
    return f"{answer.text_of('error')} {answer.text_of('error_description')}".strip() or answer.kind


CHECKS = (check_let_in, check_answer, check_refusals)
