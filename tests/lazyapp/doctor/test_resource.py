"""Mistakes of the MCP endpoint and its documents, one at a time: each is found."""

import pytest

from tests.lazyapp.doctor.deployment import ORIGIN, URL, Deployment, Reply, examined, says
from tests.lazyapp.doctor.mistakes import AT_PATH, RESOURCE, Mistake, document, faults_of, header, instead, only, with_mistake

MISTAKES: list[tuple[str, Mistake]] = [
    ("endpoint-redirects", instead("/mcp", 307, location=f"{URL}/")),
    ("endpoint-open", instead("/mcp", 200, {})),
    ("refusal-not-401", instead("/mcp", 403, {}, "POST")),
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


async def test_another_path_of_the_deployment_is_told_which_url_was_meant() -> None:
    report = await examined(Deployment(), f"{ORIGIN}/nowhere")
    told = next(finding.seen for finding in report.findings if finding.fault.id == "refusal-not-401")
    assert told.endswith(f'; the document names "{URL}": is that the URL?')
