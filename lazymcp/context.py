"""`Context`: what a tool may know of the request it answers, and the way back to whoever sent it."""

from collections.abc import Mapping
from typing import Any, Final, Literal, Protocol

from lazymcp.asking import Asker, Question

__all__ = ["LOG_LEVELS", "Context", "Link", "LogLevel"]

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
        self._asked: dict[str, Question] | None = None

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
    def headers(self) -> Mapping[str, str]:
        """The HTTP headers of this request, names in lower case, credentials and cookies left out; empty over stdio."""
        return self._link.headers

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
