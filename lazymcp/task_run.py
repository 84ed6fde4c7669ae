"""`Run`: one call of a tool that is a task, or may become one, in the process that runs it.

The function runs in an asyncio task of its own from the start, so that it need not notice when the request that began it is
answered. Until the record is durable (`begin`) the call belongs to its request: its errors are the request's, and it ends with it.
Afterwards it belongs to the store: whatever it does is a step on the record, and a step that comes too late changes nothing.
"""

import asyncio
import logging
from collections.abc import Mapping
from time import monotonic
from typing import Any, Final, Protocol

from lazymcp.asking import Question, unaskable
from lazymcp.context import Context
from lazymcp.errors import Forbidden, InternalError, MCPError
from lazymcp.jsonrpc import dump
from lazymcp.protocol import whole
from lazymcp.task_context import TaskContext
from lazymcp.task_steps import asked, cancelled, completed, failed_with, interrupted, kept_by, said, withdrawn
from lazymcp.task_store import Step, TaskRecord, TaskStore
from lazymcp.tools import Tool, failed

__all__ = ["Home", "Run"]

log = logging.getLogger("lazymcp.tasks")

# A tool may tell of its progress as often as it likes; this is how often the store hears of it.
SAY_EVERY_S: Final = 1.0
# A store that so often takes something else, and each time not this, will never take it.
_REFUSALS: Final = 3
_TOO_MUCH: Final = "the server cannot keep what this task came to, because of its size or of what is in it"


class Home(Protocol):
    """What a run needs of the process it runs in; see `tasks.Tasks`."""

    store: TaskStore
    runner: str
    retry_s: float
    answer_within_s: float

    def now_ms(self) -> int:
        """The time."""
        ...

    def first_record(self, run: "Run", /) -> TaskRecord:
        """The record with which a task begins."""
        ...

    def began(self, run: "Run", /) -> None:
        """A run has become durable."""
        ...

    def forget(self, run: "Run", /) -> None:
        """A run is over, as far as this process is concerned."""
        ...

    async def change(self, task_id: str, step: Step, /) -> TaskRecord | None:
        """Change a record and tell everybody."""
        ...


