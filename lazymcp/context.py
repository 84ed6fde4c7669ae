"""`Context`: what a tool may know of the request it answers, and the way back to whoever sent it."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, Protocol, TypeVar

from lazymcp.asking import NEEDS, Ask, Asker, missing
from lazymcp.dialogue import OverLink, hold
from lazymcp.errors import MissingCapability

__all__ = ["LOG_LEVELS", "Context", "Link", "LogLevel"]

T = TypeVar("T")

_TRACE: Final = ("traceparent", "tracestate", "baggage")

LogLevel = Literal["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"]

# RFC 5424, section 6.2.1, least severe first.
LOG_LEVELS: Final[Mapping[str, int]] = {
    name: severity
    for severity, name in enumerate(("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"))
}


class Link(Protocol):
    """The transport's side of one request."""

    @property
    def transport(self) -> str:
        """How the client is connected: "http" or "stdio"; "" while modules are being registered."""
        ...

    @property
    def endpoint(self) -> str | None:
        """The public URL of the server, or None where there is none."""
        ...

    @property
    def headers(self) -> Mapping[str, str]:
        """The HTTP headers, names in lower case; empty elsewhere."""
        ...

    async def notify(self, method: str, params: dict[str, Any]) -> None:
        """Send a notification that belongs to the request; dropped where the client cannot receive it."""
        ...

    async def request(self, method: str, params: dict[str, Any]) -> Any:
        """Send a client of the older revisions a request that belongs to this one, and wait for its result.

        Raises:
            ToolError: the client cannot be asked, refused, did not answer in time, or has gone.
        """
        ...

    async def close_stream(self, retry_ms: int) -> None:
        """Close the stream of this request while the work goes on, if the client can come back for the rest."""
        ...


