"""A small OpenID provider in a process of its own: discovery, authorization code with PKCE, ID tokens signed by its key.

`/<what>` is one issuer each: `good` does everything right, every other does one thing wrong. Nobody is asked for a password:
whoever comes is `ada@corp.example`. Run as `python -m tests.lazyauth.openid_provider`; it says its port.
"""

import base64
import hashlib
import secrets
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlencode

CLIENT_ID, CLIENT_SECRET = "our-application", "a secret that both of us know"
CALLBACK = "http://testserver/login/callback"


def application(base: str) -> Any:
    """The provider, reached at this URL."""
    from joserfc import jwt
    from joserfc.jwk import OctKey, RSAKey
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
    from starlette.routing import Route

    key = RSAKey.generate_key(2048, {"kid": "1", "use": "sig", "alg": "RS256"})
    strange = RSAKey.generate_key(2048, {"kid": "1"})
    codes: dict[str, dict[str, str]] = {}

    async def document(request: Request) -> Response:
        issuer = f"{base}/{request.path_params['what']}"
        said = f"{base}/good" if issuer.endswith("/impostor") else issuer
        content = {
            "issuer": said,
            "authorization_endpoint": f"{issuer}/authorize",
            "token_endpoint": f"{issuer}/token",
            "jwks_uri": f"{base}/jwks",
            "response_types_supported": ["code"],
            "id_token_signing_alg_values_supported": ["none", "HS256", "RS256"],
            "timeout": "0",
            "verify": False,
        }
        return JSONResponse(content)

    async def authorize(request: Request) -> Response:
        asked, what = dict(request.query_params), request.path_params["what"]
        right = asked["redirect_uri"] == CALLBACK and asked["client_id"] == CLIENT_ID and asked["code_challenge_method"] == "S256"
        if not right or "openid" not in asked["scope"].split():
            return PlainTextResponse(f"refused: {asked}", 400)
        answer = {"state": asked["state"]}
        if what == "denied":
            answer["error"] = "access_denied"
        else:
            code = secrets.token_urlsafe(16)
            codes[code] = asked
            answer |= {"code": code, "iss": f"{base}/other" if what == "mixed-up" else f"{base}/{what}"}
        return RedirectResponse(f"{asked['redirect_uri']}?{urlencode(answer)}", 302)

    async def token(request: Request) -> Response:
        form, what = await request.form(), request.path_params["what"]
        basic = "Basic " + base64.b64encode(f"{CLIENT_ID}:{CLIENT_SECRET.replace(' ', '+')}".encode()).decode()
        plain = "Basic " + base64.b64encode(f"{CLIENT_ID}:{CLIENT_SECRET}".encode()).decode()
        asked = codes.pop(str(form["code"]), None)
        verifier = hashlib.sha256(str(form.get("code_verifier")).encode()).digest()
        proved = asked and base64.urlsafe_b64encode(verifier).rstrip(b"=").decode() == asked["code_challenge"]
        if request.headers["authorization"] not in (basic, plain) or not proved or form["redirect_uri"] != CALLBACK:
            return JSONResponse({"error": "invalid_grant"}, 400)
        assert asked is not None
        if what == "garbage":
            return PlainTextResponse("<html>")
        now = int(time.time())
        claims = {"iss": f"{base}/{what}", "aud": CLIENT_ID, "sub": "0042", "iat": now, "exp": now + 300, "nonce": asked["nonce"]}
        claims |= {"email": "ada@corp.example"}
        claims |= {
            "other-audience": {"aud": "another"},
            "expired": {"iat": now - 1000, "exp": now - 700},
            "replayed": {"nonce": "of another login"},
            "other-issuer": {"iss": f"{base}/good"},
            "no-expiry": {"exp": None},
        }.get(what, {})
        claims = {name: value for name, value in claims.items() if value is not None}
        answer = {"access_token": "x", "token_type": "Bearer", "expires_in": 60}
        if what == "unsigned":
            parts = [b'{"alg":"none","kid":"1"}', str(claims).replace("'", '"').encode(), b""]
            answer["id_token"] = ".".join(base64.urlsafe_b64encode(part).rstrip(b"=").decode() for part in parts)
        elif what == "our-own-secret":
            answer["id_token"] = jwt.encode({"alg": "HS256", "kid": "1"}, claims, OctKey.import_key(CLIENT_SECRET))
        elif what != "nobody":
            signing = strange if what == "other-key" else key
            answer["id_token"] = jwt.encode({"alg": "RS256", "kid": "1"}, claims, signing)
        return JSONResponse(answer)

    async def jwks(request: Request) -> Response:
        return JSONResponse({"keys": [key.as_dict(private=False)]})

    return Starlette(
        routes=[
            Route("/jwks", jwks),
            Route("/{what}/.well-known/openid-configuration", document),
            Route("/{what}/authorize", authorize),
            Route("/{what}/token", token, methods=["POST"]),
        ]
    )


@contextmanager
def running() -> Iterator[str]:
    """The provider's URL, while its process runs."""
    command = [sys.executable, "-m", "tests.lazyauth.openid_provider"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        with process.stdout as said:
            yield said.readline().strip()
    finally:
        process.terminate()
        process.wait()


def main() -> None:
    import uvicorn

    with socket.create_server(("127.0.0.1", 0)) as listener:
        base = f"http://127.0.0.1:{listener.getsockname()[1]}"
        print(base, flush=True)  # the backlog holds whoever comes before the server runs
        server = uvicorn.Server(uvicorn.Config(application(base), log_level="warning"))
        server.run(sockets=[listener])


if __name__ == "__main__":
    main()