class Run:
    """One call of a tool.

    Attributes:
        record: what was last written or read of the task; None until it is durable.
        function: the running tool, once started.
        begun: set when the task is durable.
        before: what the client answered before this was a task, under the keys that a task would have used.
    """

    def __init__(self, home: Home, task_id: str, owner: str, tool: Tool, arguments: dict[str, Any], ctx: Context) -> None:
        self.id, self.owner, self.tool, self.arguments = task_id, owner, tool, arguments
        self.record: TaskRecord | None = None
        self.begun = asyncio.Event()
        self.before: dict[str, Any] = {}
        self.saying = ""
        self._home = home
        self._function: asyncio.Task[dict[str, Any]] | None = None
        self._lock = asyncio.Lock()
        self._has_ended = False
        self._news = asyncio.Event()
        self._puts: dict[str, int] = {}
        self._say_at = 0.0
        self._is_unwanted = False
        self.ctx = TaskContext(ctx, self)
        if tool.task != "manual":
            self.ctx.detach()

    @property
    def function(self) -> asyncio.Task[dict[str, Any]]:
        """The running tool; started when first asked for."""
        if self._function is None:
            self._function = asyncio.create_task(self._work(), name=f"lazymcp task {self.id[:8]}")
            self._function.add_done_callback(self._forget)
        return self._function

    def resume(self, record: TaskRecord) -> None:
        """Go on with a task that is durable already."""
        self.record, self.saying = record, record.message
        self.ctx.detach()
        self.begun.set()
        self._home.began(self)

    async def begin(self) -> bool:
        """Make the task durable, if it is not and the function still runs; whether there is a task now."""
        async with self._lock:
            if self.record is None and not self._has_ended:
                record = self._home.first_record(self)
                creating = asyncio.ensure_future(self._home.store.create(record))
                try:
                    await asyncio.shield(creating)
                finally:
                    # Cancelled meanwhile or not, the record must not be there without anybody who knows.
                    if not creating.done():
                        await asyncio.wait([creating])
                    if not creating.cancelled() and creating.exception() is None:
                        self.record = record
                        self.ctx.detach()
                        self._home.began(self)
                        self.begun.set()
        return self.record is not None

    async def answer(self, *, at_most_s: float | None) -> dict[str, Any] | None:
        """Wait for the function, in the request that began it: its result, or None when it has become a task.

        Args:
            at_most_s: how long before it becomes one, 0 for at once, before it runs a line; None leaves that to the function.

        Raises:
            BaseException: what the function raised before it was a task, or the request's own end.
        """
        begun = asyncio.ensure_future(self.begun.wait())
        try:
            if at_most_s == 0:
                await self.begin()
            await asyncio.wait([self.function, begun], timeout=at_most_s, return_when=asyncio.FIRST_COMPLETED)
            if not self.function.done() and await self.begin():
                return None
            return None if self.record is not None else await self.function
        except BaseException:
            # Nobody will ever ask for it: the id has not left.
            self._is_unwanted = True
            await self.stop()
            raise
        finally:
            begun.cancel()

    async def stop(self) -> None:
        """End the function, and wait until it has."""
        self.function.cancel()
        await asyncio.wait([self.function])
        if not self._has_ended and await self._is_task():  # it never ran a line
            await self._close(asyncio.CancelledError())

    def hear(self, *, is_over: bool) -> None:
        """Something has happened to the task, in whatever process."""
        if is_over and not self._has_ended:
            self.function.cancel()
        # A new one each time: of several questions that wait, none takes the news from another.
        news, self._news = self._news, asyncio.Event()
        news.set()

    async def ask(self, questions: Mapping[str, Question], /) -> Mapping[str, Any]:
        """The client's answers, which it brings with `tasks/update`; the `Asker` of a task. SEP-2663, "Task Update Requests".

        Raises:
            ToolError: there was no answer in time.
        """
        await self.begin()
        stale: list[str] = []
        keys = {await self._key_for(key, question, stale): key for key, question in questions.items()}
        wire = {own: questions[key].to_dict() for own, key in keys.items()}
        try:
            async with asyncio.timeout(self._home.answer_within_s):
                if not await self._insist(asked(wire, stale, self._home.now_ms()), "its questions"):
                    raise ValueError(f"the store of tasks cannot keep the questions {', '.join(wire)}")
                answers = await self._wait_for(wire)
        except TimeoutError:
            await self._change(withdrawn(wire, self._home.now_ms()))
            unaskable(f"there was no answer within {self._home.answer_within_s:g} seconds")
        return {key: answers[own]["result"] for own, key in keys.items()}

    async def say(self, text: str) -> None:
        """Tell people what the task is doing. Never fails, and costs a write at most once a second; `flush` brings the rest."""
        self.saying = text
        if self.record is not None and monotonic() >= self._say_at:
            await self.flush()

    async def flush(self) -> None:
        """Write what was said last, if it was not."""
        if self.record is None or self._has_ended or self.record.message == self.saying:
            return
        self._say_at = monotonic() + SAY_EVERY_S
        try:
            await self._change(said(self.saying, self._home.now_ms()))
        except Exception as problem:
            log.warning("task %s: its message was not written: %s", self.id[:8], problem)

    def key(self, key: str) -> str:
        """The key on the wire. A question that is put again gets another: keys are unique over the life of a task."""
        count = self._puts[key] = self._puts.get(key, 0) + 1
        return key if count == 1 else f"{key}~{count}"

    async def _key_for(self, key: str, question: Question, stale: list[str]) -> str:
        """The key under which this question is put, or was put by the function that was interrupted.

        A question that was another then gets a key of its own: a yes to one question is none to another.
        """
        own = self.key(key)
        record = self.record
        if record is None or record.attempts == 1:
            return own
        record = await self._home.store.find(self.id) or record
        while (known := record.questions.get(own) or record.answers.get(own, {}).get("question")) is not None:
            # As bytes: what was a tuple has come back as a list.
            if dump(known) == dump(question.to_dict()):
                break
            stale.append(own)
            own = self.key(key)
        return own

    async def _wait_for(self, wire: Mapping[str, Any]) -> Mapping[str, Any]:
        while True:
            news = self._news
            try:
                record = await self._home.store.find(self.id)
            except Exception as problem:
                # A store that is away for a moment must not end what waits for a person.
                log.warning("task %s: its answers cannot be looked up yet: %s", self.id[:8], problem)
                await asyncio.sleep(self._home.retry_s)
                continue
            if record is not None and record.answers.keys() >= wire.keys():
                return record.answers
            await news.wait()

    async def _work(self) -> dict[str, Any]:
        try:
            result = whole(await self.tool.call(self.arguments, self.ctx))
        except BaseException as problem:
            if not await self._is_task():
                raise
            await self._close(problem)
            return {}
        if await self._is_task():
            await self._close(result)
        return result

    async def _is_task(self) -> bool:
        async with self._lock:
            self._has_ended = True
            if self.record is None:
                self._home.forget(self)
            return self.record is not None

    async def _close(self, end: dict[str, Any] | BaseException) -> None:
        """Write how it ended. The store may be away for a while; the outcome waits for it, and the lease is kept meanwhile."""
        try:
            now_ms = self._home.now_ms()
            if isinstance(end, BaseException) and not isinstance(end, Exception):
                await self._change(cancelled(now_ms) if self._is_unwanted else interrupted(now_ms))
                return
            step = completed(end, now_ms) if isinstance(end, dict) else _failure(end, now_ms)
            if not await self._insist(step, "its outcome"):
                log.error("task %s: the store refuses its outcome and takes others, so it fails", self.id[:8])
                await self._insist(failed_with(InternalError(_TOO_MUCH), now_ms), "its end")
        finally:
            self._home.forget(self)

    async def _insist(self, step: Step, what: str) -> bool:
        """Write a step, however long the store is away; False when it takes other steps and not this one."""
        refusals = 0
        while refusals < _REFUSALS:
            try:
                await self._change(step)
            except Exception as problem:
                log.warning("task %s: the store does not take %s yet: %s", self.id[:8], what, problem)
            else:
                return True
            await asyncio.sleep(self._home.retry_s)
            refusals += await self._takes_others()
        return False

    async def _takes_others(self) -> bool:
        try:
            await self._change(said(self.saying, self._home.now_ms()))
        except Exception:
            return False
        return True

    def _forget(self, function: asyncio.Task[dict[str, Any]]) -> None:
        self._home.forget(self)
        if not function.cancelled():
            function.exception()  # whoever waits has it; a request that has left does not

    async def _change(self, step: Step) -> None:
        changed = await self._home.change(self.id, kept_by(self._home.runner, step))
        if changed is not None:
            self.record = changed


def _failure(problem: BaseException, now_ms: int) -> Step:
    if isinstance(problem, MCPError):
        return failed_with(problem, now_ms)
    if isinstance(problem, Forbidden):
        # There is no status line to say it with, so the model is told.
        return completed(failed(str(problem)), now_ms)
    log.error("a task failed", exc_info=problem)
    return failed_with(InternalError(), now_ms)
