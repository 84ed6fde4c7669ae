"""The bridge to views: how an app's page is rendered. lazyview itself stays unknown here; anything with its `render` will do."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from lazymcp.options import Renderer

__all__ = ["SupportsRender", "view_renderer"]


class SupportsRender(Protocol):
    """What is needed of a template engine; `lazyview.Views` has it."""

    def render(self, name: str, variables: Mapping[str, Any] | None = None, *, layout: str | None = None) -> str:
        """A view as HTML, inside a layout if one is named."""
        ...

    def exists(self, name: str) -> bool:
        """Whether there is such a view."""
        ...


def view_renderer(views: SupportsRender) -> Renderer:
    """What `Options.views` wants, from `lazyview.Views`. Layouts find the script of MCP Apps in the variable `widget_script`."""
    return _ViewRenderer(views)


class _ViewRenderer:
    def __init__(self, views: SupportsRender) -> None:
        self._views = views

    def __call__(self, view: str, variables: Mapping[str, Any], layout: str | None, /) -> str:
        return self._views.render(view, {"widget_script": _widget_script(), **variables}, layout=layout)

    def exists(self, view: str) -> bool:
        """Whether there is such a view, so that a missing one is found at registration."""
        return self._views.exists(view)


@cache
def _widget_script() -> str:
    return Path(__file__).with_name("widget.js").read_text(encoding="utf-8")