class Context:
    """One request, as the function that answers it may see it. Ask for it by type: `ctx: Context`, in any position.

    Attributes:
        meta: the request's `_meta`, trace context (`traceparent`) included.
        client: how the client presents itself: `name`, `version`. Nothing vouches for it.
        capabilities: what the client said it can do, with this very request.
    """

    __slots__ = ("_asked", "_asker", "_level", "_link", "_progress", "capabilities", "client", "meta")

    def __init__(
        self,
        link: Link,
        meta: Mapping[str, Any],
        client: Mapping[str, Any],
        capabilities: Mapping[str, Any],
        log_level: str | None = None,
        asker: Asker | None = None,
    ) -> None:
        """Made by the transports, once a request.

        Args:
            log_level: the least severe message the client wants to hear; None for none at all.
            asker: gets answers from the client; None: questions are requests over the link, as before 2026-07-28.
        """
        self._link = link
        self.meta = meta
        self.client = client
        self.capabilities = capabilities
        self._level = log_level
        self._progress: float | None = None
        self._asker = asker
        self._asked: dict[str, None] | None = None

    @property
    def link(self) -> Link:
        """The transport's side of this request, for methods that are streams."""
        return self._link

    @property
    def transport(self) -> str:
        """How the client is connected: "http" or "stdio"; "" while modules are being registered."""
        return self._link.transport

    @property
    def endpoint(self) -> str | None:
        """The public URL of the server; None over stdio and where no URL was configured."""
        return self._link.endpoint

    @property
    def asker(self) -> Asker | None:
        """What gets answers from the client; None where questions are requests over the link. Only `methods.answer` changes it."""
        return self._asker

    @asker.setter
    def asker(self, asker: Asker) -> None:
        self._asker = asker

    @property
    def headers(self) -> Mapping[str, str]:
        """The HTTP headers of this request, names in lower case, credentials and cookies left out; empty over stdio."""
        return self._link.headers

    @property
    def trace_context(self) -> dict[str, str]:
        """`traceparent`, `tracestate` and `baggage` as far as the client sent them: hand them on as headers of what you call.

        W3C Trace Context; MCP 2026-07-28, basic/index. They come from outside: what is not plain ASCII is left out.
        """
        found = {name: self.meta.get(name) for name in _TRACE}
        return {name: value for name, value in found.items() if isinstance(value, str) and value.isascii() and value.isprintable()}

    async def progress(self, progress: float, total: float | None = None, message: str | None = None) -> None:
        """Tell how far the work is. Does nothing when the client did not ask for progress.

        Args:
            progress: must rise from call to call; what does not is left out, as the protocol demands.
            total: where it will end, when that is known.
            message: what is being done.

        MCP, basic/utilities/progress.
        """
        token = self.meta.get("progressToken")
        if token is None or (self._progress is not None and progress <= self._progress):
            return
        self._progress = progress
        params: dict[str, Any] = {"progressToken": token, "progress": progress}
        if total is not None:
            params["total"] = total
        if message is not None:
            params["message"] = message
        await self._link.notify("notifications/progress", params)

    async def begin_task(self) -> bool:
        """Go on as a task: the client gets its id, and what follows outlives the request. For tools with `task="manual"`.

        Ask what must be known before there is a task first; what is asked later waits in the task.

        Returns:
            False where the client takes no tasks: the work simply goes on in its request.
        """
        raise RuntimeError('begin_task is for tools that are declared with @tool(task="manual")')

    async def log(self, data: Any, level: LogLevel = "info", logger: str | None = None) -> None:
        """Send the client a log message, any JSON. Does nothing below the level that the client asked for.

        MCP, server/utilities/logging. Never put secrets in it.
        """
        if self._level is None or LOG_LEVELS[level] < LOG_LEVELS[self._level]:
            return
        params: dict[str, Any] = {"level": level, "data": data}
        if logger is not None:
            params["logger"] = logger
        await self._link.notify("notifications/message", params)

    async def close_stream(self, retry_ms: int = 1000) -> None:
        """Let the client hang up while the work goes on; it comes back for the rest. Does nothing where a client could not.

        For work of minutes, so that no connection has to last as long. Only clients of 2025-11-25 over HTTP know how.

        Args:
            retry_ms: after how long the client is asked to come back.

        MCP 2025-11-25, basic/transports, "Listening for messages from the server".
        """
        await self._link.close_stream(retry_ms)

    async def elicit(
        self, model: type[T], message: str, key: str | None = None, *, requested_schema: Mapping[str, Any] | None = None
    ) -> T:
        """Ask the user to fill in a form.

        To a client of 2026-07-28 this ends the request; the function runs again from its first line when the answer is there, so
        do what must not be done twice after the last question.

        Args:
            model: what the answer becomes: a pydantic model, dataclass or TypedDict of text, numbers, bools, dates and choices.
            message: why it is asked, for the user.
            key: names the question on the wire; by default `question_1`, `question_2` and so on, in order of asking.
            requested_schema: the form verbatim; `model` may then be `dict`.

        Raises:
            Declined: the user would not.
            MissingCapability, ToolError: this client cannot be asked.
        """
        from lazymcp.elicitation import form  # here and below: most processes never ask

        return await self._one(form(model, message, requested_schema=requested_schema), key)

    async def elicit_url(self, url: str, message: str, key: str | None = None) -> None:
        """Ask the user to open a page, for what no client may see: passwords, payments, another login.

        It returns when the user agreed to open it, which says nothing of what was done there.

        Raises:
            Declined: the user would not.
            MissingCapability, ToolError: this client cannot be asked.
        """
        from lazymcp.elicitation import visit

        await self._one(visit(url, message), key)

    async def sample(
        self,
        prompt: str | Sequence[Mapping[str, Any]],
        key: str | None = None,
        *,
        max_tokens: int = 1000,
        system_prompt: str | None = None,
        temperature: float | None = None,
    ) -> str:
        """Let the client's model write something; the answer is its text. Deprecated since 2026-07-28 (SEP-2577).

        Raises:
            MissingCapability, ToolError: this client cannot be asked, or refused.
        """
        from lazymcp.client_features import sampling

        asked = sampling(prompt, max_tokens=max_tokens, system_prompt=system_prompt, temperature=temperature)
        return await self._one(asked, key)

    async def roots(self, key: str | None = None) -> list[dict[str, Any]]:
        """The folders that the client works in, each `{"uri": "file://…", "name": …}`. Deprecated since 2026-07-28 (SEP-2577).

        Raises:
            MissingCapability, ToolError: this client cannot be asked, or refused.
        """
        from lazymcp.client_features import roots

        return await self._one(roots(), key)

    async def ask(self, **asks: Ask[Any]) -> dict[str, Any]:
        """Ask several things at once, each under the key that its argument gives: `await ctx.ask(name=form(…), folders=roots())`.

        Raises:
            Declined: the user would not answer one of them; its `key` tells which.
            MissingCapability, ToolError: this client cannot be asked.
        """
        if not asks:
            return {}
        if self._asked is None:
            self._asked = {}
        if twice := sorted(self._asked.keys() & asks.keys()):
            raise ValueError(f"the key {twice[0]!r} names another question of this request: give each its own")
        self._asked |= dict.fromkeys(asks)
        lacking: dict[str, Any] = {}
        for ask in asks.values():
            for name, parts in missing(ask.needs, self.capabilities).items():
                lacking[name] = {**lacking.get(name, {}), **parts}
        if lacking and self._asker is not None:
            raise MissingCapability(lacking)
        return await hold(self._asker or OverLink(self._link.request, lacking), asks)

    def can_ask(self, what: Literal["form", "url", "sampling", "roots"]) -> bool:
        """Whether the client declared that it can answer such a question, for a function that can do without."""
        return not missing(NEEDS[what], self.capabilities)

    async def _one(self, ask: Ask[T], key: str | None) -> T:
        if key is None:
            # The same in every run, as long as the function asks in the same order.
            key = f"question_{len(self._asked or ()) + 1}"
        answer: T = (await self.ask(**{key: ask}))[key]
        return answer
