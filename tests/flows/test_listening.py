"""Listening to a whole application: several processes on PostgreSQL, a reload, a stop; the official client beside raw streams."""

import asyncio
import json
import re
import signal
from contextlib import AsyncExitStack, asynccontextmanager

from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.client.subscriptions import ResourceUpdated, ToolsListChanged

from lazymcp import Scope
from tests.flows.served import served
from tests.flows.serving import free_port
from tests.lazyapp.tiny_app import serving, write_app
from tests.lazymcp.admin_module import AdminMCP
from tests.lazymcp.asgi_peer import Peer

USERS = "app://admin/users"

APP = '''
import os

import lazyapp
import lazymcp


class Users:
    async def authenticate(self, credential):
        raise NotImplementedError

    async def find_user(self, user_id):
        return None


class NotesMCP(lazymcp.Base):
    def __init__(self, scope):
        self.scope = scope

    @lazymcp.tool
    async def change(self) -> int:
        """Announce a change; tells the process."""
        await self.scope.notify_tools_changed()
        return os.getpid()

    @lazymcp.tool
    async def pid(self) -> int:
        """The process."""
        return os.getpid()


app = lazyapp.App(
    lazyapp.Config(name="notes", auth=lambda ctx: Users(), mcp=lambda ctx, scope: scope.register(NotesMCP(scope)))
)
'''


class Line:
    """One connection of a client: a request, and what comes back."""

    def __init__(self, origin, method, params):
        self._port = int(origin.rsplit(":", 1)[1])
        peer = Peer(None)
        message = peer.message(method, params)
        body = json.dumps(message).encode()
        headers = peer.headers_for(message) | {"host": f"localhost:{self._port}", "content-length": str(len(body))}
        head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        self._request = f"POST /mcp HTTP/1.1\r\n{head}\r\n".encode() + body

    async def __aenter__(self):
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self._port)
        self.writer.write(self._request)
        return self

    async def __aexit__(self, *_):
        self.writer.transport.abort()

    async def until(self, text):
        return await asyncio.wait_for(self.reader.readuntil(text), 20)

    async def last(self):
        """The last message, once the stream is closed properly."""
        rest = await asyncio.wait_for(self.reader.read(), 20)
        assert rest.endswith(b"\r\n0\r\n\r\n"), rest
        return json.loads(rest.split(b"data: ")[-1].split(b"\n")[0])


def ear(origin):
    return Line(origin, "subscriptions/listen", {"notifications": {"toolsListChanged": True}})


async def call(origin, name):
    """The process that answered a call on a new connection."""
    async with Line(origin, "tools/call", {"name": name, "arguments": {}}) as line:
        answer = await line.until(b'"resultType":"complete"')
    return int(re.search(rb'"result":(\d+)\}', answer)[1])


@asynccontextmanager
async def opened(origin, count):
    async with AsyncExitStack() as stack:
        ears = [await stack.enter_async_context(ear(origin)) for _ in range(count)]
        for one in ears:
            await one.until(b"notifications/subscriptions/acknowledged")
        yield ears


async def test_the_workers_of_an_application_hear_each_other_and_stop_with_streams_open(tmp_path, postgres_url):
    """Design 3, "Scales by adding processes": no request needs the process that served the one before."""
    write_app(tmp_path, APP)
    url = postgres_url.replace("postgresql+asyncpg", "postgresql")
    port = free_port()
    origin = f"http://localhost:{port}"
    variables = {"DATABASE_URL": url, "SECRET_KEY": "0123456789abcdef" * 4, "PUBLIC_URL": origin, "LAZYAPP_MIGRATE": "auto"}
    with serving(tmp_path, "--production", "--workers", "2", "--port", str(port), **variables) as server:
        await asyncio.to_thread(server.wait_until_up)
        async with opened(origin, 12) as ears, asyncio.timeout(60):
            tellers = set()
            while len(tellers) < 2:
                tellers.add(await call(origin, "notes.change"))
                for one in ears:
                    await one.until(b"notifications/tools/list_changed")
            code = asyncio.create_task(asyncio.to_thread(server.end))
            last = [await one.last() for one in ears]
            assert await asyncio.wait_for(code, 20) == 0
        said = "\n".join(server.lines)
    assert {message["result"]["resultType"] for message in last} == {"complete"}
    assert "Traceback" not in said
    assert "Cancel" not in said, "no answer had to be cut off"


async def test_a_reload_ends_streams_properly_and_at_once(tmp_path):
    """https://github.com/modelcontextprotocol/python-sdk/issues/3494 and its like: a stream must not hold up a reload."""
    write_app(tmp_path, APP)
    with serving(tmp_path) as server:
        origin = await asyncio.to_thread(server.wait_until_up)
        before = await call(origin, "notes.pid")
        async with opened(origin, 3) as ears:
            (tmp_path / "init" / "app.py").write_text(APP + "\n# changed\n")
            assert [(await one.last())["result"]["resultType"] for one in ears] == ["complete"] * 3
        async with asyncio.timeout(30):
            while (after := await patiently(origin)) == before:
                await asyncio.sleep(0.1)
        assert after != before
        async with opened(origin, 2) as ears:
            assert await asyncio.to_thread(server.end, signal.SIGINT) == 0
            assert [(await one.last())["result"]["resultType"] for one in ears] == ["complete"] * 2
        assert "Traceback" not in "\n".join(server.lines)


async def patiently(origin):
    """As `call`; a server that is just ending may close the connection first."""
    try:
        return await call(origin, "notes.pid")
    except (OSError, asyncio.IncompleteReadError):
        return await call(origin, "notes.pid")


async def test_the_official_client_hears_and_sees_the_end():
    scope = Scope()
    scope.register(AdminMCP())
    async with (
        served(scope.asgi()) as origin,
        Client(streamable_http_client(f"{origin}/mcp"), mode="2026-07-28") as client,
        client.listen(tools_list_changed=True, resource_subscriptions=[USERS, "app://admin/nothing"]) as subscription,
    ):
        assert subscription.honored.tools_list_changed is True
        assert subscription.honored.resource_subscriptions == [USERS]
        await scope.notify_tools_changed()
        await scope.notify_resource_updated(USERS)
        heard = [await asyncio.wait_for(anext(subscription), 10) for _ in range(2)]
        assert heard == [ToolsListChanged(), ResourceUpdated(uri=USERS)]
        scope.end_streams()
        assert [event async for event in subscription] == []
