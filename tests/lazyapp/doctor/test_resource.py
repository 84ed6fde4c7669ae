"""Mistakes of the MCP endpoint and its documents, one at a time: each is found."""

import pytest

from tests.lazyapp.doctor.deployment import ORIGIN, URL, Deployment, Reply, Request, examined, says
from tests.lazyapp.doctor.mistakes import AT_PATH, RESOURCE, Mistake, document, faults_of, header, instead, only, with_mistake

MISTAKES: list[tuple[str, Mistake]] = [
    ("endpoint-redirects", instead("/mcp", 307, location=f"{URL}/")),
    ("endpoint-open", instead("/mcp", 200, {})),
    ("refusal-not-401", instead("/mcp", 403, {}, "POST")),
    ("not-the-endpoint", instead("/mcp", 404, {}, "POST")),
    ("slash-redirects", instead("/mcp/", 307, location=URL)),
    ("slash-elsewhere", instead("/mcp/", 404)),
    ("challenge-missing", header("/mcp", "www-authenticate", None)),
    ("challenge-names-no-document", header("/mcp", "www-authenticate", 'Bearer realm="mcp"')),
    ("challenge-names-nothing", header("/mcp", "www-authenticate", f'Bearer resource_metadata="{ORIGIN}/nowhere"')),
    (
        "challenge-offline-access",
        header("/mcp", "www-authenticate", f'Bearer resource_metadata="{ORIGIN}{AT_PATH}", scope="mcp offline_access"'),
    ),
    ("bad-token-not-401", only(lambda r: "authorization" in r.headers, lambda *_: Reply(500))),
    ("bad-token-without-error", header("/mcp", "www-authenticate", f'Bearer resource_metadata="{ORIGIN}{AT_PATH}"')),
    ("well-known-guarded", instead(AT_PATH, 401)),
    ("document-not-json", says(RESOURCE, lambda _: Reply(200, {"content-type": "text/html"}, "<div id=app></div>"))),
    ("resource-document-missing", only(lambda r: r.path.startswith(RESOURCE), lambda *_: Reply(404))),
    ("resource-document-not-at-path", instead(AT_PATH, 404)),
    ("resource-document-not-at-root", instead(RESOURCE, 404)),
    ("resource-documents-differ", instead(RESOURCE, 200, {"resource": ORIGIN, "authorization_servers": [ORIGIN]})),
    ("resource-not-the-url", document("resource", resource=ORIGIN)),
    ("resource-not-the-url", document("resource", resource=f"{URL}/")),
    ("resource-names-no-server", document("resource", authorization_servers=None)),
    ("resource-offline-access", document("resource", scopes_supported=["mcp", "offline_access"])),
    ("names-inside", document("resource", resource="http://localhost:3000/mcp")),
    ("names-inside", document("resource", authorization_servers=["http://10.0.0.7:3000"])),
]


@pytest.mark.parametrize(("fault", "mistake"), MISTAKES, ids=[f"{number}-{fault}" for number, (fault, _) in enumerate(MISTAKES)])
async def test_the_mistake_is_found(fault: str, mistake: Mistake) -> None:
    """The public report or the clause behind each stands in faults.toml."""
    assert fault in await faults_of(with_mistake(mistake))


def without_mcp(_: Deployment, request: Request, reply: Reply) -> Reply:
    return Reply(404, {"content-type": "text/html"}, "no such page") if request.path.startswith("/mcp") else reply


@pytest.mark.parametrize("url", [f"{ORIGIN}/nowhere", ORIGIN, f"{ORIGIN}/", f"{URL}/v1"])
async def test_a_wrong_path_is_one_finding_and_the_url_that_was_meant_is_examined(url: str) -> None:
    report = await examined(Deployment(), url)
    assert [(finding.fault.id, finding.seen) for finding in report.findings] == [
        ("not-the-endpoint", f"POST {url} answers 404 text/plain; the document names {URL}, which was examined in its place")
    ]
    assert (report.url, report.registered[0], report.is_healthy) == (url, "Claude Code", False)


async def test_a_mistake_at_the_url_that_was_meant_is_found_as_well() -> None:
    wrong = instead("/mcp", 403, {}, "POST")
    assert await faults_of(Deployment(wrong), f"{ORIGIN}/nowhere") >= {"not-the-endpoint", "refusal-not-401"}


async def test_where_nothing_serves_mcp_that_is_all_there_is_to_say() -> None:
    """Preflights, slashes and documents of a path that is not there are no faults of their own."""
    assert await faults_of(Deployment(without_mcp)) == {"not-the-endpoint"}
    assert await faults_of(Deployment(lambda *_: Reply(404, {"content-type": "text/html"}, "no"))) == {"not-the-endpoint"}


@pytest.mark.parametrize(
    "named", ["https://elsewhere.example/mcp", f"{ORIGIN}/mcp?key=1", "https://user@mcp.example.com/mcp", 7, "http://["]
)
async def test_a_document_sends_the_doctor_to_its_own_origin_only(named: object) -> None:
    deployment = Deployment()
    deployment.resource["resource"] = named
    report = await examined(deployment, f"{ORIGIN}/nowhere")
    assert "not-the-endpoint" in {finding.fault.id for finding in report.findings}
    assert {request.path for request in deployment.asked if request.body.startswith(b'{"jsonrpc')} <= {"/nowhere", "/nowhere/"}
