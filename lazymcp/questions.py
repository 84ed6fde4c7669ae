"""Requests to a client of the older revisions: each waits for the client's answer, however that reaches this server.

The answer is a message of its own. Over HTTP it may come to another process, so it travels over the bus, under a topic that names
the session and the question: nobody can answer for somebody else. Over stdio the bus is the connection's own. The id of a question
is signed, so that what nobody asked is dropped where it comes in: an answer may have megabytes, and would go to all processes.

State: bounded; how many questions each session has yet to answer.
"""

import asyncio
import contextlib
import hmac
import secrets
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from hashlib import sha256
from typing import Any, Final

from lazymcp.bus import Bus
from lazymcp.errors import ToolError
from lazymcp.jsonrpc import Message

__all__ = ["Questions", "gone_topic"]

Send = Callable[[dict[str, Any]], Awaitable[None]]

TAKE_BACK_S: Final = 1.0

# A client that disconnects has not cancelled its request, so these may wait for nobody.
MAX_OF_SESSION: Final = 100
MAX_TOGETHER: Final = 10_000

_ID_BYTES: Final = 16
_LABEL: Final = b"lazymcp question id"


class Questions:
    """What asks clients."""

    def __init__(self, bus: Bus, timeout_s: float, given: Sequence[str] = ()) -> None:
        """Have asked nothing yet.

        Args:
            bus: brings the answers.
            timeout_s: how long an answer is waited for (https://github.com/modelcontextprotocol/python-sdk/issues/1740).
            given: the secrets of the server, the one in use first; without any, nobody else can read the answers.
        """
        self._bus = bus
        self._timeout_s = timeout_s
        self._keys = [hmac.digest(secret.encode(), _LABEL, sha256) for secret in given] or [secrets.token_bytes(32)]
        self._waiting: Counter[str] = Counter()
        self._count = 0

    async def ask(self, session: str, method: str, params: dict[str, Any], send: Send) -> Any:
        """The result with which a client answers.

        Args:
            session: whom it concerns.
            send: carries the question to the client.

        Raises:
            ToolError: the client answered with an error, too late, or has gone; or too much is being asked already.
        """
        if self._waiting[session] >= MAX_OF_SESSION or self._count >= MAX_TOGETHER:
            raise ToolError(f"too many questions wait for an answer; {method} was not asked: answer those, or try again later")
        self._count += 1
        self._waiting[session] += 1
        try:
            return await self._ask(session, method, params, send)
        finally:
            self._count -= 1
            self._waiting[session] -= 1
            if not self._waiting[session]:
                del self._waiting[session]

    async def _ask(self, session: str, method: str, params: dict[str, Any], send: Send) -> Any:
        nonce = secrets.token_hex(_ID_BYTES)
        question_id = nonce + _tag(self._keys[0], session, nonce)
        heard: asyncio.Future[dict[str, Any] | None] = asyncio.get_running_loop().create_future()

        def hear(answer: dict[str, Any] | None) -> None:
            if not heard.done():
                heard.set_result(answer)

        stops = [self._bus.listen(_answered(session, question_id), hear), self._bus.listen(gone_topic(session), hear)]
        try:
            await send({"jsonrpc": "2.0", "id": question_id, "method": method, "params": params})
            async with asyncio.timeout(self._timeout_s):
                answer = await heard
        except TimeoutError:
            reason = f"the client did not answer {method} within {self._timeout_s:g} seconds"
            await _take_back(question_id, reason, send)
            raise ToolError(reason) from None
        except asyncio.CancelledError:
            await _take_back(question_id, "the request that asked has ended", send)
            raise
        finally:
            for stop in stops:
                stop()
        return _result(method, answer)

    async def answer(self, session: str, response: Message) -> None:
        """Bring a client's answer to whoever asked. What nobody asked, or asks no longer, is dropped."""
        if isinstance(response.id, str) and response.id.isascii() and self._has_asked(session, response.id):
            await self._bus.publish(_answered(session, response.id), response.params)

    async def end(self, session: str) -> None:
        """Give up every question to a client that is gone."""
        await self._bus.publish(gone_topic(session), None)

    def _has_asked(self, session: str, question_id: str) -> bool:
        nonce, tag = question_id[: 2 * _ID_BYTES], question_id[2 * _ID_BYTES :]
        return any(hmac.compare_digest(tag, _tag(key, session, nonce)) for key in self._keys)


def _tag(key: bytes, session: str, nonce: str) -> str:
    return hmac.digest(key, f"{session}:{nonce}".encode(), sha256)[:_ID_BYTES].hex()


def _answered(session: str, question_id: str) -> str:
    return f"answer:{session}:{question_id}"


def gone_topic(session: str) -> str:
    """Where it is told, by anything, that a client is gone."""
    return f"gone:{session}"


async def _take_back(question_id: str, reason: str, send: Send) -> None:
    """Tell the client that nobody waits for its answer. MCP 2025-11-25, basic/utilities/cancellation."""
    params = {"requestId": question_id, "reason": reason}
    # Nor does anybody wait long for a client that does not read.
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(TAKE_BACK_S):
            await send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})


def _result(method: str, answer: dict[str, Any] | None) -> Any:
    if answer is None:
        raise ToolError(f"the client ended the session without an answer to {method}")
    if "error" in answer:
        problem = answer["error"]
        message = problem.get("message") if isinstance(problem, dict) else problem
        raise ToolError(f"the client answered {method} with an error: {str(message)[:1000]}")
    return answer["result"]
