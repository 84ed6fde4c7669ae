"""How a good deployment is made a bad one: one mistake at a time, told in a line each."""

from collections.abc import Callable
from typing import Any

from tests.lazyapp.doctor.deployment import Break, Deployment, Reply, Request, says
from tests.lazyapp.doctor.deployment import faults_of as faults_of

Mistake = Break | Callable[[], Deployment]

RESOURCE, AT_PATH = "/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"
SERVER, OPENID = "/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"


def header(path: str, name: str, value: str | None, method: str = "") -> Break:
    """One header of one path set, or left out."""

    def change(reply: Reply) -> None:
        reply.headers.pop(name, None)
        if value is not None:
            reply.headers[name] = value

    return says(path, change, method)


def instead(path: str, status: int, body: Any = None, method: str = "", **headers: str) -> Break:
    """Another answer of one path."""
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    return says(path, lambda _: Reply(status, {"content-type": "application/json", **sent}, body), method)


def document(name: str, **changes: Any) -> Callable[[], Deployment]:
    """A deployment whose document has members changed; None leaves one out, `null` makes it null."""

    def make() -> Deployment:
        deployment = Deployment()
        members = getattr(deployment, name)
        for member, value in changes.items():
            members.pop(member)
            if value is not None:
                members[member] = None if value == "null" else value
        return deployment

    return make


def only(condition: Callable[[Request], bool], answer: Callable[[Request, Reply], Reply]) -> Break:
    """Another answer to some requests."""
    return lambda _, request, reply: answer(request, reply) if condition(request) else reply


def is_json(request: Request) -> bool:
    return request.headers.get("content-type") == "application/json"


def sent_back(request: Request, _: Reply, **told: str) -> Reply:
    return Reply(303, {"location": f"{request.query['redirect_uri']}?error={told.get('error', 'invalid_scope')}"})


def with_mistake(mistake: Any) -> Deployment:
    """The deployment that has it: a break of the good one, or one made with other documents."""
    makes = mistake.__code__.co_argcount == 0
    return mistake() if makes else Deployment(mistake)
