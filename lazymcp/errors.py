"""What can go wrong in lazymcp, each with the form it takes on the wire.

`MCPError` and its subclasses are JSON-RPC errors for the peer. `ToolError` is for the model, `Forbidden` for the HTTP edge, and
`RegistrationError` for the developer: the server does not start.
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

__all__ = [
    "Declined",
    "Forbidden",
    "HeaderMismatch",
    "InternalError",
    "InvalidParams",
    "InvalidRequest",
    "MCPError",
    "MethodNotFound",
    "MissingCapability",
    "ParseError",
    "RegistrationError",
    "ResourceNotFound",
    "ToolError",
    "UnsupportedVersion",
]


class MCPError(Exception):
    """A JSON-RPC error that reaches the peer.

    Raise it with an own `code` (outside -32768 to -32000, which JSON-RPC reserves) to answer with an error of your own; the
    protocol's errors are the subclasses below.
    """

    code: int = -32603
    default: ClassVar[str] = "internal error"

    def __init__(
        self, message: str = "", data: Any = None, *, code: int | None = None, request_id: str | int | None = None
    ) -> None:
        """Make an error.

        Args:
            message: What was expected and what came; the peer reads it.
            data: Any JSON value with particulars; left out of the wire form when None.
            code: Replaces the class's code.
            request_id: The id of the request this error answers, when the message that failed still told it.
        """
        super().__init__(message or self.default)
        self.message = message or self.default
        self.data = data
        self.request_id = request_id
        if code is not None:
            self.code = code

    def to_dict(self) -> dict[str, Any]:
        """The `error` member of a JSON-RPC response. JSON-RPC 2.0, section 5.1."""
        wire: dict[str, Any] = {"code": self.code, "message": self.message}
        if self.data is not None:
            wire["data"] = self.data
        return wire


class ParseError(MCPError):
    """The bytes are not the strict JSON we accept. JSON-RPC 2.0, section 5.1."""

    code, default = -32700, "parse error"


class InvalidRequest(MCPError):
    """The JSON is not a single JSON-RPC message. JSON-RPC 2.0, section 5.1."""

    code, default = -32600, "invalid request"


class MethodNotFound(MCPError):
    """Nobody answers this method in the revision asked for. JSON-RPC 2.0, section 5.1."""

    code, default = -32601, "method not found"


class InvalidParams(MCPError):
    """A parameter is missing, malformed or names something unknown (or hidden). JSON-RPC 2.0, section 5.1."""

    code, default = -32602, "invalid params"


class ResourceNotFound(InvalidParams):
    """No resource, or none you may see, has this URI. MCP 2026-07-28, server/resources.

    Revisions before 2026-07-28 knew it as -32002; the legacy porch translates.
    """

    def __init__(self, uri: str) -> None:
        super().__init__(f"no resource is known as {uri!r}", {"uri": uri})


class InternalError(MCPError):
    """Something failed here; the particulars are in our log. JSON-RPC 2.0, section 5.1."""


class HeaderMismatch(MCPError):
    """A routing header is missing, malformed or differs from the body. MCP 2026-07-28, basic/transports/streamable-http."""

    code, default = -32020, "header mismatch"


class MissingCapability(MCPError):
    """The request needs capabilities that the client did not declare with it. MCP 2026-07-28, basic/index."""

    code = -32021

    def __init__(self, required: Mapping[str, Any]) -> None:
        """Make an error; `required` is shaped like ClientCapabilities, e.g. `{"elicitation": {}}`."""
        names = ", ".join(sorted(required))
        super().__init__(f"the client must declare these capabilities: {names}", {"requiredCapabilities": dict(required)})


class UnsupportedVersion(MCPError):
    """The protocol version asked for is not served here. MCP 2026-07-28, basic/versioning."""

    code = -32022

    def __init__(self, requested: Any, supported: Sequence[str]) -> None:
        super().__init__(
            f"unsupported protocol version; supported: {', '.join(supported)}",
            {"supported": list(supported), "requested": requested},
        )


class ToolError(Exception):
    """A sentence the model can act on. It becomes a tool result with `isError`, never a protocol error."""


class Declined(ToolError):
    """The user, or the client, would not answer a question.

    Attributes:
        action: "decline" for a no, "cancel" for a form that was put away.
        key: which question, where several were asked.
    """

    def __init__(self, action: str, key: str = "") -> None:
        """Make an error."""
        said = "declined" if action == "decline" else "did not answer"
        super().__init__(f"the user {said}" + (f" ({key})" if key else ""))
        self.action = action
        self.key = key


class Forbidden(Exception):
    """The access token lacks scopes. Over HTTP: 403 with `insufficient_scope` (RFC 6750, section 3.1)."""

    def __init__(self, *scopes: str) -> None:
        """Make an error that names the scopes which would have sufficed."""
        super().__init__(f"this needs the scope {' '.join(scopes)}" if scopes else "this is not allowed")
        self.scopes = scopes


class RegistrationError(Exception):
    """A module, tool, resource, prompt, skill or app cannot be published as it stands."""

    def __init__(self, reason: str, place: str = "") -> None:
        """Make an error.

        Args:
            reason: What is wrong and what would be right.
            place: Where to repair it, as `names.where` tells: `app/mcps/admin_mcp/__init__.py:31`.
        """
        super().__init__(f"{place}: {reason}" if place else reason)
        self.reason = reason
        self.place = place
