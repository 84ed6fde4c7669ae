"""`Base` and the decorators: how a module says what it publishes, and how that is read from it."""

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar, Final, Literal, NamedTuple, TypedDict, TypeVar, Unpack, overload

from lazymcp.content import Annotations
from lazymcp.context import Context
from lazymcp.errors import RegistrationError
from lazymcp.icons import Icon
from lazymcp.names import item_name, where
from lazymcp.signature import is_context, read_signature
from lazymcp.specs import UI, AppSpec, PromptSpec, ResourceSpec, SkillSpec, Spec, TaskMode, ToolSpec, Visibility

__all__ = ["Base", "Found", "collect", "completes", "prompt", "resource", "tool"]

F = TypeVar("F", bound=Callable[..., Any])

_MARK: Final = "__lazymcp_spec__"
_COMPLETES: Final = "__lazymcp_completes__"
_KINDS: Final[Mapping[str, type[Spec]]] = {
    "tool": ToolSpec,
    "resource": ResourceSpec,
    "prompt": PromptSpec,
    "skill": SkillSpec,
    "app": AppSpec,
}
_COMPLETED: Final = (PromptSpec, ResourceSpec)
# Decorators that keep the method they stand above in an attribute, and nothing of what was said about it.
_HIDERS: Final = {staticmethod: "__func__", classmethod: "__func__", property: "fget", cached_property: "func"}


class Base:
    """A module: a class whose methods are tools, resources and prompts.

    A method is published by a decorator, `@tool`, `@resource(uri)` or `@prompt`; or by a second method that ends in `_tool`,
    `_resource`, `_prompt`, `_skill` or `_app` and returns the spec; or by the methods `tools()`, `resources()`, `prompts()`,
    `skills()` and `apps()`, which return several. Methods that return specs may be async and may take a `Context`.

    Attributes:
        name: what its items bear in front, `admin` in `admin.user_count`. None takes it from the class: `AdminMCP` is `admin`.
            "" publishes the items bare.
    """

    name: ClassVar[str | None] = None


class ToolOptions(TypedDict, total=False):
    """What `@tool` takes; `ToolSpec` says what each means."""

    name: str
    desc: str
    title: str
    icons: Sequence[Icon]
    ui: UI | str | None
    visibility: Sequence[Visibility]
    file_params: Sequence[str]
    input_schema: Mapping[str, Any] | None
    output_schema: Mapping[str, Any] | None
    scopes: Sequence[str]
    read_only: bool | None
    destructive: bool | None
    idempotent: bool | None
    open_world: bool | None
    task: TaskMode | None
    meta: Mapping[str, Any]


class ItemOptions(TypedDict, total=False):
    """What `@prompt` takes; `PromptSpec` says what each means."""

    name: str
    desc: str
    title: str
    icons: Sequence[Icon]
    completions: Mapping[str, Callable[..., Any]]
    meta: Mapping[str, Any]


class ResourceOptions(ItemOptions, total=False):
    """What `@resource` takes besides the URI; `ResourceSpec` says what each means."""

    mime_type: str
    size: int | None
    annotations: Annotations | None
    ttl_ms: int
    cache: Literal["private", "public"]


@overload
def tool(fn: F, /) -> F: ...
@overload
def tool(**options: Unpack[ToolOptions]) -> Callable[[F], F]: ...
def tool(fn: Callable[..., Any] | None = None, /, **options: Any) -> Any:
    """Publish a method as a tool: `@tool`, or `@tool(ui="ui://admin/dashboard", read_only=True)`."""
    return _mark(ToolSpec, options) if fn is None else _mark(ToolSpec, options)(fn)


def resource(uri: str, /, **options: Unpack[ResourceOptions]) -> Callable[[F], F]:
    """Publish a method as a resource: `@resource("app://admin/users")`, or a template: `@resource("app://admin/users/{email}")`."""
    if not isinstance(uri, str):
        raise RegistrationError('@resource needs a URI: @resource("app://…")', where(uri))
    return _mark(ResourceSpec, {"uri": uri, **options})


@overload
def prompt(fn: F, /) -> F: ...
@overload
def prompt(**options: Unpack[ItemOptions]) -> Callable[[F], F]: ...
def prompt(fn: Callable[..., Any] | None = None, /, **options: Any) -> Any:
    """Publish a method as a prompt: `@prompt`, or `@prompt(title="Audit")`."""
    return _mark(PromptSpec, options) if fn is None else _mark(PromptSpec, options)(fn)


def completes(item: Callable[..., Any], argument: str, /) -> Callable[[F], F]:
    """Complete an argument of a prompt, or a variable of a resource template, by the method below.

    It stands below the method it completes, and may be repeated for several:

        @prompt
        def audit(self, email: str) -> str: ...

        @completes(audit, "email")
        async def emails(self, typed: str) -> list[str]: ...

    The method takes the text typed so far and returns the texts that would finish it, best first; at most a hundred are shown. It
    may take the other arguments of the item by name, each with a default for as long as it is not known, and a `Context`.
    """

    def mark(fn: F) -> F:
        setattr(fn, _COMPLETES, (*getattr(fn, _COMPLETES, ()), (item, argument)))
        return fn

    return mark


