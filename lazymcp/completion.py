"""`Completions`: what a user may type for the arguments of a prompt, or for the variables of a resource template.

An argument is completed by a function of the module (`@completes`, or `completions=` of the spec). One that allows a few texts
only, by its `Literal`, `Enum` or `bool`, completes by itself.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sized
from itertools import islice
from typing import Any, Final

from lazymcp.context import Context
from lazymcp.errors import InvalidParams, RegistrationError
from lazymcp.failures import refusal
from lazymcp.function import BadArguments, Function
from lazymcp.output import jsonable

__all__ = ["Completions"]

# MCP, server/utilities/completion, "Implementation considerations".
_MOST: Final = 100


class Completions:
    """How the arguments of one prompt or template are completed."""

    __slots__ = ("_choices", "_functions", "_names", "_what")

    def __init__(self, schema: Mapping[str, Any], functions: Mapping[str, Callable[..., Any]], what: str) -> None:
        """Compile what completes.

        Args:
            schema: of the arguments.
            functions: by argument; each takes the text typed so far and, by name and with defaults, other arguments.
            what: the item, as the peer knows it, e.g. `prompt admin.audit`.

        Raises:
            RegistrationError: a function completes what is no argument, or cannot be called so.
        """
        self._what = what
        arguments: Mapping[str, Any] = schema.get("properties", {})
        self._names = frozenset(arguments)
        choices = {name: list(_choices(node)) for name, node in arguments.items()}
        self._choices = {name: texts for name, texts in choices.items() if texts}
        self._functions = {name: self._compile(name, fn) for name, fn in functions.items()}

    def __bool__(self) -> bool:
        """Whether anything completes."""
        return bool(self._choices or self._functions)

    async def complete(self, name: str, typed: str, others: Mapping[str, str], ctx: Context) -> dict[str, Any]:
        """The `completion` of an argument.

        Args:
            name: of the argument.
            typed: what the user has typed so far.
            others: the arguments that are known already.

        Raises:
            InvalidParams: there is no such argument, or the function refuses.
        """
        if name not in self._names:
            raise InvalidParams(f"{self._what} has no argument {name[:100]!r}; it has {self._known()}")
        function = self._functions.get(name)
        if function is None:
            begun = typed.casefold()
            return _completion([text for text in self._choices.get(name, ()) if text.casefold().startswith(begun)])
        value, *wanted = function.takes
        try:
            given = function.bind({value: typed, **{other: others[other] for other in wanted if other in others}})
            return _completion(await function.call(given, ctx))
        except BadArguments:
            # What is typed is not finished; until it can be read, nothing completes it.
            return _completion([])
        except BaseException as problem:
            raise refusal(problem, f"completion of {name} of {self._what}") from problem

    def _compile(self, name: str, fn: Callable[..., Any]) -> Function:
        if name not in self._names:
            raise RegistrationError(f"{self._what} has no argument {name!r} to complete; it has {self._known()}")
        if not callable(fn):
            raise RegistrationError(f"the completion of {name!r} of {self._what} is a function, not {fn!r}")
        function = Function(fn)
        if function.takes_anything or not function.takes:
            raise RegistrationError("a function that completes takes the text typed so far: (self, typed: str)", function.place)
        _, *wanted = function.takes
        strange = sorted(set(wanted) - self._names)
        if strange:
            reason = f"it asks for {', '.join(strange)}, which {self._what} does not have; it has {self._known()}"
            raise RegistrationError(
                f"a function that completes takes the text typed so far, then other arguments: {reason}", function.place
            )
        early = sorted(set(wanted) & set(function.schema.get("required", ())))
        if early:
            reason = f"give {early[0]} a default: it may not be known yet when {name} is completed"
            raise RegistrationError(reason, function.place)
        return function

    def _known(self) -> str:
        return ", ".join(sorted(self._names)) or "none"


def _choices(node: Mapping[str, Any]) -> Iterator[str]:
    """The texts that a schema allows, if it allows a few only. Arguments come as texts, so a number is never one of them."""
    if node.get("type") == "boolean":
        yield from ("true", "false")
    for value in node.get("enum", [node.get("const")]):
        if isinstance(value, str):
            yield value
    for branch in node.get("anyOf", ()):
        yield from _choices(branch)


def _completion(found: Iterable[Any]) -> dict[str, Any]:
    """At most a hundred texts. The total is told where it is known: not for a generator that goes on."""
    if isinstance(found, str | bytes | Mapping) or not isinstance(found, Iterable):
        raise TypeError(f"a function that completes returns a list of texts, not {type(found).__name__}")
    values = [_text(value) for value in islice(found, _MOST + 1)]
    total = len(found) if isinstance(found, Sized) else len(values) if len(values) <= _MOST else None
    completion: dict[str, Any] = {"values": values[:_MOST], "hasMore": len(values) > _MOST}
    return completion if total is None else {**completion, "total": total}


def _text(value: Any) -> str:
    written = value if isinstance(value, str) else jsonable(value)
    return str(written).lower() if isinstance(written, bool) else str(written)
