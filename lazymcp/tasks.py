"""`Tasks`: the tasks of a scope, as one process sees them. The extension `io.modelcontextprotocol/tasks`, SEP-2663.

The store holds what is true; here is what this process runs of it. News of a task goes over the bus, to the process that runs it
and to whoever listens, but nothing depends on it: the beat of a process, which renews the leases of what it runs, also finds the
answers and the cancellations whose news was lost.

State: `runs`, the calls at work here, changed by `call`, `resume` and the end of each, and the tasks that are being taken over.
Everything else is in the store.
"""

import asyncio
import contextlib
import contextvars
import logging
import secrets
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import Any, Final

from lazyauth import Claims, User, current_claims, current_user, signed_in
from lazymcp.bus import Bus
from lazymcp.caller import caller
from lazymcp.context import Context
from lazymcp.errors import ToolError
from lazymcp.news import TOPIC
from lazymcp.no_link import NoLink
from lazymcp.options import TaskLimits
from lazymcp.output import jsonable
from lazymcp.protocol import open_envelope
from lazymcp.task_context import TaskContext
from lazymcp.task_run import Run
from lazymcp.task_steps import interrupted, kept_by, lost, resumed
from lazymcp.task_store import OVER, Step, TaskRecord, TaskStore
from lazymcp.task_wire import created, detailed, require_tasks, takes_tasks
from lazymcp.tools import Tool, failed

__all__ = ["Tasks"]

log = logging.getLogger("lazymcp.tasks")

# A result that is there by then is answered as it is: a task would cost the client a second request.
SHORTCUT_S: Final = 0.05
_MOMENT: Final[Mapping[str, float | None]] = {"optional": SHORTCUT_S, "required": 0, "manual": None}
# How long a graceful end waits for running functions to notice.
STOP_TIMEOUT_S: Final = 5.0

_ID_BYTES: Final = 24
_BEATS_A_LEASE: Final = 10


