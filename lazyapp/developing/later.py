"""A part of `/_lazy` that is made when it is first asked for."""

from collections.abc import Callable

from lazyapp.developing.door import ASGIApp, Receive, Scope, Send


class Later:
    """Whoever saves a file often should not wait each time for what is looked at now and then.

    Args:
        make: makes the part, once.
    """

    def __init__(self, make: Callable[[], ASGIApp]) -> None:
        self._make = make
        self._part: ASGIApp | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, by what is there by then."""
        if self._part is None:
            self._part = self._make()
        await self._part(scope, receive, send)
