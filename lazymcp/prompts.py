"""`Prompt`: messages that a user may send, written by the module."""

import typing
from collections.abc import Iterable, Mapping
from typing import Any

from lazymcp.completion import Completions
from lazymcp.content import CONTENT, block_of
from lazymcp.context import Context
from lazymcp.errors import InvalidParams, RegistrationError
from lazymcp.failures import refusal
from lazymcp.function import BadArguments, Function
from lazymcp.icons import icons_of
from lazymcp.output import entry_of
from lazymcp.specs import Message, PromptSpec

__all__ = ["Prompt"]


class Prompt:
    """A prompt as it is served. `name` bears the module's name, e.g. `admin.audit`."""

    __slots__ = ("_entry", "_function", "_messages", "completions", "description", "module", "name", "place")

    def __init__(self, module: str, name: str, spec: PromptSpec, place: str) -> None:
        """Compile a spec.

        Raises:
            RegistrationError: neither messages nor a function, or both; no description.
        """
        self.module, self.name, self.place = module, name, place
        if bool(spec.messages) == callable(spec.fn):
            raise RegistrationError(f"prompt {name} needs either messages or fn", place)
        self._function = Function(spec.fn) if spec.fn is not None else None
        returns = self._function.returns if self._function else None
        if isinstance(origin := typing.get_origin(returns) or returns, type) and issubclass(origin, Mapping):
            raise RegistrationError(f"prompt {name} returns a mapping: return str, Message or a list of them", place)
        try:
            self._messages = None if self._function else _written(spec.messages)
        except TypeError as problem:
            raise RegistrationError(f"prompt {name}: {problem}", place) from problem
        self.description = (spec.desc or (self._function.summary if self._function else "")).strip()
        if not self.description:
            raise RegistrationError(f"prompt {name} has no description: write a docstring, or set desc", place)
        self.completions = Completions(self._function.schema if self._function else {}, spec.completions, f"prompt {name}")
        entry = {
            "title": spec.title,
            "description": self.description,
            "icons": icons_of(spec.icons),
            "arguments": self._arguments(),
            "_meta": dict(spec.meta),
        }
        self._entry = entry_of(entry, place)

    def entry(self, name: str) -> dict[str, Any]:
        """The prompt in `prompts/list`, under the spelling of its name that the client can read."""
        return {"name": name, **self._entry}

    async def get(self, arguments: dict[str, Any], ctx: Context) -> dict[str, Any]:
        """The result of `prompts/get`.

        Raises:
            InvalidParams: an argument is missing, unknown or of another type. MCP 2026-07-28, server/prompts, "Error handling".
        """
        if self._function is None:
            return {"description": self.description, "messages": self._messages}
        try:
            found = await self._function.call(self._function.bind(arguments), ctx)
            return {"description": self.description, "messages": _written(found)}
        except BadArguments as problem:
            raise InvalidParams(str(problem)) from problem
        except BaseException as problem:
            raise refusal(problem, f"prompt {self.name}") from problem

    def _arguments(self) -> list[dict[str, Any]]:
        schema = self._function.schema if self._function else {}
        required = schema.get("required", ())
        return [
            {"name": name, **{key: node[key] for key in ("title", "description") if key in node}, "required": name in required}
            for name, node in schema.get("properties", {}).items()
        ]


def _written(found: Any) -> list[dict[str, Any]]:
    """The messages on the wire: a str or a content is one message of the user."""
    if isinstance(found, Mapping):
        raise TypeError("a prompt is made of str, contents and Message, not of the keys of a mapping")
    items: Iterable[Any] = [found] if isinstance(found, (str, Message, *CONTENT)) else found
    return [_message(item) for item in items]


def _message(item: Any) -> dict[str, Any]:
    if isinstance(item, (str, *CONTENT)):
        return {"role": "user", "content": block_of(item)}
    if not isinstance(item, Message):
        raise TypeError(f"a prompt is made of str, contents such as Image, and Message, not of {type(item).__name__}")
    if isinstance(item.content, Mapping):
        return {"role": item.role, "content": dict(item.content)}
    return {"role": item.role, "content": block_of(item.text if item.content is None else item.content)}
