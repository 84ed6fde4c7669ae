"""`Views`: names and variables in, text out."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from markupsafe import Markup

from lazyview.engine import Engine, escapes
from lazyview.helpers import VARIANTS, Helpers, bind, partial
from lazyview.lookup import Lookup

TEMPLATES = Path(__file__).parent / "templates"


class Views:
    """The templates of an application, over those of the framework.

    Safe to share between threads: nothing changes after construction but the templates that have been compiled so far; and
    `around`, which whoever owns the views sets before it renders.

    Args:
        roots: folders, the application's first; the first that has a file wins. lazyview's own are always the last.
        helpers: functions for all templates, by the names they have there (see `lazyview.helpers`).
        reload: look at the files again at each render, as development wants it; otherwise they are read once.

    Attributes:
        around: given the name of a view, a context in which it is rendered, to watch it; None: nobody does.

    Raises:
        ViewError: a root is no folder, or a helper cannot be called from a template.
    """

    def __init__(self, roots: Sequence[Path], *, helpers: Helpers | None = None, reload: bool = False) -> None:
        self.around: Callable[[str], AbstractContextManager[object]] | None = None
        self._helpers = dict(helpers or {})
        self._reload = reload
        self._files = Lookup([*roots, TEMPLATES], reload=reload)
        self._engine = Engine(self._files, reload=reload)
        self._engine.install(bind({"partial": partial, **self._helpers}, self))

    def render(
        self,
        name: str,
        variables: Mapping[str, Any] | None = None,
        *,
        layout: str | None = None,
        format: str = "html",  # noqa: A002
        variants: Sequence[str] = (),
    ) -> str:
        """The text of the view `<name>.<format>.j2`.

        Args:
            name: as in `accounts/index`.
            variables: what the view may use. A name that is neither here nor a helper is an error.
            layout: `app` puts the text, as variable `content`, into `layouts/app.<format>.j2`. The layout sees the view's variables
                and whatever the view set at its top level, so `{% set title = "Accounts" %}` in the view is the layout's `title`.
            variants: what to prefer if it exists: with `["phone"]`, `<name>.<format>+phone.j2`. Holds for layout and partials too.

        Raises:
            ViewNotFound: no root has the view or the layout; there is no fallback.
            TemplateError: a template does not compile, or uses a name that is not defined.
        """
        given = {**(variables or {}), **({VARIANTS: tuple(variants)} if variants else {})}
        if self.around is None:
            return self._render(name, given, layout, format, variants)
        with self.around(name):
            return self._render(name, given, layout, format, variants)

    def _render(self, name: str, given: Mapping[str, Any], layout: str | None, format: str, variants: Sequence[str]) -> str:  # noqa: A002
        file = self._files.find(name, format, variants)
        if layout is None:
            return self._engine.render(file, given)[0]
        frame = self._files.find(f"layouts/{layout}", format, variants)
        text, exported = self._engine.render(file, given)
        content = Markup(text) if escapes(file) else text  # noqa: S704 (a template's own output)
        return self._engine.render(frame, {**given, **exported, "content": content})[0]

    def render_block(
        self,
        name: str,
        block: str,
        variables: Mapping[str, Any] | None = None,
        *,
        format: str = "html",  # noqa: A002
        variants: Sequence[str] = (),
    ) -> str:
        """The text of `{% block <block> %}` of a view alone: a fragment for Turbo or htmx.

        What the view does outside the block does not happen, and `super()` has nothing to refer to.

        Raises:
            ViewError: the view has no such block. Otherwise as `render`.
        """
        given = {**(variables or {}), **({VARIANTS: tuple(variants)} if variants else {})}
        return self._engine.render_block(self._files.find(name, format, variants), block, given)

    def exists(self, name: str, *, format: str = "html") -> bool:  # noqa: A002
        """Whether a root has the view."""
        return self._files.has(name, format)

    def compile(self, roots: Iterable[Path] | None = None) -> int:
        """Compile every template of every root, hidden ones too, and find all that they extend, include or import by name.

        Args:
            roots: only what lies in these.

        Returns:
            How many there are.

        Raises:
            TemplateError: one does not compile; file and line are named.
            ViewNotFound: one names another that is in no root.
        """
        within = None if roots is None else [Path(root).absolute() for root in roots]
        every = [(file, path) for file, path in self._files.every() if within is None or any(map(path.is_relative_to, within))]
        for file, path in every:
            self._engine.check(file, path)
        return len(every)

    def with_helpers(self, helpers: Helpers) -> "Views":
        """The same views with further helpers; one of the same name replaces the former."""
        views = Views(self._files.roots[:-1], helpers={**self._helpers, **helpers}, reload=self._reload)
        views.around = self.around
        return views
