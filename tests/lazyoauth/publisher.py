"""A local server that publishes what a test tells it to, byte for byte, and the documents that AI clients publish."""

import asyncio
import json
import ssl
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

Write = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]

CLAUDE = "https://claude.ai/oauth/mcp-oauth-client-metadata"
CLAUDE_CODE = "https://claude.ai/oauth/claude-code-client-metadata"
CHATGPT = "https://chatgpt.com/oauth/k3Rv9XqTzPw1/client.json"
VSCODE = "https://vscode.dev/oauth/client-metadata.json"

DOCUMENTS: Mapping[str, dict[str, Any]] = {
    CLAUDE: {
        "client_id": CLAUDE,
        "client_name": "Claude",
        "client_uri": "https://claude.ai",
        "redirect_uris": ["https://claude.ai/api/mcp/auth_callback", "https://claude.com/api/mcp/auth_callback"],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
    },
    CLAUDE_CODE: {
        "client_id": CLAUDE_CODE,
        "client_name": "Claude Code",
        "client_uri": "https://claude.ai",
        "redirect_uris": ["http://localhost/callback", "http://127.0.0.1/callback"],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
    },
    CHATGPT: {
        "client_id": CHATGPT,
        "client_name": "ChatGPT",
        "client_uri": "https://chatgpt.com/",
        "redirect_uris": ["https://chatgpt.com/connector/oauth/k3Rv9XqTzPw1"],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": "private_key_jwt",
        "token_endpoint_auth_methods_supported": ["none", "private_key_jwt"],
        "token_endpoint_auth_signing_alg": "RS256",
        "jwks_uri": "https://chatgpt.com/oauth/jwks.json",
    },
    VSCODE: {
        "client_id": VSCODE,
        "client_name": "Visual Studio Code",
        "client_uri": "https://vscode.dev/product",
        "application_type": "native",
        "redirect_uris": [
            "http://127.0.0.1:33418/",
            "http://127.0.0.1/",
            "https://vscode.dev/redirect",
            "https://insiders.vscode.dev/redirect",
            "vscode://dynamicauthprovider/redirect",
        ],
        "grant_types": ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"],
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
    },
}


def reply(body: bytes, *headers: str, status: str = "200 OK", kind: str = "application/json") -> bytes:
    """A whole HTTP response."""
    head = [f"HTTP/1.1 {status}", f"Content-Type: {kind}", f"Content-Length: {len(body)}", *headers]
    return "\r\n".join([*head, "", ""]).encode() + body


class Publisher:
    """Answers each path as `answers` says, with 404 for others, and keeps the head of every request.

    Attributes:
        answers: bytes to send, or what writes them, by path and query.
        heads: the requests in order, as they came.
        most_at_once: how many were being answered at one time.
    """

    def __init__(self) -> None:
        self.answers: dict[str, bytes | Write] = {}
        self.heads: list[str] = []
        self.most_at_once = 0
        self.port = 0
        self._at_once = 0
        self._server: asyncio.Server
        self._answering: set[asyncio.Task[None]] = set()

    async def open(self, host: str = "127.0.0.1", tls: ssl.SSLContext | None = None) -> None:
        self._server = await asyncio.start_server(self._answer, host, 0, ssl=tls)
        self.port = self._server.sockets[0].getsockname()[1]

    async def close(self) -> None:
        self._server.close()
        for task in list(self._answering):
            task.cancel()
        await asyncio.gather(*self._answering, return_exceptions=True)

    @property
    def bases(self) -> dict[str, str]:
        """Every host of a document, each with a folder here in its place."""
        hosts = sorted({url.split("/")[2] for url in DOCUMENTS} | {"client.example"})
        return {f"https://{host}/": f"http://127.0.0.1:{self.port}/{host}/" for host in hosts}

    def publish(self, url: str, document: Any, *headers: str) -> None:
        """Put a document where its URL is looked for."""
        self.answers[url.removeprefix("https:/")] = reply(json.dumps(document).encode(), *headers)

    def remove(self, url: str) -> None:
        del self.answers[url.removeprefix("https:/")]

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._answering.add(task)
        self._at_once += 1
        self.most_at_once = max(self.most_at_once, self._at_once)
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            self.heads.append(head)
            answer = self.answers.get(head.split(" ")[1], reply(b"{}", status="404 Not Found"))
            if isinstance(answer, bytes):
                writer.write(answer)
                await writer.drain()
            else:
                await answer(reader, writer)
        except (OSError, asyncio.IncompleteReadError):
            pass  # whoever asked has gone
        finally:
            self._at_once -= 1
            self._answering.discard(task)
            writer.close()


def documents(publisher: Publisher) -> Publisher:
    """The same server with the documents of AI clients on it."""
    for url, document in DOCUMENTS.items():
        publisher.publish(url, document)
    return publisher


def make_certificate(host: str) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """The context of a server that is this host, and that of a client that trusts nobody else."""
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, host)])
    builder = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
    builder = builder.not_valid_before(now - timedelta(days=1)).not_valid_after(now + timedelta(days=1))
    builder = builder.add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
    builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
    certificate = builder.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
    secret = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with TemporaryDirectory() as folder:
        both = Path(folder) / "both.pem"
        both.write_bytes(certificate + secret)
        server.load_cert_chain(both)
    return server, ssl.create_default_context(cadata=certificate.decode())
