"""What a test is told when a page, a form or an answer is not as it expects: each says what is there instead."""

from collections.abc import Iterable


class NotOnPage(AssertionError):
    """The page has no such text, link, form, field or button; the message lists those that it has."""


class NotSignedIn(AssertionError):
    """Nobody of this name can be signed in here; the message says how to make one."""


class LoginRefused(AssertionError):
    """A login of an AI client ended without a token.

    Attributes:
        error: the code of RFC 6749, section 4.1.2.1 or 5.2, such as `access_denied`; "" where a page said no.
        description: the reason in words.
    """

    def __init__(self, error: str, description: str) -> None:
        super().__init__(f"{error}: {description}" if error else description)
        self.error = error
        self.description = description


class MCPError(AssertionError):
    """The server answered an MCP request with an error instead of a result.

    Attributes:
        code: the JSON-RPC code, or the HTTP status where no JSON-RPC came.
        message: its words.
        data: what came with it.
    """

    def __init__(self, code: int, message: str, data: object = None, *, hint: str = "") -> None:
        super().__init__(f"{message} ({code})" + (f"; {hint}" if hint else ""))
        self.code = code
        self.message = message
        self.data = data


def listed(names: Iterable[str]) -> str:
    """Names for a message: quoted, each once, in order; "none" where there are none."""
    return ", ".join(repr(name) for name in dict.fromkeys(names)) or "none"
