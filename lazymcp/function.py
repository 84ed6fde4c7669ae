"""`Function`: a function of a module, ready to be called with what a client sent.

Its signature is read once, at registration. A call is then one compiled validation and the function itself.
"""

import functools
import inspect
import typing
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import is_dataclass
from typing import Annotated, Any, Final, NotRequired

from pydantic import BaseModel, Field, ValidationError
from pydantic.errors import PydanticUserError
from pydantic.fields import FieldInfo
from pydantic_core import PydanticSerializationError, PydanticUndefined, to_jsonable_python
from typing_extensions import TypedDict, is_typeddict

from lazymcp.adapter import adapter_of
from lazymcp.context import Context
from lazymcp.docstrings import parse
from lazymcp.errors import RegistrationError, ToolError
from lazymcp.names import where
from lazymcp.schema import schema_of
from lazymcp.signature import is_context, plain_function, read_signature
from lazymcp.surroundings import Surrounded, Surroundings
from lazymcp.worker import Pool

__all__ = ["MOST_LISTED", "BadArguments", "Function"]

#: More errors than these are counted and not listed: `errors()` costs ten microseconds each, on the event loop.
MOST_LISTED: Final = 1000

# As many tools that are not async may be stuck before others have to wait.
_threads: Final = Pool("lazymcp-tool", 40)
_NO_DEFAULTS: Final = (inspect.Parameter.empty, PydanticUndefined, None, ...)
_SHOWN_PROBLEMS = 5
_SHOWN_LENGTH = 80


class BadArguments(ToolError):
    """The arguments do not fit the signature; the sentence says which, why, and what would fit."""