def _mark(kind: type[Spec], options: Mapping[str, Any]) -> Callable[[F], F]:
    def mark(fn: F) -> F:
        if not callable(fn) and not isinstance(fn, staticmethod | classmethod):
            raise RegistrationError(f"a decorator of lazymcp stands before a method, not before {fn!r}", where(fn))
        if getattr(fn, _MARK, None) is not None:
            raise RegistrationError("a method is published once; write a second method", where(fn))
        try:
            setattr(fn, _MARK, kind(**options))
        except TypeError as problem:
            raise RegistrationError(str(problem).replace("__init__() got", "got"), where(fn)) from problem
        return fn

    return mark


class Found(NamedTuple):
    """A spec as it was found in a module: the name it has when it gives itself none, and where it is written."""

    spec: Spec
    name: str
    place: str


async def collect(module: Base, ctx: Context) -> list[Found]:
    """Everything that a module publishes, in the order in which its class was written, inherited first.

    It waits for nothing unless a method of the module does.

    Raises:
        RegistrationError: a method that should return specs cannot be called, or returns something else.
    """
    found: list[Found] = []
    for name in _attributes(type(module)):
        static = inspect.getattr_static(type(module), name)
        _refuse_hidden_mark(static)
        spec = getattr(static, _MARK, None)
        suffix = name.rpartition("_")[2]
        if spec is None and hasattr(static, _COMPLETES):
            continue
        if spec is not None:
            fn = getattr(module, name)
            found.append(Found(replace(spec, **{"read" if isinstance(spec, ResourceSpec) else "fn": fn}), name, where(fn)))
        elif not inspect.isroutine(static):
            continue
        elif suffix in _KINDS and suffix != name:
            one = await _ask(getattr(module, name), ctx)
            found.append(_checked(one, suffix, item_name(name, f"_{suffix}"), getattr(module, name)))
        elif name.removesuffix("s") in _KINDS and name.endswith("s"):
            found += await _collect_many(getattr(module, name), name.removesuffix("s"), ctx)
    return _completed(found, module)


def _completed(found: list[Found], module: Base) -> list[Found]:
    """The same with what completes their arguments."""
    names = list(_attributes(type(module)))
    for name in names:
        for item, argument in getattr(inspect.getattr_static(type(module), name), _COMPLETES, ()):
            fn = getattr(module, name)
            # The method may have been overridden since, so it is found by its name, as Python does.
            own = [getattr(module, other) for other in names if any(vars(cls).get(other) is item for cls in type(module).__mro__)]
            specs = [one.spec for one in found]
            at = next((i for i, spec in enumerate(specs) if isinstance(spec, _COMPLETED) and _function_of(spec) in own), None)
            if at is None:
                what = getattr(item, "__name__", repr(item))
                raise RegistrationError(f"@completes names {what}, which is no prompt or resource of this class", where(fn))
            spec: Any = specs[at]
            found[at] = found[at]._replace(spec=replace(spec, completions={**spec.completions, argument: fn}))
    return found


def _function_of(spec: Spec) -> Any:
    return getattr(spec, "fn", None) or getattr(spec, "read", None)


def _refuse_hidden_mark(static: Any) -> None:
    """Refuse a published method under a decorator that hides it: it would be missing, and nobody told."""
    attribute = next((name for kind, name in _HIDERS.items() if isinstance(static, kind)), "")
    hidden = getattr(static, attribute, None)
    if getattr(static, _MARK, None) is not None or getattr(hidden, _MARK, None) is None:
        return
    above = f"@{type(static).__name__}"
    spec = getattr(hidden, _MARK)
    own = next(f"@{kind}" for kind, made in _KINDS.items() if isinstance(spec, made))
    is_method = isinstance(static, staticmethod | classmethod)
    advice = f"write {own} above {above}" if is_method else f"{own} publishes methods: leave {above} out"
    raise RegistrationError(f"{above} stands above {own}, which therefore publishes nothing; {advice}", where(hidden))


def _attributes(cls: type) -> Iterator[str]:
    names = [name for base in reversed(cls.__mro__) if base not in (object, Base) for name in vars(base)]
    return (name for name in dict.fromkeys(names) if not name.startswith("_"))


async def _ask(method: Callable[..., Any], ctx: Context) -> Any:
    place = where(method)
    parameters, _ = read_signature(method, place)
    given = {name: ctx for name, parameter in parameters.items() if is_context(parameter.annotation)}
    if any(parameter.default is parameter.empty and name not in given for name, parameter in parameters.items()):
        raise RegistrationError(
            f"{method.__name__} ends in the name of a kind of item, so it is asked for a spec and takes nothing but the context; "
            "rename it, or publish it with a decorator",
            place,
        )
    found = method(**given)
    return await found if inspect.isawaitable(found) else found


async def _collect_many(method: Callable[..., Any], kind: str, ctx: Context) -> list[Found]:
    specs = await _ask(method, ctx)
    try:
        items = list(specs)
    except TypeError as problem:
        raise RegistrationError(f"{method.__name__} must return a list of {_KINDS[kind].__name__}", where(method)) from problem
    return [_checked(spec, kind, "", method) for spec in items]


def _checked(spec: Any, kind: str, name: str, method: Callable[..., Any]) -> Found:
    wanted = _KINDS[kind]
    if not isinstance(spec, wanted):
        article = "an" if kind == "app" else "a"
        raise RegistrationError(
            f"{method.__name__} must return {article} {wanted.__name__}, not {type(spec).__name__}; "
            f"to publish the method itself, decorate it or rename it",
            where(method),
        )
    return Found(spec, name or getattr(_function_of(spec), "__name__", ""), where(method))
