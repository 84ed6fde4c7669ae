"""The example application as a process, for every client of this folder, and the hosts that publish documents about them."""

from collections.abc import AsyncIterator, Iterator

import httpx2
import pytest

from tests.clients import editors, hosted, terminals
from tests.clients.assertions import AssertionKey
from tests.clients.documents import DocumentHosts
from tests.flows.conftest import node, watched
from tests.flows.serving import Server

__all__ = ["node"]

PROFILES = (*hosted.PROFILES, *hosted.SIGNING, *editors.PROFILES, *terminals.PROFILES)


@pytest.fixture(scope="session")
def key() -> AssertionKey:
    """The key by which hosted clients sign."""
    return AssertionKey("2026-11")


@pytest.fixture(scope="session")
def hosts(key: AssertionKey) -> Iterator[DocumentHosts]:
    """The vendors' hosts: a document for each client that has one, and the key set."""
    documents = {profile.document: profile.published for profile in PROFILES if profile.document}
    with DocumentHosts({**documents, hosted.JWKS_URI: {"keys": [AssertionKey("2026-10").public, key.public]}}) as hosts:
        yield hosts


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory, hosts: DocumentHosts) -> Iterator[Server]:
    """Served for all tests that leave it running."""
    folder = tmp_path_factory.mktemp("clients")
    url = f"sqlite+aiosqlite:///{folder / 'server.sqlite3'}"
    environment = {"DATABASE_URL": url, "LAZYOAUTH_TEST_DOCUMENTS": hosts.variable}
    with watched(Server(folder / "server.log", environment)) as server:
        yield server


@pytest.fixture
async def http() -> AsyncIterator[httpx2.AsyncClient]:
    async with httpx2.AsyncClient(timeout=30) as client:
        yield client
