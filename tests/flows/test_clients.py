"""Unmodified clients from discovery to the last answer, on SQLite and on PostgreSQL.

Issue 2, "It is done when": discovery, registration, login and consent through the HTML forms, tools/call, resources/read of the
dashboard with its metadata, prompts/get, skill read.
"""

import pytest

from tests.flows.python_clients import Storage, fastmcp_journey, sdk_client, sdk_journey, sdk_oauth
from tests.flows.typescript_client import typescript_client

MODES = pytest.mark.parametrize("mode", ["auto", "legacy"])


@MODES
async def test_the_python_sdk_logs_in_and_sees_everything(server, mode):
    storage = Storage()
    async with sdk_client(server.url, sdk_oauth(server.url, storage), mode) as client:
        journey = await sdk_journey(client)
        assert client.protocol_version == ("2026-07-28" if mode == "auto" else "2025-11-25")
    journey.check()
    assert storage.logins == 1
    assert storage.access_token not in server.log
    assert storage.refresh_token not in server.log


@MODES
@pytest.mark.filterwarnings("ignore:Using in-memory token storage")
async def test_fastmcp_logs_in_and_sees_everything(server, mode):
    (await fastmcp_journey(server.url, mode)).check()


@pytest.mark.parametrize("sdk", ["v2", "v2-legacy", "v1"])
async def test_the_typescript_sdk_logs_in_and_sees_everything(server, node, sdk):
    async with typescript_client(node, sdk, server.url) as client:
        (await client.journey()).check()
        assert client.logins == 1
