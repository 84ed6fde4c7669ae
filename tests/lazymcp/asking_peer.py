"""A client that answers questions, in any revision: by sending the request again, or by a message of its own while it waits."""

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import Any

from lazymcp.protocol import CAPABILITIES_KEY
from tests.lazymcp.asgi_peer import MODERN, OLDER, Answer, Peer, read_answer, served
from tests.lazymcp.wire import judge

__all__ = ["ALL", "ELICITS", "FORM_ERAS", "URL_ERAS", "accept", "ask_again", "converse", "served"]

ELICITS: dict[str, Any] = {"elicitation": {"form": {}, "url": {}}}
ALL: dict[str, Any] = {**ELICITS, "sampling": {}, "roots": {}}
MAX_ROUNDS = 10
# MCP 2025-06-18 brought forms, 2025-11-25 pages.
FORM_ERAS = (MODERN, "2025-11-25", "2025-06-18")
URL_ERAS = (MODERN, "2025-11-25")

Question = dict[str, Any]
Reply = Callable[[Question], dict[str, Any]]


def accept(**content: Any) -> dict[str, Any]:
    """What a user who filled in a form sends."""
    return {"action": "accept", "content": content}


async def converse(
    peer: Peer, method: str, params: dict[str, Any], reply: Reply, capabilities: Mapping[str, Any] = ALL
) -> tuple[Answer, list[Question]]:
    """The answer to a request whose questions are all replied to, and those questions, `{"method", "params"}` each."""
    questions: list[Question] = []

    def heard(question: Question) -> dict[str, Any]:
        questions.append({"method": question["method"], "params": question["params"]})
        return reply(question)

    if peer.era == MODERN:
        return await _by_rounds(peer, method, params, heard, capabilities), questions
    return await _by_messages(peer, method, params, heard, capabilities), questions


async def ask_again(
    peer: Peer,
    method: str,
    params: dict[str, Any],
    before: Answer,
    given: dict[str, Any],
    capabilities: Mapping[str, Any] = ALL,
) -> Answer:
    """Send a request of 2026-07-28 once more, with the answers to what it asked."""
    more = {"inputResponses": given, "requestState": before.result["requestState"]}
    return await peer.ask(method, {**params, **more}, **{CAPABILITIES_KEY: capabilities})


async def _by_rounds(peer: Peer, method: str, params: dict[str, Any], reply: Reply, capabilities: Mapping[str, Any]) -> Answer:
    answer = await peer.ask(method, params, **{CAPABILITIES_KEY: capabilities})
    for _ in range(MAX_ROUNDS):
        if "result" not in answer.messages[-1] or answer.result["resultType"] != "input_required":
            return answer
        for question in answer.result["inputRequests"].values():
            # What is asked today was a request of its own before, and of the same shape but for the id of a URL.
            params_then = {"elicitationId": "x"} if question["params"].get("mode") == "url" else {}
            judge(OLDER[0], {"jsonrpc": "2.0", "id": 1, **question, "params": {**question["params"], **params_then}})
        responses = {key: reply(question) for key, question in answer.result["inputRequests"].items()}
        answer = await ask_again(peer, method, params, answer, responses, capabilities)
    raise AssertionError("the server does not stop asking")


async def _by_messages(peer: Peer, method: str, params: dict[str, Any], reply: Reply, capabilities: Mapping[str, Any]) -> Answer:
    if "mcp-session-id" not in peer.headers:
        await peer.initialize(capabilities=capabilities)
    message = peer.message(method, params)
    incoming = [{"type": "http.request", "body": json.dumps(message).encode(), "more_body": False}]
    sent: list[dict[str, Any]] = []
    replies: set[asyncio.Task[Answer]] = set()

    async def receive() -> dict[str, Any]:
        if incoming:
            return incoming.pop()
        await asyncio.Event().wait()
        raise AssertionError

    async def send(chunk: dict[str, Any]) -> None:
        sent.append(chunk)
        for line in chunk.get("body", b"").splitlines():
            told = json.loads(line.removeprefix(b"data:")) if line.startswith(b"data: {") else {}
            if "method" in told and "id" in told:
                judge(peer.era, told)
                body = json.dumps({"jsonrpc": "2.0", "id": told["id"], "result": reply(told)})
                replies.add(asyncio.create_task(peer.post(body.encode(), peer.headers_for(message))))

    headers = [(name.encode(), value.encode()) for name, value in peer.headers_for(message).items() if value is not None]
    async with asyncio.timeout(20):
        await peer.app({"type": "http", "method": "POST", "path": "/mcp", "headers": headers}, receive, send)
        assert {answer.status for answer in await asyncio.gather(*replies)} <= {202}
    return read_answer(sent)
