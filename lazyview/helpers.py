"""Functions that templates may call.

A helper is a plain function. One whose first parameter is annotated `RenderContext` receives the render in progress there, and the
template calls it without: `def path_here(context: RenderContext, anchor: str) -> str` is written `{{ path_here("top") }}`.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, get_type_hints

import jinja2
from jinja2.runtime import Context
from markupsafe import Markup

from lazyview import lookup
from lazyview.errors import ViewError

Helpers = Mapping[str, Callable[..., Any]]

VARIANTS = "_variants"  # the variable in which a render tells its partials which variants it prefers


class SupportsRender(Protocol):
    """What a helper needs of `Views`: to render another view."""

    def render(
        self,
        name: str,
        variables: Mapping[str, Any] | None = None,
        *,
        layout: str | None = None,
        format: str = "html",  # noqa: A002
        variants: Sequence[str] = (),
    ) -> str: ...


@dataclass(frozen=True, slots=True)
class RenderContext:
    """The render that calls a helper.

    Attributes:
        views: renders further views.
        name: the view, as in `accounts/index`; for a partial or a layout, its own.
        format: as in `html`.
    """

    views: SupportsRender
    name: str
    format: str
    _context: Context

    @property
    def variables(self) -> dict[str, Any]:
        """What the view was given, and what it has set since, in a dictionary of your own; helpers are not among them."""
        shared = self._context.environment.globals
        return {name: value for name, value in self._context.get_all().items() if shared.get(name, VARIANTS) is not value}

    def get(self, name: str, default: Any = None) -> Any:
        """One variable, or a helper, as the template sees it; the default when there is none."""
        return self._context.get(name, default)

    @property
    def variants(self) -> tuple[str, ...]:
        """The variants that were asked for."""
        return tuple(self._context.get(VARIANTS, ()))


def partial(context: RenderContext, name: str, /, **variables: Any) -> Markup:
    """Render a piece of a page: `partial("accounts/row", account=account)` is the file `accounts/_row.html.j2`.

    A name without a folder lies beside the template that calls. The piece sees the variables of the render that calls it, and those
    given here; what exists only inside a loop or a block has to be given.
    """
    folder, slash, last = (name if "/" in name else context.name.rpartition("/")[0] + f"/{name}").lstrip("/").rpartition("/")
    everything = {**context.variables, **variables}
    text = context.views.render(f"{folder}{slash}_{last}", everything, format=context.format, variants=context.variants)
    return Markup(text)  # noqa: S704 (a template's own output)


def bind(helpers: Helpers, views: SupportsRender) -> dict[str, Callable[..., Any]]:
    """The helpers as Jinja calls them.

    Raises:
        ViewError: a helper's name cannot be written in a template, or it is nothing to be called.
    """
    return {name: _bind(name, helper, views) for name, helper in helpers.items()}


def _bind(name: str, helper: Callable[..., Any], views: SupportsRender) -> Callable[..., Any]:
    if not name.isidentifier() or not callable(helper):
        raise ViewError(f"the helper {name!r} must be a function with a name that a template can call, not {helper!r}")
    if not _wants_context(helper):
        return helper

    @jinja2.pass_context
    def bound(context: Context, *args: Any, **kwargs: Any) -> Any:
        return helper(RenderContext(views, *lookup.split(context.name or ""), context), *args, **kwargs)

    return bound


def _wants_context(helper: Callable[..., Any]) -> bool:
    try:
        first = next(iter(inspect.signature(helper).parameters), None)
        target = helper if inspect.isroutine(helper) else helper.__call__  # type: ignore[operator]
        return first is not None and get_type_hints(target).get(first) is RenderContext
    except (ValueError, TypeError, NameError):  # builtins have no signature; an annotation may name what is not importable here
        return False
