"""`TaskContext`: the context of a tool that is declared with `task=`, before there is a task and inside it.

Until the task begins it is that of the request. Then the request is left behind: questions go into the task, what is told becomes
its status message, and nothing is sent any more.
"""

from collections.abc import Mapping
from typing import Any, Protocol

from lazymcp.asking import Asker, Question
from lazymcp.context import LOG_LEVELS, Context, LogLevel
from lazymcp.no_link import NoLink

__all__ = ["TaskContext"]


class Running(Asker, Protocol):
    """What the context needs of the running tool; see `task_run.Run`."""

    before: dict[str, Any]

    def key(self, key: str, /) -> str:
        """The key on the wire of a question that is put now."""
        ...

    async def begin(self) -> bool:
        """Make the task durable; whether there is one now."""
        ...

    async def say(self, text: str, /) -> None:
        """Tell people what the task is doing."""
        ...


class TaskContext(Context):
    """The context of a tool that is declared with `task=`."""

    __slots__ = ("_run",)

    def __init__(self, ctx: Context, run: Running | None) -> None:
        """See a request as a task may.

        Args:
            ctx: the request's own.
            run: None where the client takes no task.
        """
        for slot in Context.__slots__:
            setattr(self, slot, getattr(ctx, slot))
        self._run = run
        if run is not None and ctx.asker is not None:
            self.asker = _Before(run, ctx.asker)

    def detach(self) -> None:
        """Leave the request behind: what is sent and asked from now on concerns the task."""
        if self._run is not None and self._asker is not self._run:
            # SEP-2663, "Task Status Notifications": a task sends nothing on the stream of the request that began it.
            link = self._link
            self._link = NoLink(link.endpoint, link.transport, link.headers, reason="a task asks with its record")
            self.asker = self._run

    async def begin_task(self) -> bool:
        """Go on as a task, if the client takes one; see `Context.begin_task`."""
        return self._run is not None and await self._run.begin()

    async def progress(self, progress: float, total: float | None = None, message: str | None = None) -> None:
        """Tell how far the work is; of a task, this is its status message."""
        if self._run is None or self._asker is not self._run:
            await super().progress(progress, total, message)
            if self._run is None:
                return
        of = "" if total is None else f" of {total:g}"
        await self._run.say(message or f"{progress:g}{of}")

    async def log(self, data: Any, level: LogLevel = "info", logger: str | None = None) -> None:
        """Send a log message; of a task, a text that is no mere detail is its status message."""
        if self._run is None or self._asker is not self._run:
            await super().log(data, level, logger)
        elif isinstance(data, str) and LOG_LEVELS[level] >= LOG_LEVELS["info"]:
            await self._run.say(data)


class _Before:
    """The asker of a request that may become a task: what it learns is kept, for a task that has to be run again."""

    __slots__ = ("_asker", "_run")

    def __init__(self, run: Running, asker: Asker) -> None:
        self._run, self._asker = run, asker

    async def ask(self, questions: Mapping[str, Question], /) -> Mapping[str, Any]:
        found = await self._asker.ask(questions)
        for key, question in questions.items():
            self._run.before[self._run.key(key)] = {"question": question.to_dict(), "result": found[key]}
        return found
