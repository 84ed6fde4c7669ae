"""What runs before an action: methods of its controller that may answer in its place."""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, overload

_BEFORE = "before_action"
T = TypeVar("T", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class _Reach:
    """The actions that a method runs before; of the two at most one is given."""

    only: tuple[str, ...] | None = None
    except_for: tuple[str, ...] = ()

    def covers(self, action: str) -> bool:
        return action in self.only if self.only is not None else action not in self.except_for


@overload
def before_action(method: T, /) -> T: ...
@overload
def before_action(*, only: Sequence[str]) -> Callable[[T], T]: ...
@overload
def before_action(*, except_for: Sequence[str]) -> Callable[[T], T]: ...
def before_action(
    method: T | None = None, /, *, only: Sequence[str] | None = None, except_for: Sequence[str] = ()
) -> T | Callable[[T], T]:
    """Run a method before the actions of its controller and of those that inherit from it.

    It takes what an action may take: FastAPI's parameters, which the route must then have for each of these actions, and services.
    Returning None lets the action run; a `Response` is the answer in its place. A base class's methods run first, the others in the
    order in which they are written. It is no action itself, and may be async or not.

    Args:
        method: the method, when it stands without brackets.
        only: the names of the actions it runs before; left out: all.
        except_for: the names of those that it leaves alone.
    """
    reach = _Reach(None if only is None else _names(only), _names(except_for))

    def marked(function: T) -> T:
        setattr(function, _BEFORE, reach)
        return function

    return marked if method is None else marked(method)


def is_before(method: object) -> bool:
    """Whether a method runs before actions, and so is none."""
    return hasattr(method, _BEFORE)


def steps_before(controller: type[Any], action: str) -> list[Callable[..., Any]]:
    """What runs before an action, in order; a method that a subclass overrides runs once, in its first place."""
    names: dict[str, None] = {}
    for kind in reversed(controller.__mro__):
        names |= dict.fromkeys(name for name, value in vars(kind).items() if is_before(value))
    found = [getattr(controller, name) for name in names]
    return [method for method in found if is_before(method) and getattr(method, _BEFORE).covers(action)]


def unknown_names(controller: type[Any], actions: Sequence[str]) -> list[tuple[Callable[..., Any], str]]:
    """The names in `only` and `except_for` that are no action of the controller, each with the method that names it."""
    wrong = []
    for name, method in inspect.getmembers(controller, is_before):
        if name not in vars(controller):
            continue  # a base class may name actions that only some of its subclasses have
        reach: _Reach = getattr(method, _BEFORE)
        wrong += [(method, each) for each in (*(reach.only or ()), *reach.except_for) if each not in actions]
    return wrong


def _names(given: Sequence[str]) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)
