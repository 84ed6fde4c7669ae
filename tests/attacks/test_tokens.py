"""A16 to A19, A34 and A37: what passes for a token, and where it is good."""

import ast
import base64
import json
from pathlib import Path

import pytest
from joserfc import jwt
from joserfc.jwk import KeySet

from lazyoauth import bearer, jose, resources
from lazyoauth.errors import InvalidToken
from lazyoauth.keys import derive
from lazyoauth.tokens import ACCESS, REFRESH, Tokens
from tests.attacks.harness import attack, nothing, replaced, yes
from tests.lazyoauth.journey import RESOURCE, SECRET
from tests.lazyoauth.test_jose import forgeries

ROOT = Path(__file__).parents[2]


def unverified(token, _keys, _typ):
    """The claims of whatever came."""
    try:
        part = token.split(".")[1]
        claims = json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    except (ValueError, IndexError) as error:
        raise jose.Rejected("no token at all") from error
    if not isinstance(claims, dict):
        raise jose.Rejected("no claims")
    return claims


@attack(
    access_tokens_verified=replaced(jose, "verify_public", unverified),
    refresh_tokens_verified=replaced(jose, "verify_internal", unverified),
)
async def test_a16_a_forged_or_swapped_token_is_presented(start):
    """RFC 8725, sections 2.1, 3.1, 3.10 and 3.11: each forgery, and each of our tokens as another kind, at each endpoint."""
    journey = start()
    login = await journey.login()
    claims = jwt.decode(login.access_token, KeySet.import_key_set(derive(SECRET).jwks()), algorithms=["ES256"]).claims
    code = await journey.code()
    swapped = {"access": login.access_token, "refresh": login.refresh_token, "code": code, "client id": journey.client_id}
    models = {ACCESS: claims, REFRESH: unverified(login.refresh_token, None, REFRESH)}
    forged = {f"{typ} {kind}": token for typ in models for kind, token in forgeries(derive(SECRET), typ, models[typ]).items()}
    through = []
    for name, token in {**forged, **swapped}.items():
        header = {"authorization": f"Bearer {token}".encode()}
        answers = {
            "access": await journey.http.post("/mcp", headers=header),
            "refresh": await journey.refresh(token),
            "code": await journey.exchange(token),
            "client id": await journey.token(grant_type="authorization_code", client_id=token),
            "consent": await journey.http.get("/oauth/consent", params={"transaction": token}),
        }
        assert all(answer.status_code < 500 for answer in answers.values())
        if name == "code":
            # Not used up by any of it, nor is its own place an attack.
            del answers["code"]
        through += [f"{name} as {kind}" for kind, answer in answers.items() if kind != name and answer.is_success]
    return through


@attack(audience_compared=replaced(resources, "same", yes))
async def test_a17_a_token_for_another_resource_is_presented(start):
    """RFC 8707, section 2.2; RFC 9068, section 4: one resource, and no list in which a foreign one could hide."""
    journey = start()
    login = await journey.login()
    keys = derive(SECRET)
    claims = jwt.decode(login.access_token, KeySet.import_key_set(keys.jwks()), algorithms=["ES256"]).claims
    through = []
    for aud in (
        "https://other.example/mcp",
        "https://app.example",
        f"{RESOURCE}/x",
        "https://app.example.evil.example/mcp",
        f"http{RESOURCE.removeprefix('https')}",
        [RESOURCE, "https://other.example/mcp"],
        ["https://other.example/mcp"],
        [],
        "",
        None,
    ):
        token = jose.sign_public(claims | {"aud": aud}, keys.signing, ACCESS)
        through += [str(aud)] * (await journey.call(token)).is_success
    assert (await journey.call(login.access_token)).is_success
    return through


@attack(resources_compared=replaced(resources, "same", yes))
async def test_a18_the_resource_is_swapped(start):
    """RFC 8707, sections 2.1 and 2.2: what was approved may be repeated, and nothing else asked for, then or later."""
    journey = start()
    await journey.register()
    other = "https://other.example/mcp"
    page = await journey.http.get("/oauth/authorize", params=journey.request(resource=other))
    through = ["authorize"] * (page.status_code == 200)
    exchanged = await journey.exchange(await journey.code(), resource=other)
    through += ["exchange"] * exchanged.is_success
    login = await journey.login()
    return through + ["refresh"] * (await journey.refresh(login.refresh_token, resource=other)).is_success


def take_out_one_way_only(patch: pytest.MonkeyPatch) -> None:
    verify = Tokens.verify_access

    def lenient(self, token):
        try:
            return verify(self, token.partition("access_token=")[2] or token)
        except InvalidToken:
            raise

    patch.setattr(bearer, "_refuse_other_ways", nothing)
    patch.setattr(Tokens, "verify_access", lenient)


@attack(one_way_only=take_out_one_way_only)
async def test_a37_a_token_travels_in_an_address(start):
    """MCP 2026-07-28, authorization: in the header only; RFC 6750, section 3.1: two ways at once are refused."""
    journey = start()
    token = (await journey.login()).access_token
    header = {"authorization": f"Bearer {token}"}
    answers = {
        "query": await journey.http.post("/mcp", params={"access_token": token}),
        "query and header": await journey.http.post("/mcp", params={"access_token": token}, headers=header),
        "form": await journey.http.post("/mcp", data={"access_token": token}),
        "cookie": await journey.http.post("/mcp", headers={"cookie": f"access_token={token}"}),
    }
    page = await journey.browser().open("/oauth/authorize", journey.request())
    assert page.headers["referrer-policy"] == "no-referrer"
    return [name for name, answer in answers.items() if answer.is_success]


SECRET_NAMES = ("secret", "mac", "digest", "signature", "verifier", "password", "password_hash", "challenge", "hash", "csrf")


def compared_by_equality(source):
    """Comparisons of secrets that take a time which depends on the secret, as `line: text`."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Compare) and any(isinstance(op, ast.Eq | ast.NotEq) for op in node.ops):
            sides = [node.left, *node.comparators]
            constants = any(isinstance(side, ast.Constant | ast.List | ast.Tuple) for side in sides)
            names = {name_of(side).lower().lstrip("_") for side in sides}
            secret = {name for name in names for word in SECRET_NAMES if name == word or name.endswith(f"_{word}")}
            # Two hashes that are both ours: whether a record was changed meanwhile, which no stranger's input is part of.
            if secret and not constants and names != {"password_hash"}:
                found.append(f"{node.lineno}: {ast.unparse(node)}")
    return found


def name_of(node):
    if isinstance(node, ast.Call):
        return name_of(node.func)
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def test_a34_no_secret_is_compared_by_equality():
    """RFC 9700, section 4.8: `hmac.compare_digest` is how secrets are compared."""
    files = [path for package in ("lazyoauth", "lazyauth") for path in (ROOT / package).glob("**/*.py")]
    files += [ROOT / "lazyapp" / name for name in ("sessions.py", "secret.py", "forms.py")]
    assert len(files) > 40
    found = [f"{path.relative_to(ROOT)}:{line}" for path in files for line in compared_by_equality(path.read_text("utf-8"))]
    assert found == []


@pytest.mark.parametrize(
    "line",
    [
        "client.client_secret == secret",
        "if given != self._secret: pass",
        "_digest(secret) != transaction.digest",
        "mac == _mac(key, x)",
    ],
)
def test_a34_a_comparison_by_equality_would_be_found(line):
    """The way Authlib's models compare client secrets."""
    assert compared_by_equality(line)
