"""The two tokens that the contestants are called with: ours by a real login, the limit's signed by a key of its own."""

import asyncio
import time

import httpx2
from joserfc import jwt
from joserfc.jwk import ECKey

from tests.flows.authorization import Login, Wire
from tests.flows.browser import Browser
from tests.flows.python_clients import CALLBACK

_KEY = ECKey.generate_key("P-256", auto_kid=True)


def login(port: int) -> Login:
    """Register a client and log in through the forms of the server on `port`."""

    async def walk() -> Login:
        url = f"http://127.0.0.1:{port}"
        async with httpx2.AsyncClient() as http, Browser(CALLBACK) as browser:
            wire = Wire(http, url)
            return await wire.log_in(await wire.register(), browser)

    return asyncio.run(walk())


def public_key() -> dict[str, object]:
    """The key that verifies `issued` tokens, as a JWK."""
    return dict(_KEY.as_dict(private=False))


def issued(port: int) -> str:
    """An access token of the same shape for the limit on `port` (RFC 9068)."""
    origin, now = f"http://127.0.0.1:{port}", int(time.time())
    claims = {
        "iss": origin,
        "sub": "admin",
        "aud": f"{origin}/mcp",
        "client_id": "x" * 200,
        "iat": now,
        "exp": now + 3_600,
        "jti": "j" * 32,
        "fid": "f" * 32,
        "scope": "mcp",
        "mcps": ["*"],
    }
    return jwt.encode({"alg": "ES256", "typ": "at+jwt", "kid": _KEY.kid}, claims, _KEY)
