"""Any conversation of older clients over HTTP: sessions, streams, calls, cancellations, news, against a model of them."""

import asyncio
import json

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, multiple, precondition, rule

from lazymcp import Base, Context, Options, Scope, resource, tool
from tests.lazymcp import live
from tests.lazymcp.asgi_peer import OLDER, Peer
from tests.lazymcp.fuzzed import settle
from tests.lazymcp.wire import judge

URIS = ["app://a", "app://b"]


class Waiting(Base):
    name = ""

    def __init__(self):
        self.gates = {}

    @tool
    async def wait(self, gate: int, talks: bool, ctx: Context) -> int:
        """Wait at a gate."""
        if talks:
            await ctx.progress(1)
        await self.gates.setdefault(gate, asyncio.Event()).wait()
        return gate

    @resource("app://a")
    async def a(self) -> str:
        """A."""
        return "a"

    @resource("app://b")
    async def b(self) -> str:
        """B."""
        return "b"


class Client:
    """A session, and what the model knows of it."""

    def __init__(self, app, era):
        self.peer = Peer(app, era)
        self.stream, self.uris, self.calls, self.is_over = None, set(), {}, False


class Conversations(RuleBasedStateMachine):
    clients = Bundle("clients")
    calls = Bundle("calls")

    def __init__(self):
        super().__init__()
        self.runner = asyncio.Runner()
        self.module = Waiting()
        self.scope = Scope(Options(secret="fuzz"))
        self.scope.register(self.module)
        self.app = self.scope.asgi()
        self.known = []
        self.gate = 0

    def run(self, work):
        async def in_time():
            async with asyncio.timeout(live.PATIENCE_S):
                return await work

        return self.runner.run(in_time())

    @rule(target=clients, era=st.sampled_from(OLDER))
    def begin(self, era):
        client = Client(self.app, era)
        assert self.run(client.peer.initialize()).status == 200
        self.known.append(client)
        return client

    @rule(client=clients)
    def listen(self, client):
        """The newest stream of a session is the one that hears; an earlier one ends."""
        earlier, stream = client.stream, self.run(self._listen(client))
        status, _ = self.run(stream.start())
        assert status == (404 if client.is_over else 200)
        client.stream = None if client.is_over else stream
        if earlier is not None:
            self.run(earlier.end())
        if client.is_over:
            self.run(self._gone(stream))

    @staticmethod
    async def _listen(client):
        return live.listen(client.peer)

    @staticmethod
    async def _gone(stream):
        await stream.task

    @rule(client=clients)
    def hang_up(self, client):
        if client.stream is not None:
            client.stream.leave()
            self.run(self._gone(client.stream))
            client.stream = None

    @rule(client=clients, uri=st.sampled_from(URIS), method=st.sampled_from(["resources/subscribe", "resources/unsubscribe"]))
    def subscribe(self, client, uri, method):
        answer = self.run(client.peer.ask(method, {"uri": uri}))
        assert answer.status == (404 if client.is_over else 200)
        if not client.is_over:
            assert answer.result == {}
            (client.uris.add if method == "resources/subscribe" else client.uris.discard)(uri)

    @rule(uri=st.none() | st.sampled_from(URIS))
    def change(self, uri):
        """Whoever listens hears it, and nobody else."""

        async def tell():
            await (self.scope.notify_tools_changed() if uri is None else self.scope.notify_resource_updated(uri))
            for client in self.known:
                if client.stream is not None and (uri is None or uri in client.uris):
                    message = await client.stream.message()
                    judge(client.peer.era, message)
                    assert message.get("params", {}).get("uri") == uri

        self.run(tell())

    @rule(target=calls, client=clients, talks=st.booleans())
    def call(self, client, talks):
        if client.is_over:
            assert self.run(client.peer.ask("ping")).status == 404
            return multiple()
        self.gate += 1
        meta = {"progressToken": self.gate} if talks else {}
        arguments = {"gate": self.gate, "talks": talks}

        async def start():
            call = live.call(client.peer, "tools/call", {"name": "wait", "arguments": arguments}, self.gate, **meta)
            while self.gate not in self.module.gates:
                await asyncio.sleep(0)
            return call

        client.calls[self.gate] = self.run(start())
        return client, self.gate, talks

    @rule(call=consumes(calls))
    def answer(self, call):
        """The one who asked is answered, by the id of the request, and nothing follows."""
        client, gate, talks = call
        self.module.gates[gate].set()

        async def read():
            work = client.calls.pop(gate)
            status, headers = await work.start()
            assert status == 200
            if headers["content-type"] == "text/event-stream":
                return [event.message for event in await work.end() if event.data]
            body = (await work._sent.get())["body"]
            await work.task
            return [json.loads(body)]

        if gate in client.calls:
            told = self.run(read())
            kinds = [judge(client.peer.era, message, "tools/call") for message in told]
            assert kinds == ["notification"] * talks + ["result"]
            assert (told[-1]["id"], told[-1]["result"]["structuredContent"]) == (gate, {"result": gate})

    @rule(call=consumes(calls), twice=st.booleans())
    def cancel(self, call, twice):
        client, gate, _ = call
        if client.is_over:
            return
        notice = {"method": "notifications/cancelled", "params": {"requestId": gate}}

        async def end():
            for _ in range(1 + twice):
                await live.tell(client.peer, notice)
            work = client.calls.pop(gate)
            await work.start()
            return await work.end()

        if gate in client.calls:
            events = self.run(end())
            assert [event for event in events if event.data and event.message.get("id") == gate] == [], "answered all the same"

    @rule(call=consumes(calls))
    def leave(self, call):
        """A disconnect is no cancellation in these revisions: the work goes on, and nobody reads its answer."""
        client, gate, _ = call
        if gate in client.calls:
            work = client.calls.pop(gate)
            work.leave()
            self.module.gates[gate].set()
            self.run(self._gone(work))

    @precondition(lambda self: self.known)
    @rule(client=clients)
    def end(self, client):
        answer = self.run(client.peer.post(b"", client.peer.headers_for({"method": "", "params": {}}), "DELETE"))
        assert answer.status == (404 if client.is_over else 204)
        client.is_over = True
        if client.stream is not None:
            self.run(client.stream.end())
            client.stream = None

    @invariant()
    def whoever_has_a_session_is_served(self):
        for client in self.known[-1:]:
            assert self.run(client.peer.ask("ping")).status == (404 if client.is_over else 200)

    def teardown(self):
        for gate in self.module.gates.values():
            gate.set()

        async def close():
            for client in self.known:
                for work in client.calls.values():
                    await work.task
                if client.stream is not None:
                    client.stream.leave()
                    await client.stream.task
            self.scope.end_streams()
            await settle({asyncio.current_task()})

        try:
            self.run(close())
        finally:
            self.runner.close()


TestConversations = Conversations.TestCase
TestConversations.settings = settings(
    max_examples=20, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck)
)
