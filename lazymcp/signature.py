"""What a function's signature says: its parameters and its return type, annotations evaluated, and what may not stand in it."""

import functools
import inspect
import types
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from typing import Annotated, Any, Final

from lazymcp.context import Context
from lazymcp.errors import RegistrationError

__all__ = ["is_context", "plain_function", "read_signature"]

_NAMELESS: Final[Mapping[Any, str]] = {
    inspect.Parameter.VAR_POSITIONAL: "*{0}: name each argument",
    inspect.Parameter.POSITIONAL_ONLY: "{0} by position only: arguments come by name",
}


def plain_function(fn: Any) -> Any:
    """The function under partials, decorators and callable objects: the one whose annotations count."""
    while isinstance(fn, functools.partial):
        fn = fn.func
    if not (inspect.isroutine(fn) or inspect.isclass(fn)):
        fn = type(fn).__call__
    return inspect.unwrap(fn)


def read_signature(
    fn: Callable[..., Any], place: str, *, filled: Set[str] = frozenset()
) -> tuple[dict[str, inspect.Parameter], Any]:
    """The parameters of a function, their annotations evaluated, and its return annotation.

    Args:
        filled: parameters that are filled from elsewhere, and are left out.

    Raises:
        RegistrationError: an annotation names nothing, the function cannot be called by name, or FastAPI should call it.
    """
    try:
        signature = inspect.signature(fn)
        hints = typing.get_type_hints(plain_function(fn), include_extras=True)
    except (NameError, TypeError, ValueError) as problem:
        raise RegistrationError(f"the signature cannot be read: {problem}", place) from problem
    parameters = {}
    for name, parameter in signature.parameters.items():
        if name in filled:
            continue
        if parameter.kind in _NAMELESS:
            raise RegistrationError(f"the function takes {_NAMELESS[parameter.kind].format(name)}", place)
        if name == "ctx" and parameter.annotation is inspect.Parameter.empty:
            # It would become an argument that the client fills.
            raise RegistrationError("ctx has no type: write ctx: lazymcp.Context, or another name for an argument", place)
        annotation = Any if parameter.annotation is inspect.Parameter.empty else hints.get(name, parameter.annotation)
        _refuse_fastapi(name, (parameter.default, *_metadata(annotation)), place)
        parameters[name] = parameter.replace(annotation=annotation)
    if next(iter(parameters), "") == "self":
        raise RegistrationError("the function is not bound to its module: write fn=self.name, not fn=Module.name", place)
    return parameters, hints.get("return", signature.return_annotation)


def _refuse_fastapi(name: str, marks: Iterable[Any], place: str) -> None:
    """Refuse a parameter that FastAPI would fill: here it would become an argument, and the client could choose its value."""
    for mark in marks:
        found = next((kind for kind in (mark, *type(mark).__mro__) if _is_fastapis(kind)), None)
        if found is not None:
            marker = getattr(found, "__name__", type(mark).__name__)
            raise RegistrationError(
                f"the parameter {name} is marked with FastAPI's {marker}, which has no meaning here: ask for services in the "
                "constructor of the module, and describe arguments with pydantic's Field",
                place,
            )


def _is_fastapis(kind: Any) -> bool:
    # By name: lazymcp works without FastAPI, and must not import it to find out.
    module = getattr(kind, "__module__", None)
    return isinstance(module, str) and module.partition(".")[0] == "fastapi"


def _metadata(annotation: Any) -> Iterator[Any]:
    """Everything that `Annotated` holds, however deep in the annotation."""
    todo, aliases = [annotation], []
    for part in todo:
        origin = typing.get_origin(part)
        if origin is Annotated:
            yield from part.__metadata__
        todo += typing.get_args(part)
        alias = origin or part
        # Python and typing_extensions each have a class of this name. An alias may stand for a type that contains it.
        if type(alias).__name__ == "TypeAliasType" and alias not in aliases:
            aliases.append(alias)
            todo.append(alias.__value__)


def is_context(annotation: Any) -> bool:
    """Whether a parameter asks for the request."""
    if isinstance(annotation, types.UnionType) or typing.get_origin(annotation) in (typing.Union, Annotated):
        return any(is_context(part) for part in typing.get_args(annotation))
    return isinstance(annotation, type) and issubclass(annotation, Context)