class Function:
    """A function of a module, ready to be called with what a client sent.

    Attributes:
        fn: what the module's author wrote, bound to the module.
        place: where it is written, for messages to the developer.
        summary: its docstring without the section on arguments.
        schema: the JSON Schema of its arguments.
        returns: its return annotation, `inspect.Signature.empty` without one.
    """

    __slots__ = (
        "_accepts",
        "_accepts_all",
        "_around",
        "_injected",
        "_is_async",
        "_takes",
        "_validate",
        "_whole",
        "fn",
        "place",
        "returns",
        "schema",
        "summary",
    )

    def __init__(self, fn: Callable[..., Any]) -> None:
        """Read the signature.

        Raises:
            RegistrationError: it cannot be called by name, or a type has no JSON form.
        """
        self._around: Surroundings | None = None
        if isinstance(fn, Surrounded):
            fn, self._around = fn
        self.fn = fn
        self.place = where(fn)
        if inspect.isasyncgenfunction(plain_function(fn)):
            advice = "return a list instead of yielding, and tell how far it is with ctx.progress"
            raise RegistrationError(f"an async generator cannot be published: {advice}", self.place)
        doc = parse(inspect.getdoc(fn))
        self.summary = doc.text
        parameters, self.returns = read_signature(fn, self.place, filled=self._around.fills if self._around else frozenset())
        self._is_async = inspect.iscoroutinefunction(plain_function(fn))
        self._injected = tuple(name for name, parameter in parameters.items() if is_context(parameter.annotation))
        asked = [parameter for name, parameter in parameters.items() if name not in self._injected]
        self._takes = tuple(parameter.name for parameter in asked)
        self._accepts_all = any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in asked)
        asked = [parameter for parameter in asked if parameter.kind is not inspect.Parameter.VAR_KEYWORD]
        self._whole = "params" if len(asked) == 1 and asked[0].name == "params" and _is_model(asked[0].annotation) else None
        self._describe(asked, doc.args)

    @property
    def takes(self) -> Sequence[str]:
        """The names of its parameters, without those that are injected."""
        return self._takes

    @property
    def takes_anything(self) -> bool:
        """Whether it has a `**` parameter."""
        return self._accepts_all

    def with_context(self, values: dict[str, Any], ctx: Context) -> dict[str, Any]:
        """The keyword arguments with the context added, in place, wherever the function wants it."""
        for name in self._injected:
            values[name] = ctx
        return values

    def _describe(self, asked: Sequence[inspect.Parameter], args: Mapping[str, str]) -> None:
        self._accepts: frozenset[str] = frozenset()
        self._validate: Callable[[dict[str, Any]], Any] = dict
        self.schema: dict[str, Any] = {"type": "object", "properties": {}}
        if asked:
            self._compile(asked, args)
        if not self._accepts_all:
            self.schema["additionalProperties"] = False

    def _compile(self, asked: Sequence[inspect.Parameter], args: Mapping[str, str]) -> None:
        for parameter in asked:
            _check_default(parameter, self.place)
        source = asked[0].annotation if self._whole else _arguments_type(asked, args)
        try:
            adapter = adapter_of(source)
            schema, _ = schema_of(adapter, "validation")
        except (PydanticUserError, PydanticSerializationError) as problem:
            raise RegistrationError(f"an argument has no JSON form: {_first_line(problem)}", self.place) from problem
        properties: dict[str, Any] = schema.get("properties", {})
        self._accepts = frozenset(properties)
        self._accepts_all = self._accepts_all or schema.get("additionalProperties", False) not in (False, None)
        self._validate = adapter.validator.validate_python
        self.schema = {**schema, "type": "object", "properties": properties}

    def bind(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Turn JSON arguments into the keyword arguments of the function.

        Read leniently where nothing is lost (`"5"` for an integer), never reinterpreted where the type is a string.

        Raises:
            BadArguments: one is unknown, missing or of another type.
        """
        if not self._accepts_all and not arguments.keys() <= self._accepts:
            raise BadArguments(self._unknown(arguments.keys() - self._accepts))
        try:
            values: dict[str, Any] = self._validate(arguments)
        except ValidationError as problem:
            raise BadArguments(_sentence(problem)) from problem
        if self._whole is not None:
            return {self._whole: values}
        if self._accepts_all:
            values = {**{name: arguments[name] for name in arguments.keys() - self._accepts}, **values}
        return values

    def call(self, values: dict[str, Any], ctx: Context) -> Awaitable[Any]:
        """Call the function; one that is not async runs in a thread, so it never holds up the loop.

        No coroutine itself, for every tool call would pay one more frame to wait in.

        Args:
            values: what `bind` returned; the context is added in place.
            ctx: the request.
        """
        if self._injected:
            values = self.with_context(values, ctx)
        if self._around is not None:
            return self._call_within(self._around, values, ctx)
        found: Awaitable[Any] = self.fn(**values) if self._is_async else self._call_in_thread(values)
        return found

    async def _call_within(self, around: Surroundings, values: dict[str, Any], ctx: Context) -> Any:
        raised: BaseException | None = None
        async with around.opened(ctx) as filled:
            try:
                values = {**values, **filled}
                return await (self.fn(**values) if self._is_async else self._call_in_thread(values))
            except BaseException as problem:
                raised = problem
                raise
        # What stands around a function may keep an error to itself; that makes no success of the call.
        raise raised or RuntimeError(f"{self.place}: nothing was returned")

    async def _call_in_thread(self, values: dict[str, Any]) -> Any:
        found = await _threads.run(functools.partial(_call, self.fn, values))
        return await found if inspect.isawaitable(found) else found

    def _unknown(self, names: Iterable[str]) -> str:
        from difflib import get_close_matches  # for mistakes only

        name = min(names)
        close = get_close_matches(name, self._accepts, 1)
        hint = f", did you mean {close[0]!r}?" if close else ""
        known = ", ".join(sorted(self._accepts)) or "none"
        return f"unknown argument {name[:_SHOWN_LENGTH]!r}{hint} (known arguments: {known})"


def _call(fn: Callable[..., Any], values: dict[str, Any]) -> Any:
    try:
        return fn(**values)
    except (StopIteration, GeneratorExit) as problem:
        # A future cannot hold StopIteration: the caller would wait for ever. GeneratorExit would close the caller.
        raise RuntimeError(f"the function raised {type(problem).__name__}") from problem


def _check_default(parameter: inspect.Parameter, place: str) -> None:
    """Refuse a default that the parameter's own type would refuse: the schema would publish it, and the function get it.

    None may stand for "left out" whatever the type is; schemas do not show it.
    """
    annotation, default = parameter.annotation, parameter.default
    if typing.get_origin(annotation) is Annotated:
        annotation = typing.get_args(annotation)[0]
    if isinstance(default, FieldInfo):
        default = default.default
    if any(default is none for none in _NO_DEFAULTS) or type(default) is annotation:
        return
    try:
        read = adapter_of(annotation).validator.validate_python(default)
        fits = read is default or read == default or to_jsonable_python(read) == to_jsonable_python(default)
    except ValidationError:
        fits = False
    except (PydanticUserError, PydanticSerializationError):
        return
    if not fits:
        reason = f"the default of {parameter.name} is {default!r}, which is not of its type; correct one or the other"
        raise RegistrationError(reason, place)


def _is_model(annotation: Any) -> bool:
    if not isinstance(annotation, type):
        return False
    return issubclass(annotation, BaseModel) or is_dataclass(annotation) or is_typeddict(annotation)


def _arguments_type(asked: Iterable[inspect.Parameter], args: Mapping[str, str]) -> Any:
    """A typed dictionary with an entry for each parameter."""
    fields: dict[str, Any] = {}
    for parameter in asked:
        # Later ones win: the docstring, then Annotated[..., Field(...)], then a default, plain or Field(...).
        extras: list[Any] = [Field(description=args[parameter.name])] if parameter.name in args else []
        annotation = parameter.annotation
        if typing.get_origin(annotation) is Annotated:
            annotation, *own = typing.get_args(annotation)
            extras += own
        if parameter.default is not inspect.Parameter.empty:
            extras.append(parameter.default if isinstance(parameter.default, FieldInfo) else Field(default=parameter.default))
        if extras:
            annotation = Annotated[(annotation, *extras)]
        is_optional = any(isinstance(extra, FieldInfo) and not extra.is_required() for extra in extras)
        fields[parameter.name] = NotRequired[annotation] if is_optional else annotation
    return TypedDict("Arguments", fields)  # type: ignore[operator]


def _sentence(problem: ValidationError) -> str:
    """What is wrong with the arguments, for a model that will try again."""
    if (count := problem.error_count()) > MOST_LISTED:
        return f"{count} values are not as the schema says"
    errors = problem.errors(include_url=False)
    told = [_one_problem(error) for error in errors[:_SHOWN_PROBLEMS]]
    if len(errors) > _SHOWN_PROBLEMS:
        told.append(f"and {len(errors) - _SHOWN_PROBLEMS} more")
    return "; ".join(told)


def _one_problem(error: Any) -> str:
    place = ".".join(str(part) for part in error["loc"])
    if error["type"] == "missing":
        return f"argument {place!r} is missing"
    got = repr(error["input"])
    shown = got if len(got) <= _SHOWN_LENGTH else f"{got[:_SHOWN_LENGTH]}…"
    about = f"argument {place!r}" if place else "the arguments"
    return f"{about}: {error['msg'][:1].lower()}{error['msg'][1:]}, got {shown}"


def _first_line(problem: Exception) -> str:
    return str(problem).partition("\n")[0]
