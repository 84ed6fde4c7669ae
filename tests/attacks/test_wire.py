"""A38, A40 to A42, A44 and A48: requests that are not what they seem, and answers that stay where they should not."""

import asyncio
import json
from dataclasses import replace
from urllib.parse import parse_qsl

import pytest

from lazymcp.gate import Gate
from lazyoauth import answers as page_answers
from lazyoauth import http
from lazyoauth.parameters import Parameters
from tests.attacks.harness import attack, nothing, replaced
from tests.attacks.test_pages import every_page
from tests.lazymcp.asgi_peer import served
from tests.lazyoauth.journey import CALLBACK, FORM

DOCUMENTS = (
    "/.well-known/oauth-authorization-server",
    "/.well-known/oauth-authorization-server/mcp",
    "/.well-known/openid-configuration",
    "/.well-known/oauth-protected-resource",
    "/.well-known/oauth-protected-resource/mcp",
)
FORMS = ("/oauth/token", "/oauth/revoke", "/oauth/authorize", "/oauth/login", "/oauth/consent")


def take_out_no_store(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(http, "NO_STORE", {})
    patch.setattr(page_answers, "HEADERS", {name: value for name, value in page_answers.HEADERS.items() if name != "Cache-Control"})


@attack(no_store=take_out_no_store)
async def test_a38_what_is_secret_stays_in_a_cache(start):
    """RFC 6749, section 5.1; RFC 9700, section 4.2."""
    journey = start()
    answers = await every_page(journey)
    answers["register"] = await journey.http.post("/oauth/register", json={"redirect_uris": [CALLBACK]})
    answers["token"] = await journey.exchange(await journey.code())
    answers["refused token"] = await journey.exchange("x")
    answers["revoke"] = await journey.http.post("/oauth/revoke", data={"client_id": journey.client_id, "token": "x"})
    answers["wrong method"] = await journey.http.get("/oauth/token")
    answers["no token"] = await journey.http.post("/mcp")
    return [name for name, answer in answers.items() if answer.headers.get("cache-control") != "no-store"]


def by_any_host(issuers):
    def choose(scope):
        headers = dict(scope["headers"])
        host = headers.get(b"x-forwarded-host", headers.get(b"host", b"")).decode()
        return replace(issuers[0], url=f"https://{host}", resource=f"https://{host}/mcp")

    return choose


@attack(fixed_issuer=replaced(http, "by_host", by_any_host))
async def test_a41_a_header_puts_a_name_into_a_document(start):
    """RFC 8414, section 6.2; RFC 9728, section 7.3: names come from the settings."""
    journey = start(local_issuers=("http://localhost:3000",))
    poison = {
        "host": {"host": "evil.example"},
        "x-forwarded-host": {"x-forwarded-host": "evil.example"},
        "forwarded": {"forwarded": "host=evil.example;proto=http"},
        "x-forwarded-proto": {"x-forwarded-proto": "ftp", "x-forwarded-port": "evil.example"},
        "x-original-url": {"x-original-url": "https://evil.example/", "x-rewrite-url": "//evil.example"},
        "near miss": {"host": "localhost:3000.evil.example"},
    }
    through = []
    for name, headers in poison.items():
        for path in (*DOCUMENTS, "/mcp", "/oauth/jwks", "/oauth/authorize"):
            answer = await journey.http.get(path, headers=headers)
            if "evil.example" in f"{answer.text} {answer.headers.get('www-authenticate')} {answer.headers.get('location')}":
                through.append(f"{name} {path}")
    return through


def last_one_wins(encoded):
    pairs = parse_qsl(encoded, keep_blank_values=True)
    return Parameters(
        {name: value for name, value in pairs if value and name != "resource"},
        [value for name, value in pairs if name == "resource"],
    )


@attack(each_once=replaced(http, "parse", last_one_wins))
async def test_a42_a_parameter_comes_twice(start):
    """RFC 6749, sections 3.1 and 3.2: whoever reads the first and whoever reads the last must not differ."""
    journey = start()
    await journey.register()
    through = []
    asked = journey.request()
    for name in asked.keys() - {"resource"}:
        answer = await journey.http.get("/oauth/authorize", params=[*asked.items(), (name, asked[name])])
        through += [f"authorize {name}"] * (answer.status_code != 400 or "location" in answer.headers)
    code = await journey.code()
    form = {
        "client_id": journey.client_id,
        "grant_type": "authorization_code",
        "code": code,
        "redirect_uri": CALLBACK,
        "code_verifier": journey.verifier,
    }
    for name, value in form.items():
        content = "&".join(f"{key}={entry}" for key, entry in [*form.items(), (name, value)])
        answer = await journey.http.post("/oauth/token", content=content, headers=FORM)
        through += [f"token {name}"] * (answer.status_code != 400)
    return through


def with_cors(handler, choose, methods, **options):
    return own_endpoint(handler, choose, methods, **options | {"cors": True})


own_endpoint = http.endpoint


@attack(no_cors_on_pages=replaced(http, "endpoint", with_cors))
async def test_a44_a_script_of_another_site_calls_as_the_person(start):
    """Fetch, section 3.2: credentials are never allowed, and the pages allow nothing at all."""
    journey = start()
    through = []
    for path in (*DOCUMENTS, *FORMS, "/oauth/register", "/oauth/jwks", "/mcp"):
        for method in ("GET", "POST"):
            preflight = {"origin": "https://evil.example", "access-control-request-method": method}
            asked = await journey.http.options(path, headers=preflight)
            answer = await journey.http.request(method, path, headers={"origin": "https://evil.example"})
            for seen in (asked, answer):
                assert "access-control-allow-credentials" not in seen.headers
                if path in ("/oauth/authorize", "/oauth/login", "/oauth/consent"):
                    through += [f"{method} {path}"] * ("access-control-allow-origin" in seen.headers)
    return through


def take_out_bounds(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(http, "MAX_FORM_BYTES", 10**9)
    patch.setattr(http.registration, "MAX_BODY_BYTES", 10**9)


@attack(bounds=take_out_bounds)
async def test_a48_a_body_without_end(start):
    """OWASP API4: no more of it is held than the limit, whatever length was announced."""
    journey = start()
    taken = []

    async def flood():
        for _ in range(256):
            taken[-1] += 4096
            yield b"a" * 4096

    through = []
    for path in (*FORMS, "/oauth/register"):
        taken.append(0)
        answer = await journey.http.post(path, content=flood(), headers={**FORM, "sec-fetch-site": "same-origin"})
        through += [path] * (answer.status_code != 413)
    return through


@attack(unreadable_json_is_an_error=replaced(http.registration, "_parse", json.loads))
async def test_a48_brackets_and_digits_without_end(start):
    """RFC 8259, section 9: what is nested too deep, or too long a number, is an error and no crash."""
    journey = start()
    through = []
    for name, body in {
        "lists": b"[" * 16_000,
        "objects": b'{"a":' * 3_000,
        "digits": b"9" * 16_000,
        "lists within": b'{"redirect_uris":' + b"[" * 8_000,
        "no UTF-8": b"\xff" * 9,
        "half a character": b'"\\ud800"',
        "no number": b"NaN",
    }.items():
        answer = await asyncio.wait_for(journey.http.post("/oauth/register", content=body), 10)
        told = answer.json()["error"]
        through += [f"{name}: {answer.status_code} {told}"] * ((answer.status_code, told) != (400, "invalid_client_metadata"))
    return through


@attack(hosts_and_origins=replaced(Gate, "check", nothing))
async def test_a40_a_name_is_rebound_to_this_machine():
    """MCP 2026-07-28, transports, security: https://github.com/modelcontextprotocol/csharp-sdk/issues/1520."""
    peer = served()
    assert (await peer.ask("tools/list")).status == 200
    through = []
    for name, headers in {
        "host": {"host": "evil.example"},
        "host with our port": {"host": "evil.example:3000"},
        "host that begins as ours": {"host": "localhost.evil.example:3000"},
        "origin": {"origin": "http://evil.example:3000"},
        "origin null": {"origin": "null"},
        "both": {"host": "evil.example:3000", "origin": "http://evil.example:3000"},
    }.items():
        message = peer.message("tools/list")
        answer = await peer.post(json.dumps(message).encode(), {**peer.headers_for(message), **headers})
        through += [name] * (answer.status not in (403, 421))
    return through
