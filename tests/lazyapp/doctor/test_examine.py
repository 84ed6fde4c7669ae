"""The doctor against a deployment with one mistake at a time, against our own, and against one that means it harm."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import httpx2
import pytest

import lazyapp
import lazyauth
import lazymcp
import lazyoauth
from lazyapp.doctor import examine as examining
from lazyapp.doctor.examine import examine
from lazyapp.doctor.finding import faults
from lazyapp.doctor.probe import MAX_REQUESTS
from lazyapp.errors import ConfigurationError
from lazyapp.settings import Settings
from lazyoauth.network import Network
from tests.lazyapp.doctor import (
    test_authorization,
    test_documents,
    test_network,
    test_registration,
    test_resource,
    test_server,
    test_tokens,
)
from tests.lazyapp.doctor.deployment import ORIGIN, URL, Deployment, Reply, Request, examined, faults_of
from tests.lazyapp.doctor.mistakes import AT_PATH, document, header, only
from tests.lazyoauth.publisher import CHATGPT, DOCUMENTS, Publisher, documents


async def test_a_good_deployment_is_told_that_nothing_was_found() -> None:
    report = await examined(Deployment())
    assert [(finding.fault.id, finding.seen) for finding in report.findings] == []
    assert report.is_healthy
    assert report.registered == ["Claude Code", "Claude", "ChatGPT", "Cursor", "VS Code", "Codex", "Gemini CLI", "mcp-remote"]
    assert report.asked < MAX_REQUESTS * 3 / 4


def test_every_fault_that_is_known_is_seeded_by_some_test() -> None:
    """What no test can show, the doctor does not claim to find."""
    elsewhere = {
        *("endpoint-unreachable", "tls-refused", "challenge-names-http", "issuer-ends-with-slash", "no-way-in"),
        *("token-unreachable", "not-https", "not-port-443", "client-document-hangs"),
    }
    files = (test_resource, test_server, test_registration, test_authorization, test_documents, test_tokens, test_network)
    assert {fault for file in files for fault, _ in file.MISTAKES} | elsewhere == set(faults())


async def test_where_a_deployment_is_decides_who_can_reach_it() -> None:
    """https://github.com/anthropics/claude-ai-mcp/issues/85."""
    assert "not-port-443" in await faults_of(Deployment(origin=f"{ORIGIN}:8443"), f"{ORIGIN}:8443/mcp")
    assert "not-https" in await faults_of(Deployment(origin="http://mcp.example.com"), "http://mcp.example.com/mcp")
    assert await faults_of(Deployment(origin="http://localhost:3000"), "http://localhost:3000/mcp") == set()


async def test_a_slash_at_the_issuers_end_and_a_challenge_by_http_are_found() -> None:
    def slashed(deployment: Deployment, request: Request, reply: Reply) -> Reply:
        deployment.resource["authorization_servers"] = [f"{ORIGIN}/"]
        deployment.server["issuer"] = f"{ORIGIN}/"
        return reply

    assert "issuer-ends-with-slash" in await faults_of(Deployment(slashed))
    by_http = f'Bearer resource_metadata="http://mcp.example.com{AT_PATH}"'
    assert await faults_of(Deployment(header("/mcp", "www-authenticate", by_http))) & {
        "challenge-names-http",
        "challenge-names-nothing",
    }


async def test_a_server_without_registration_and_client_documents_has_no_way_in() -> None:
    deployment = document("server", registration_endpoint=None, client_id_metadata_document_supported=None)()
    assert "no-way-in" in await faults_of(deployment)


async def test_what_does_not_answer_is_said_and_nothing_else_is() -> None:
    def fails(request: httpx2.Request) -> httpx2.Response:
        raise httpx2.ConnectError(
            "[SSL: CERTIFICATE_VERIFY_FAILED] certificate has expired" if "tls" in str(request.url) else "refused"
        )

    async with httpx2.AsyncClient(transport=httpx2.MockTransport(fails)) as http:
        assert [finding.fault.id for finding in (await examine(URL, http)).findings] == ["endpoint-unreachable"]
        assert [finding.fault.id for finding in (await examine("https://tls.example.com/mcp", http)).findings] == ["tls-refused"]


async def test_nothing_is_registered_when_that_is_not_wanted() -> None:
    deployment = Deployment()
    report = await examined(deployment, registers=False)
    assert report.is_healthy
    assert [request.path for request in deployment.asked if request.path == "/register"] == []


async def test_only_the_deployment_and_its_authorization_server_are_asked() -> None:
    """A deployment must not make the doctor ask the network that it runs in, or anybody else."""
    asked: list[str] = []
    deployment = document("server", token_endpoint="http://169.254.169.254/latest", jwks_uri="https://auth.example.com/jwks")()
    deployment.break_ = only(
        lambda r: r.path == "/authorize", lambda *_: Reply(302, {"location": "https://elsewhere.example/login"})
    )
    inner = httpx2.ASGITransport(app=deployment)

    class Noting(httpx2.AsyncBaseTransport):
        async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
            asked.append(request.url.host)
            return await inner.handle_async_request(request)

    async with httpx2.AsyncClient(transport=Noting()) as http:
        await examine(URL, http)
    assert set(asked) == {"mcp.example.com", "auth.example.com"}


