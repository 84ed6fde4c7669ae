"""The official Python SDK's client and FastMCP's, unmodified, with their own OAuth; only the person at the browser is ours."""

import asyncio
import contextlib
import threading
import webbrowser
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any
from urllib.parse import parse_qs, urlsplit

import fastmcp
import httpx2
import mcp.client
from fastmcp.client.auth import OAuth
from mcp.client.auth import OAuthClientProvider, TokenStorage
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientInformationFull, OAuthClientMetadata, OAuthToken
from pydantic import AnyUrl

from tests.flows.browser import Browser
from tests.flows.journey import DASHBOARD, PROMPT, SKILL, SKILL_INDEX, TOOL, USERS, Journey
from tests.flows.serving import PASSWORD, USER

CALLBACK = "http://localhost:33418/callback"


class Storage(TokenStorage):
    """A client's memory of one server; it outlives the provider, as a key chain outlives a process."""

    def __init__(self) -> None:
        self.tokens: OAuthToken | None = None
        self.client: OAuthClientInformationFull | None = None
        self.logins = 0

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info

    @property
    def refresh_token(self) -> str:
        assert self.tokens is not None
        assert self.tokens.refresh_token is not None
        return self.tokens.refresh_token

    @property
    def access_token(self) -> str:
        assert self.tokens is not None
        return self.tokens.access_token

    @property
    def client_id(self) -> str:
        assert self.client is not None
        return self.client.client_id


def sdk_oauth(url: str, storage: Storage, password: str = PASSWORD) -> OAuthClientProvider:
    """The SDK's OAuth for the server at `url`, with a person who logs in with this password and consents."""
    came_back = ""

    async def redirect(authorization_url: str) -> None:
        nonlocal came_back
        storage.logins += 1
        async with Browser(callback=CALLBACK) as browser:
            came_back = await browser.log_in(authorization_url, USER, password)

    async def callback() -> AuthorizationCodeResult:
        answer = {name: values[0] for name, values in parse_qs(urlsplit(came_back).query).items()}
        return AuthorizationCodeResult(code=answer["code"], state=answer.get("state"), iss=answer.get("iss"))

    metadata = OAuthClientMetadata(client_name="SDK client", redirect_uris=[AnyUrl(CALLBACK)])
    return OAuthClientProvider(f"{url}/mcp", metadata, storage, redirect_handler=redirect, callback_handler=callback)


@asynccontextmanager
async def sdk_client(url: str, auth: httpx2.Auth | None, mode: str = "auto") -> AsyncIterator[mcp.client.Client]:
    """The SDK's client. `mode` is its own word: `auto` asks for 2026-07-28 first, `legacy` is the older handshake."""
    async with (
        httpx2.AsyncClient(auth=auth, timeout=30) as http,
        mcp.client.Client(streamable_http_client(f"{url}/mcp", http_client=http), mode=mode) as client,
    ):
        yield client


async def sdk_journey(client: mcp.client.Client) -> Journey:
    return Journey(
        tools=plain(await client.list_tools())["tools"],
        called=plain(await client.call_tool(TOOL, {})),
        dashboard=plain(await client.read_resource(DASHBOARD)),
        users=plain(await client.read_resource(USERS)),
        prompt=plain(await client.get_prompt(PROMPT, {"since": "monday"})),
        skill_index=plain(await client.read_resource(SKILL_INDEX)),
        skill=plain(await client.read_resource(SKILL)),
    )


async def fastmcp_journey(url: str, mode: str) -> Journey:
    """FastMCP opens the machine's web browser and waits on a port of its own; both happen here as they do at home."""
    with desktop(visit):
        async with fastmcp.Client(f"{url}/mcp", auth=OAuth(), mode=mode) as client:
            return Journey(
                tools=[plain(tool) for tool in await client.list_tools()],
                called=plain(await client.call_tool_mcp(TOOL, {})),
                dashboard=plain(await client.read_resource_mcp(DASHBOARD)),
                users=plain(await client.read_resource_mcp(USERS)),
                prompt=plain(await client.get_prompt_mcp(PROMPT, {"since": "monday"})),
                skill_index=plain(await client.read_resource_mcp(SKILL_INDEX)),
                skill=plain(await client.read_resource_mcp(SKILL)),
            )


def plain(model: Any) -> dict[str, Any]:
    """A client's model as the JSON it was read from."""
    found: dict[str, Any] = model.model_dump(mode="json", by_alias=True, exclude_none=True)
    return found


class _Desktop(webbrowser.BaseBrowser):
    """The machine's web browser, for whoever asks the standard library to open an address."""

    def __init__(self, visit: Callable[[str], None]) -> None:
        super().__init__("flows")
        self._visit = visit

    def open(self, url: str, new: int = 0, autoraise: bool = True) -> bool:
        threading.Thread(target=self._visit, args=(url,), daemon=True).start()
        return True


@contextmanager
def desktop(visit: Callable[[str], None]) -> Iterator[None]:
    """For the time of the block, `webbrowser.open(url)` calls `visit(url)` in a thread, as a browser runs beside the program."""
    webbrowser.register("flows", None, _Desktop(visit), preferred=True)
    try:
        yield
    finally:
        webbrowser._tryorder.remove("flows")  # type: ignore[attr-defined]  # the standard library can register only


def visit(url: str) -> None:
    """Log in at `url`, and knock at the client's callback until it opens."""
    asyncio.run(_visit(url))


async def _visit(url: str) -> None:
    callback = parse_qs(urlsplit(url).query)["redirect_uri"][0]
    async with Browser(callback=callback) as browser, httpx2.AsyncClient() as http:
        came_back = await browser.log_in(url, USER, PASSWORD)
        for _ in range(100):
            with contextlib.suppress(httpx2.ConnectError):
                await http.get(came_back)
                return
            await asyncio.sleep(0.05)
