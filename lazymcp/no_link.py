"""`NoLink`: the link of a context with nobody at the other end.

Modules are asked for their specs before there is a client, and a task outlives the request that began it.
"""

from collections.abc import Mapping
from typing import Any, Final

from lazymcp.asking import unaskable

__all__ = ["NoLink"]

_NO_HEADERS: Final[Mapping[str, str]] = {}


class NoLink:
    """What is known of a request, and no way back to whoever sent it: a `context.Link`."""

    __slots__ = ("_reason", "endpoint", "headers", "transport")

    def __init__(
        self,
        endpoint: str | None,
        transport: str = "",
        headers: Mapping[str, str] = _NO_HEADERS,
        *,
        reason: str = "it is not there yet",
    ) -> None:
        """Keep what is known.

        Args:
            reason: why nobody can be asked, for whoever asks all the same.
        """
        self.endpoint, self.transport, self.headers = endpoint, transport, headers
        self._reason = reason

    async def notify(self, method: str, params: dict[str, Any]) -> None:
        """Nobody listens."""

    async def request(self, method: str, params: dict[str, Any]) -> Any:
        """Nobody answers.

        Raises:
            ToolError: always, with the reason.
        """
        unaskable(self._reason)

    async def close_stream(self, retry_ms: int) -> None:
        """There is none."""
