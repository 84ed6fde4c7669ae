"""Mistakes in the authorization server's document, one at a time: each is found."""

import pytest

from tests.lazyapp.doctor.deployment import ORIGIN, Reply, says
from tests.lazyapp.doctor.mistakes import OPENID, SERVER, Mistake, document, faults_of, instead, only, with_mistake

MISTAKES: list[tuple[str, Mistake]] = [
    ("well-known-guarded", instead(SERVER, 401)),
    ("well-known-redirects", instead(OPENID, 308, location=f"{ORIGIN}{OPENID}/")),
    ("names-inside", document("server", token_endpoint="http://127.0.0.1:3000/token")),
    ("null-members", document("server", jwks_uri="null")),
    ("server-document-missing", only(lambda r: r.path in (SERVER, OPENID), lambda *_: Reply(404))),
    ("server-document-not-everywhere", instead(SERVER, 404)),
    ("server-documents-differ", says(OPENID, lambda r: Reply(200, r.headers, {**r.body, "token_endpoint": f"{ORIGIN}/other"}))),
    ("issuer-missing", document("server", issuer=None)),
    ("issuer-differs", document("server", issuer="https://auth.example.com")),
    ("issuer-differs-by-slash", document("server", issuer=f"{ORIGIN}/")),
    ("endpoints-missing", document("server", authorization_endpoint=None)),
    ("endpoint-not-https", document("server", token_endpoint="http://mcp.example.com/token")),
    ("endpoint-elsewhere", document("server", token_endpoint="https://auth.example.com/token")),
    ("response-types-missing", document("server", response_types_supported=None)),
    ("s256-not-announced", document("server", code_challenge_methods_supported=None)),
    ("plain-announced", document("server", code_challenge_methods_supported=["plain", "S256"])),
    ("client-documents-not-announced", document("server", client_id_metadata_document_supported=None)),
    ("none-not-announced", document("server", token_endpoint_auth_methods_supported=["client_secret_basic"])),
    (
        "none-not-first",
        document("server", token_endpoint_auth_methods_supported=["client_secret_basic", "none", "private_key_jwt"]),
    ),
    ("iss-not-announced", document("server", authorization_response_iss_parameter_supported=None)),
    ("offline-access-not-announced", document("server", scopes_supported=["mcp"])),
    ("refresh-not-announced", document("server", grant_types_supported=["authorization_code"])),
]


@pytest.mark.parametrize(("fault", "mistake"), MISTAKES, ids=[f"{number}-{fault}" for number, (fault, _) in enumerate(MISTAKES)])
async def test_the_mistake_is_found(fault: str, mistake: Mistake) -> None:
    """The public report or the clause behind each stands in faults.toml."""
    assert fault in await faults_of(with_mistake(mistake))
