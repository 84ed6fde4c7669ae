"""lazymcp/questions.py: requests to older clients, over HTTP with several processes and over stdio."""

import asyncio

import pytest

from lazymcp import Base, Context, Options, Scope, tool
from lazymcp.bus import MemoryBus
from tests.lazymcp.asgi_peer import OLDER, Peer
from tests.lazymcp.live import call, tell


class Asks(Base):
    name = ""

    @tool
    async def ask(self, ctx: Context) -> str:
        """Ask the client for its roots, by the bare request."""
        return str(await ctx._link.request("roots/list", {}))


def processes(era=OLDER[0], count=2, **options):
    """As many processes of one server, and a client in each; they share a bus and a secret."""
    bus = options.pop("bus", None) or MemoryBus()
    peers = []
    for _ in range(count):
        scope = Scope(Options(secret="secret", bus=bus, **options))
        scope.register(Asks())
        peers.append(Peer(scope.asgi(), era))
    return bus, peers


async def in_session(peers):
    await peers[0].initialize(capabilities={"roots": {}})
    for peer in peers:
        peer.headers = peers[0].headers


@pytest.mark.parametrize("era", OLDER)
async def test_a_question_goes_out_on_the_stream_and_its_answer_may_reach_any_process(era):
    """2025-11-25, basic/transports; https://github.com/PrefectHQ/fastmcp/issues/1003."""
    bus, peers = processes(era)
    await in_session(peers)
    for answering in peers:
        asking = call(peers[0], "tools/call", {"name": "ask"})
        await asking.start()
        question = await asking.message()
        assert question["method"] == "roots/list"
        await tell(answering, {"id": question["id"], "result": {"roots": []}})
        assert (await asking.message())["result"]["content"][0]["text"] == "{'roots': []}"
        assert await asking.end() == []
    assert not [topic for topic in bus._topics if topic.startswith(("answer", "gone"))], "nothing is left of a question"


@pytest.mark.parametrize(
    ("answer", "words"), [({"error": {"code": -1, "message": "no roots"}}, "no roots"), ({"error": 5}, "an error")]
)
async def test_an_error_for_an_answer_is_a_sentence_for_the_model(answer, words):
    _, peers = processes()
    await in_session(peers)
    asking = call(peers[0], "tools/call", {"name": "ask"})
    await asking.start()
    await tell(peers[1], {"id": (await asking.message())["id"], **answer})
    result = (await asking.message())["result"]
    assert result["isError"] is True
    assert words in result["content"][0]["text"]


async def test_a_client_that_never_answers_is_given_up():
    """https://github.com/modelcontextprotocol/python-sdk/issues/1740."""
    bus, peers = processes(question_timeout_s=0.05)
    await in_session(peers)
    asking = call(peers[0], "tools/call", {"name": "ask"})
    await asking.start()
    question, taken_back, answer = [await asking.message() for _ in range(3)]
    assert taken_back["method"] == "notifications/cancelled"
    assert taken_back["params"]["requestId"] == question["id"]
    assert "did not answer roots/list within 0.05 seconds" in answer["result"]["content"][0]["text"]
    await tell(peers[1], {"id": question["id"], "result": {}})
    assert not [topic for topic in bus._topics if topic.startswith(("answer", "gone"))]


async def test_nobody_answers_for_another_session():
    _, (peer, other) = processes()
    await peer.initialize()
    await other.initialize()
    asking = call(peer, "tools/call", {"name": "ask"})
    await asking.start()
    question = await asking.message()
    await tell(other, {"id": question["id"], "result": {"roots": ["theirs"]}})
    for odd in ("x", 5, "0" * 32, None):
        await tell(peer, {"id": odd, "error": {"code": 1, "message": ""}})
    await tell(peer, {"id": question["id"], "result": {"roots": ["ours"]}})
    assert "ours" in (await asking.message())["result"]["content"][0]["text"]


@pytest.mark.parametrize(
    ("headers", "words"), [({"mcp-session-id": None}, "names no session"), ({"accept": "application/json"}, "no event stream")]
)
async def test_who_cannot_be_asked_is_not_waited_for(headers, words):
    """https://github.com/modelcontextprotocol/python-sdk/issues/680."""
    _, (peer, _) = processes()
    await peer.initialize()
    result = (await peer.ask("tools/call", {"name": "ask"}, headers=headers)).result
    assert result["isError"] is True
    assert words in result["content"][0]["text"]


async def test_a_question_of_a_request_that_ends_is_taken_back():
    """2025-11-25, basic/utilities/cancellation."""
    bus, (peer, _) = processes()
    await peer.initialize()
    asking = call(peer, "tools/call", {"name": "ask"})
    await asking.start()
    question = await asking.message()
    asking.task.cancel()
    taken_back = await asking.message()
    assert taken_back["params"]["requestId"] == question["id"]
    await asyncio.wait({asking.task})
    assert not [topic for topic in bus._topics if topic.startswith(("answer", "gone"))]


async def test_an_answer_to_nothing_is_carried_nowhere():
    """4 MB each went through a table of the database, for anybody with a session."""
    bus, peers = processes(count=1)
    await in_session(peers)
    asking = call(peers[0], "tools/call", {"name": "ask"})
    await asking.start()
    question = await asking.message()
    carried = []
    publish = bus.publish

    async def note(topic, message):
        carried.append(topic.partition(":")[0])
        await publish(topic, message)

    bus.publish = note
    mine = dict(peers[0].headers)
    await peers[0].initialize()
    await tell(peers[0], {"id": question["id"], "result": {"roots": []}})
    peers[0].headers = mine
    for forged in ("0" * 32, "0" * 64, question["id"][:-1], question["id"][:32], question["id"].upper() + "é", "x" * 1_000_000, 7):
        await tell(peers[0], {"id": forged, "result": {"roots": []}})
    assert carried == []
    await tell(peers[0], {"id": question["id"], "result": {"roots": []}})
    assert carried == ["answer"]
    assert "roots" in (await asking.message())["result"]["content"][0]["text"]
    await asyncio.wait_for(asking.task, 10)


@pytest.mark.parametrize("bound", ["MAX_OF_SESSION", "MAX_TOGETHER"])
async def test_a_session_is_not_asked_without_end(bound, monkeypatch):
    """2025-11-25, basic/transports: who disconnects has not cancelled, so each call would wait for its time to run out."""
    monkeypatch.setattr(f"lazymcp.questions.{bound}", 3)
    _, peers = processes(count=1)
    await in_session(peers)
    asking = [call(peers[0], "tools/call", {"name": "ask"}, request_id=number) for number in range(3)]
    questions = []
    for one in asking:
        await one.start()
        questions.append(await one.message())
        one.leave()
    answer = await peers[0].ask("tools/call", {"name": "ask"})
    assert answer.result["isError"]
    assert "too many questions" in answer.result["content"][0]["text"]
    for question in questions:
        await tell(peers[0], {"id": question["id"], "result": {"roots": []}})
    for one in asking:
        await asyncio.wait_for(one.task, 10)
    questions_of = peers[0].app._porch.desk._questions
    assert (questions_of._count, questions_of._waiting) == (0, {})