class Tasks:
    """What runs as a task in this process, and the way to the records of all."""

    def __init__(
        self,
        store: TaskStore,
        bus: Bus,
        tools: Mapping[str, Tool],
        limits: TaskLimits,
        now: Callable[[], float] = time.time,
    ) -> None:
        """Serve tasks from a store.

        Args:
            tools: what a task may run, by full name.
            now: Unix seconds; the processes that share a store must agree on them to a second or so.
        """
        self.store = store
        self.runner = secrets.token_hex(8)
        self.retry_s = self._beat_s = limits.lease_s / _BEATS_A_LEASE
        self.answer_within_s = limits.ttl_s
        self.limits = limits
        self.runs: dict[str, Run] = {}
        self._bus = bus
        self._tools = tools
        self._now = now
        self._taking: set[str] = set()
        self._stop_hearing: Callable[[], None] | None = None
        self._beating: asyncio.Task[None] | None = None
        self._sweeping: asyncio.Task[None] | None = None
        self._closing = asyncio.Event()
        self._swept_ms = 0
        # Where a task that is taken over starts: with nobody signed in, whoever's request finds it.
        self._nobody = contextvars.copy_context() if current_user() is None else contextvars.Context()

    def now_ms(self) -> int:
        """The time."""
        return int(self._now() * 1000)

    async def call(self, tool: Tool, arguments: dict[str, Any], ctx: Context) -> dict[str, Any]:
        """Call a tool that is declared with `task=`: its result, or the task that it became.

        Raises:
            MissingCapability: the client takes no tasks, and the tool is nothing else.
        """
        if not takes_tasks(ctx):
            if tool.task == "required":
                require_tasks(ctx)
            return await tool.call(arguments, TaskContext(ctx, None))
        self.sweep_soon()
        owner = caller()
        try:
            self._make_room(owner)
            run = Run(self, secrets.token_urlsafe(_ID_BYTES), owner, tool, arguments, ctx)
            self.runs[run.id] = run
            return await self._attend(run)
        except ToolError as problem:
            return failed(str(problem))

    async def _attend(self, run: Run) -> dict[str, Any]:
        try:
            result = await run.answer(at_most_s=_MOMENT[run.tool.task or "required"])
        except BaseException:
            self.forget(run)
            raise
        if result is not None or run.record is None:
            return result or {}
        return created(run.record, self.limits.poll_interval_ms)

    def _make_room(self, owner: str) -> None:
        advice = "wait for one to end, or cancel one (tasks/cancel)"
        if len(self.runs) >= self.limits.running:
            raise ToolError(f"this server runs {self.limits.running} tasks, as many as it may; try again later")
        if owner and sum(run.owner == owner for run in self.runs.values()) >= self.limits.per_caller:
            raise ToolError(f"you have {self.limits.per_caller} running tasks, as many as you may; {advice}")

    def first_record(self, run: Run) -> TaskRecord:
        """The record with which a task begins."""
        now_ms = self.now_ms()
        return TaskRecord(
            id=run.id,
            owner=run.owner,
            module=run.tool.module,
            tool=run.tool.name,
            created_ms=now_ms,
            updated_ms=now_ms,
            expires_ms=now_ms + self._ttl_ms,
            message=run.saying,
            runner=self.runner,
            lease_ms=self._lease_ms(now_ms),
            answers=run.before if run.tool.is_idempotent else {},
            recipe=_recipe(run) if run.tool.is_idempotent else {},
        )

    def began(self, run: Run) -> None:
        """A run has become durable: hear of it, and keep its lease."""
        if self._stop_hearing is None:
            self._stop_hearing = self._bus.listen(TOPIC, self._hear)
        if self._beating is None or self._beating.done():
            self._beating = asyncio.create_task(self._beat(), name="lazymcp tasks")

    def forget(self, run: Run) -> None:
        """A run is over here."""
        # The same task may be at work here a second time, when other processes had it meanwhile.
        if self.runs.get(run.id) is run:
            del self.runs[run.id]
        if not self.runs and self._stop_hearing is not None:
            self._stop_hearing()
            self._stop_hearing = None

    async def change(self, task_id: str, step: Step) -> TaskRecord | None:
        """Change a record, and tell its runner and whoever listens."""
        record = await self.store.change(task_id, step)
        if record is not None:
            params = detailed(record, self.limits.poll_interval_ms)
            try:
                await self._bus.publish(TOPIC, {"kind": "task", "taskId": task_id, "params": params})
            except Exception as problem:
                # The store knows. Whoever runs the task finds it with its next beat, clients when they ask.
                log.warning("news of a task did not reach other processes: %s", problem)
        return record

    def _hear(self, news: Any) -> None:
        run = self.runs.get(news["taskId"]) if news.get("kind") == "task" else None
        if run is not None:
            run.hear(is_over=news["params"]["status"] in OVER)

    async def find(self, task_id: str) -> TaskRecord | None:
        """The newest record of a task that has not expired. One that was abandoned is taken over first, or ended."""
        self.sweep_soon()
        record = await self.store.find(task_id)
        now_ms = self.now_ms()
        if record is not None and not record.is_over and record.lease_ms < now_ms:
            await self._take_over(record)
            record = await self.store.find(task_id)
        return None if record is None or (record.is_over and record.expires_ms < now_ms) else record

    async def sweep(self) -> None:
        """Take over or end what other processes left behind, and forget what has expired."""
        now_ms = self._swept_ms = self.now_ms()
        for task_id in await self.store.abandoned(now_ms):
            record = await self.store.find(task_id)
            if record is not None:
                await self._take_over(record)
        await self.store.purge(now_ms)

    def sweep_soon(self) -> None:
        """Sweep beside what happens now, unless that was done within a lease."""
        is_recent = self.now_ms() < self._swept_ms + self.limits.lease_s * 1000
        if not is_recent and (self._sweeping is None or self._sweeping.done()):
            self._swept_ms = self.now_ms()
            self._sweeping = asyncio.create_task(self._quietly_sweep(), name="lazymcp tasks: sweep")

    async def close(self) -> None:
        """End what runs here: it fails, or goes on in another process, at once."""
        self._closing.set()
        if self._sweeping is not None and not self._sweeping.done():
            # First: what it has just taken over would otherwise begin when all else has ended.
            await asyncio.wait([self._sweeping], timeout=STOP_TIMEOUT_S)
        stopping: list[asyncio.Future[Any]] = [asyncio.ensure_future(run.stop()) for run in self.runs.values()]
        stopping += [] if self._beating is None or self._beating.done() else [self._beating]
        if stopping:
            await asyncio.wait(stopping, timeout=STOP_TIMEOUT_S)
        self._closing.clear()

    async def _take_over(self, record: TaskRecord) -> None:
        # A lease of our own has run out too when the clock was set, or something held up the event loop. What runs here is not
        # begun a second time beside itself; the next beat renews its lease, or finds that others have it.
        if record.id in self.runs or record.id in self._taking or self._closing.is_set():
            return
        # Ours from here, for the beat: it ends what this process holds and does not run.
        self._taking.add(record.id)
        try:
            await self._go_on_with(record)
        finally:
            self._taking.discard(record.id)

    async def _go_on_with(self, record: TaskRecord) -> None:
        now_ms = self.now_ms()
        tool = self._tools.get(record.tool)
        if tool is None or not tool.task or not tool.is_idempotent or not record.recipe:
            await self.change(record.id, lost(now_ms))
            return
        if len(self.runs) >= self.limits.running:
            return
        taken = await self.change(record.id, resumed(self.runner, self._lease_ms(now_ms), now_ms))
        if taken is None or taken.is_over:
            return
        log.warning("task %s of tool %s goes on here; the process that ran it is gone", taken.id[:8], taken.tool)
        recipe = taken.recipe
        ctx = open_envelope({"_meta": dict(recipe["meta"])}, NoLink(recipe["endpoint"], recipe["transport"]))
        run = Run(self, taken.id, taken.owner, tool, dict(recipe["arguments"]), ctx)
        self.runs[run.id] = run
        run.resume(taken)
        self._nobody.copy().run(_start, run, recipe)

    async def _beat(self) -> None:
        """Keep the leases while anything runs, and find what no news told."""
        while self.runs and not self._closing.is_set():
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._closing.wait(), self._beat_s)
            try:
                await self._renew()
            except Exception as problem:
                log.warning("the leases of this process's tasks were not renewed: %s", problem)

    async def _renew(self) -> None:
        durable = {task_id: run for task_id, run in self.runs.items() if run.record is not None}
        now_ms = self.now_ms()
        # In coarse steps: `expires_ms` is indexed, and a renewal is cheap where it changes nothing that is.
        coarse = self._ttl_ms // 10 or 1
        held = await self.store.renew(self.runner, self._lease_ms(now_ms), now_ms - now_ms % coarse + coarse + self._ttl_ms)
        for task_id, run in durable.items():
            if task_id not in held:
                run.hear(is_over=True)
            elif run.record is not None and held[task_id] != run.record.revision:
                run.hear(is_over=False)
            await run.flush()
        for task_id in held.keys() - self.runs.keys() - self._taking:
            # Its function is gone, and its end was not written: the store was away.
            await self.change(task_id, kept_by(self.runner, interrupted(now_ms)))

    async def _quietly_sweep(self) -> None:
        try:
            await self.sweep()
        except Exception as problem:
            log.warning("abandoned tasks were not looked for: %s", problem)

    def _lease_ms(self, now_ms: int) -> int:
        return now_ms + int(self.limits.lease_s * 1000)

    @property
    def _ttl_ms(self) -> int:
        return int(self.limits.ttl_s * 1000)


def _recipe(run: Run) -> dict[str, Any]:
    """What it takes to call the tool again: everything that the function could see of its request, but for the HTTP headers."""
    user, claims = current_user(), current_claims()
    return {
        "arguments": run.arguments,
        "meta": dict(run.ctx.meta),
        "transport": run.ctx.transport,
        "endpoint": run.ctx.endpoint,
        "user": None if user is None else {"id": user.id, "data": jsonable(user.data)},
        "claims": None if claims is None else jsonable(claims.as_dict()),
    }


def _start(run: Run, recipe: Mapping[str, Any]) -> None:
    with _as_before(recipe):
        _ = run.function  # it starts here, and inherits who is asking


def _as_before(recipe: Mapping[str, Any]) -> AbstractContextManager[None]:
    """Everything inside acts for whoever asked for the task."""
    user, claims = recipe["user"], recipe["claims"]
    if user is None:
        return contextlib.nullcontext()
    return signed_in(User(user["id"], user["data"]), None if claims is None else Claims(claims))
