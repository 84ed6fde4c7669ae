"""`Surroundings`: what stands around the call of a function, where whoever composes the application has something to put there.

It is the one way by which values that are no arguments reach a function, and by which a call is watched; this package knows neither
what they are nor where they come from. The hook is asked once for each function, at registration, so that a function without
surroundings is called as if there were no hook.
"""

from collections.abc import Callable, Mapping, Set
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from typing import Any, Final, NamedTuple, Protocol, TypeVar

from lazymcp.specs import Spec

__all__ = ["Call", "Surround", "Surrounded", "Surroundings", "surrounded"]

S = TypeVar("S", bound=Spec)

_FUNCTIONS: Final = ("fn", "read", "variables")


class Call(Protocol):
    """What surroundings may know of a call; a `Context` is one."""

    @property
    def transport(self) -> str:
        """How the client is connected: "http" or "stdio"."""
        ...

    @property
    def trace_context(self) -> Mapping[str, str]:
        """`traceparent`, `tracestate` and `baggage` as far as the client sent them."""
        ...


class Surroundings(NamedTuple):
    """What stands around each call of one function.

    Attributes:
        opened: entered before the function runs and left before the call is answered, also where the function raises: it yields
            the values of the parameters that it fills, and hears the error.
        fills: the names of these parameters. They are no arguments: in no schema, and nothing that a client could send.
    """

    opened: Callable[[Call], AbstractAsyncContextManager[Mapping[str, Any]]]
    fills: Set[str] = frozenset()


# Takes a function, the method by which it is called (`tools/call`), and the name or URI of what it is published as.
Surround = Callable[[Callable[..., Any], str, str], Surroundings | None]


class Surrounded(NamedTuple):
    """A function with its surroundings, in the place of a function in a spec."""

    fn: Callable[..., Any]
    surroundings: Surroundings

    def __call__(self, *args: Any, **values: Any) -> Any:
        """The function alone."""
        return self.fn(*args, **values)


def surrounded(spec: S, surround: Surround | None, method: str, name: str) -> S:
    """The spec, each of its functions in its surroundings, if it has any.

    Args:
        surround: the hook; None: there is nothing around any function.
        method: by which the item is called or read.
        name: of the item, or its URI.
    """
    if surround is None:
        return spec
    changes: dict[str, Any] = {}
    for field in _FUNCTIONS:
        fn = getattr(spec, field, None)
        if callable(fn) and (found := surround(fn, method, name)) is not None:
            changes[field] = Surrounded(fn, found)
    completions: Mapping[str, Any] = getattr(spec, "completions", {})
    for argument, fn in completions.items():
        if callable(fn) and (found := surround(fn, "completion/complete", name)) is not None:
            changes.setdefault("completions", dict(completions))[argument] = Surrounded(fn, found)
    return replace(spec, **changes) if changes else spec
