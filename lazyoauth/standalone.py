"""This package's own pages, for an application that has no templates: Jinja, one layout, one stylesheet."""

from collections.abc import Mapping
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from lazyoauth.config import TEMPLATES

STYLESHEET = TEMPLATES / "oauth" / "style.css"

_environment = Environment(
    loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
)


def render(view: str, variables: Mapping[str, Any]) -> str:
    """A complete page: the view within the layout."""
    content = _environment.get_template(f"{view}.html.j2").render(variables)
    # Markup: it was escaped while it was rendered.
    return _environment.get_template("oauth/layout.html.j2").render(variables, content=Markup(content))  # noqa: S704
