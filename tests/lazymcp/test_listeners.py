"""Who hears what of `subscriptions/listen`: rights at the beginning and later, and the many subscriptions of a local client."""

import pytest

from lazyauth import Claims, User, signed_in
from lazymcp import Base, resource
from lazymcp.local import Connection
from tests.lazymcp.admin_module import AdminMCP
from tests.lazymcp.asgi_peer import Peer
from tests.lazymcp.listening import KEY, LISTS, granted, listening, scope_with, subscription_of
from tests.lazymcp.stdio_peer import over_pipes

USERS = "app://admin/users"


class OtherMCP(Base):
    """A second module, for policies that show only one of them."""

    @resource("app://other/secret")
    async def secret(self) -> str:
        """A secret."""
        return "secret"


@pytest.fixture
def scope():
    return scope_with()


@pytest.fixture
def peer(scope):
    return Peer(scope.asgi())


def caller(*modules):
    return signed_in(User("ann"), Claims({"sub": "ann", "mcps": list(modules)}))


async def test_what_the_caller_may_not_read_is_left_out_like_what_does_not_exist():
    scope = scope_with(AdminMCP(), OtherMCP())
    peer = Peer(scope.asgi())
    wish = {"resourceSubscriptions": [USERS, "app://other/secret"]}
    with caller("admin"):
        async with listening(peer, wish) as ear:
            assert await granted(ear) == {"resourceSubscriptions": [USERS]}
            await scope.notify_resource_updated("app://other/secret")
            await scope.notify_resource_updated(USERS)
            assert (await ear.next())["params"]["uri"] == USERS


async def test_a_right_that_was_taken_away_ends_the_news(monkeypatch):
    """The right is the subscriber's, whoever publishes; it is looked at when there is news."""
    closed = set()
    scope = scope_with(AdminMCP(), OtherMCP(), authorizer=lambda claims, module: bool(claims) and module not in closed)
    peer = Peer(scope.asgi())
    wish = {"resourceSubscriptions": [USERS, "app://other/secret"]}
    with caller():
        async with listening(peer, wish) as ear:
            assert await granted(ear) == wish
            closed.add("other")
            with signed_in(None):
                await scope.notify_resource_updated("app://other/secret")
                await scope.notify_resource_updated(USERS)
            assert (await ear.next())["params"]["uri"] == USERS
            scope.end_streams()
            assert len(await ear.rest()) == 1


async def test_lists_follow_the_policy_at_once():
    """Kept pages are those of a set of modules: a verdict that changed chooses another page."""
    closed = set()
    scope = scope_with(AdminMCP(), OtherMCP(), authorizer=lambda claims, module: module not in closed)
    peer = Peer(scope.asgi())

    async def uris():
        return {entry["uri"] for entry in (await peer.ask("resources/list")).result["resources"]}

    before = await uris()
    closed.add("other")
    assert await uris() == before - {"app://other/secret"}
    closed.clear()
    assert await uris() == before


async def test_an_authorizer_that_fails_loses_one_notification_only(caplog):
    verdicts = {"admin": True}

    async def authorizer(claims, module):
        return verdicts[module]

    scope = scope_with(authorizer=authorizer)
    async with listening(Peer(scope.asgi()), LISTS | {"resourceSubscriptions": [USERS]}) as ear:
        await ear.next()
        verdicts.clear()
        await scope.notify_resource_updated(USERS)
        await scope.notify_tools_changed()
        assert (await ear.next())["method"] == "notifications/tools/list_changed"
    assert "a notification of 'resource' was lost" in caplog.text


@pytest.fixture
async def local(scope):
    line = await over_pipes()
    line.serve(Connection(scope._registry).handle)
    yield line
    await line.close()


def ask(peer, method, params, request_id):
    return peer.message(method, params) | {"id": request_id}


async def test_many_subscriptions_share_a_local_connection(scope, peer, local):
    """basic/transports/stdio: told apart by their ids."""
    local.send(ask(peer, "subscriptions/listen", {"notifications": LISTS}, "one"))
    local.send(ask(peer, "subscriptions/listen", {"notifications": {"toolsListChanged": True}}, 2))
    assert {subscription_of(await local.read()) for _ in range(2)} == {"one", 2}
    await scope.notify_tools_changed()
    assert {subscription_of(await local.read()) for _ in range(2)} == {"one", 2}
    local.notify("notifications/cancelled", requestId="one")
    local.send(ask(peer, "server/discover", {}, 3))
    assert (await local.read())["id"] == 3
    await scope.notify_prompts_changed()
    await scope.notify_tools_changed()
    assert subscription_of(await local.read()) == 2
    scope.end_streams()
    last = await local.read()
    assert (last["id"], last["result"]["_meta"][KEY], last["result"]["resultType"]) == (2, 2, "complete")
    assert await local.end() == []


async def test_the_end_of_a_local_client_is_the_end_of_its_subscriptions(scope, peer, local):
    local.send(ask(peer, "subscriptions/listen", {"notifications": LISTS}, 1))
    await local.read()
    assert await local.end() == []
    assert scope._registry.news._audiences == {}