async def test_no_request_carries_a_cookie_or_follows_a_redirect() -> None:
    deployment = Deployment(lambda _, request, reply: Reply(302, {"location": f"{ORIGIN}/loop", "set-cookie": "a=b"}))
    report = await examined(deployment)
    assert report.is_complete
    assert report.asked == len(deployment.asked)
    assert [request.path for request in deployment.asked if request.path == "/loop"] == []


async def test_a_deployment_cannot_write_to_the_terminal() -> None:
    deployment = document("resource", resource="https://x.example/\x1b[2J\x1b]0;owned\x07\n" + "y" * 5000)()
    report = await examined(deployment)
    seen = " ".join(finding.seen for finding in report.findings)
    assert "\x1b" not in seen
    assert "\n" not in seen
    assert max(len(finding.seen) for finding in report.findings) < 400


async def test_nonsense_of_every_kind_ends_with_a_report() -> None:
    """A stranger's answer is never the doctor's error."""
    for body in ("[]", "null", "{" * 3000, '{"resource": 7, "authorization_servers": [1, "http://[", "::"]}', "\xff"):
        report = await examined(
            Deployment(lambda _, request, reply, body=body: Reply(200, {"content-type": "application/json"}, body))
        )
        assert report.findings


@pytest.mark.parametrize(
    "url",
    ["mcp.example.com/mcp", "ftp://x/mcp", "https://user:pass@x.example/mcp", f"{URL}?key=secret", "https://x.example:99999/", ""],
)
async def test_a_url_that_cannot_be_one_or_may_hold_a_secret_is_refused(url: str) -> None:
    async with httpx2.AsyncClient() as http:
        with pytest.raises(ConfigurationError) as refused:
            await examine(url, http)
    assert "pass" not in str(refused.value)
    assert "secret" not in str(refused.value).replace("may be secret", "")


async def test_too_many_requests_end_the_examination_and_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lazyapp.doctor.probe.MAX_REQUESTS", 12)
    deployment = Deployment()
    report = await examined(deployment)
    assert (report.is_complete, report.is_healthy, len(deployment.asked)) == (False, False, 12)


@pytest.fixture
async def vendors() -> AsyncIterator[Publisher]:
    """The hosts where AI clients publish their documents."""
    server = Publisher()
    await server.open()
    shared, uris = "https://chatgpt.com/oauth/client.json", ["https://chatgpt.com/connector_platform_oauth_redirect"]
    server.publish(shared, DOCUMENTS[CHATGPT] | {"client_id": shared, "redirect_uris": uris})
    yield documents(server)
    await server.close()


async def test_a_new_application_has_nothing_to_be_found(
    tmp_path: Path, vendors: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The promise of the project: every client logs in at first try. Served as in production, under a public name."""
    monkeypatch.setattr("lazyoauth.server.Network", lambda **_: Network(instead=vendors.bases))

    class NoteMCP(lazymcp.Base):
        @lazymcp.tool
        def note(self) -> str:
            """Read the note."""
            return "noted"

    class States(lazyoauth.MemoryRefreshTokenStates):
        is_shared = is_durable = True

    class Users:
        async def authenticate(self, credential: lazyauth.Credential) -> lazyauth.User:
            raise lazyauth.InvalidCredentials

        async def find_user(self, user_id: str) -> lazyauth.User | None:
            return None

    config = lazyapp.Config(
        name="notes",
        oauth=lambda ctx: lazyoauth.Config(issuer=ctx.settings.public_url, refresh_token_states=States(), authenticator=Users()),
        mcp=lambda ctx, scope: scope.register(NoteMCP()),
    )
    settings = Settings(
        env="production",
        root=tmp_path,
        given_public_url=ORIGIN,
        secret_key="0123456789abcdef" * 4,
        database_url=f"sqlite:///{tmp_path}/notes.sqlite3",
        migrate="auto",
    )
    app = lazyapp.App(config, settings=settings)
    async with app.router.lifespan_context(app), httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app)) as http:
        report = await examine(URL, http)
    # Pages of other origins may not call a server in production unless they are named: MCP, "Security Warning" of the transport.
    assert {finding.fault.id for finding in report.findings} <= {"pages-turned-away"}
    assert report.is_healthy


def test_every_check_is_of_one_shape() -> None:
    assert len({check.__qualname__ + check.__module__ for check in examining.CHECKS}) == len(examining.CHECKS)
    assert all(check.__doc__ for check in examining.CHECKS)
    assert json.dumps([check.__name__ for check in examining.CHECKS]).count("check_") == len(examining.CHECKS)
