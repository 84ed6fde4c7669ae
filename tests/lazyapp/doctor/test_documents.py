"""Mistakes about clients whose id is the URL of their document, one at a time: each is found."""

import pytest

from lazyapp.doctor.documents import published_clients
from lazyapp.doctor.probe import ANSWER_WITHIN_S, Answer, Probe
from tests.lazyapp.doctor.deployment import ORIGIN, Deployment, Reply, Request, examined
from tests.lazyapp.doctor.mistakes import Mistake, document, faults_of, only, with_mistake

ABSENT = "https://lazyapp-doctor.invalid/client.json"


def is_absent(request: Request) -> bool:
    return ABSENT in (request.query.get("client_id"), request.form.get("client_id"))


def no_document_is_read() -> Deployment:
    deployment = Deployment()
    deployment.documents.clear()
    return deployment


def at(path: str, status: int, kind: str = "text/html", **headers: str) -> Mistake:
    """Another answer to whoever comes with a document that is not there."""
    return only(lambda r: r.path == path and is_absent(r), lambda *_: Reply(status, {"content-type": kind, **headers}, "x"))


MISTAKES: list[tuple[str, Mistake]] = [
    ("client-document-refused", no_document_is_read),
    ("private-key-jwt-not-announced", document("server", token_endpoint_auth_methods_supported=["none"])),
    ("assertion-algorithms-missing", document("server", token_endpoint_auth_signing_alg_values_supported=None)),
    ("authorize-error-no-page", at("/authorize", 500)),
    ("authorize-error-no-page", at("/authorize", 400, "application/json")),
    ("authorize-redirects-strangers", at("/authorize", 302, location="https://lazyapp-doctor.invalid/callback?error=x")),
    ("token-error-unreadable", at("/token", 500)),
    ("token-error-unreadable", at("/token", 422, "application/json")),
]


@pytest.mark.parametrize(("fault", "mistake"), MISTAKES, ids=[f"{number}-{fault}" for number, (fault, _) in enumerate(MISTAKES)])
async def test_the_mistake_is_found(fault: str, mistake: Mistake) -> None:
    """The public report or the clause behind each stands in faults.toml."""
    assert await faults_of(with_mistake(mistake)) == {fault}


@pytest.mark.parametrize("path", ["/authorize", "/token"])
async def test_a_document_that_holds_up_the_answer_is_found_once(monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    """draft-ietf-oauth-client-id-metadata-document, section 6: whoever makes up a URL must not make the server wait."""
    ask = Probe.ask

    async def waits(self: Probe, method: str, url: str, **options: object) -> Answer:
        answer = await ask(self, method, url, **options)
        is_held = path in url and "lazyapp-doctor.invalid%2Fclient.json" in url + str(options.get("data")).replace("/", "%2F")
        return Answer(url, 0, reason=f"no answer within {ANSWER_WITHIN_S:g} seconds") if is_held else answer

    monkeypatch.setattr(Probe, "ask", waits)
    found = [finding.fault.id for finding in (await examined(Deployment())).findings]
    assert found == ["client-document-hangs"]


async def test_each_client_that_publishes_a_document_is_tried_with_every_address_it_uses() -> None:
    report = await examined(no_document_is_read())
    assert len(report.findings) == sum(len(client.uses) for client in published_clients())
    assert "VS Code with http://127.0.0.1:59656/: 400 text/html" in {finding.seen for finding in report.findings}


@pytest.mark.parametrize("announced", [None, False, "true"])
async def test_a_server_that_announces_no_documents_is_not_asked_for_any(announced: object) -> None:
    deployment = document("server", client_id_metadata_document_supported=announced)()
    assert await faults_of(deployment) == {"client-documents-not-announced"}
    assert not [request for request in deployment.asked if request.query.get("client_id", "").startswith("https://")]


async def test_a_machine_that_is_not_on_the_internet_need_not_read_the_vendors_documents() -> None:
    deployment = Deployment(origin="http://localhost:3000")
    deployment.documents.clear()
    assert await faults_of(deployment, "http://localhost:3000/mcp") == set()
    assert [request for request in deployment.asked if is_absent(request)]
    assert ORIGIN not in str(deployment.resource)
