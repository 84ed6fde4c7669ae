"""lazymcp/legacy_news.py: what an older client hears of besides answers."""

import asyncio

import pytest

from lazyauth import Claims, User, current_claims, signed_in
from lazymcp import Base, Options, Scope, resource
from lazymcp.legacy_news import Ear


class Watched(Base):
    name = ""

    @resource("app://watched/{name}")
    async def read(self, name: str) -> str:
        """Changes."""
        return name


@pytest.fixture
def scope():
    scope = Scope(Options(authorizer=lambda claims, module: claims is not None and claims.subject == "ada"))
    scope.register(Watched())
    scope.close_registry()
    return scope


async def test_a_client_that_reads_slowly_is_told_of_each_thing_once(scope):
    """https://github.com/modelcontextprotocol/python-sdk/issues/1283: nothing grows."""
    told, may_read = asyncio.Queue(), asyncio.Event()

    async def tell(method, params):
        await may_read.wait()
        told.put_nowait((method, params))

    with signed_in(User("ada"), Claims({"sub": "ada", "mcps": ["*"]})):
        ear = Ear(scope._registry, {"app://watched/a": None}, tell)
    ear.subscribe("app://watched/b")
    ear.subscribe("app://watched/b")
    assert current_claims() is None
    for _ in range(100):
        await scope.notify_resource_updated("app://watched/a")
        await scope.notify_resource_updated("app://watched/b")
        await asyncio.sleep(0)
    may_read.set()
    heard = [await asyncio.wait_for(told.get(), 10) for _ in range(2)]
    assert {params["uri"] for _, params in heard} == {"app://watched/a", "app://watched/b"}, "with the rights of who listens"
    await scope.notify_tools_changed()
    rest = []
    while not rest or rest[-1][0] != "notifications/tools/list_changed":
        rest.append(await asyncio.wait_for(told.get(), 10))
    assert len(rest) <= 3
    ear.unsubscribe("app://watched/b")
    ear.unsubscribe("app://watched/b")
    ear.close()
    assert scope._registry.news._audiences == {}
