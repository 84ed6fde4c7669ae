"""Complete pages for an application that brings none: this package's views within its own layout."""

from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from lazyoauth.config import TEMPLATES, Render
from lazyoauth.http import Handler
from lazyoauth.issuer import Issuer

STYLESHEET = TEMPLATES / "oauth" / "style.css"


def standalone() -> Render:
    """What `Config.render` is when it is None."""
    # Jinja is wanted by such an application only.
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined, trim_blocks=True)

    def render(view: str, variables: Mapping[str, Any]) -> str:
        content = environment.get_template(f"{view}.html.j2").render(variables)
        # Markup: it was escaped while it was rendered.
        return environment.get_template("oauth/layout.html.j2").render(variables, content=Markup(content))  # noqa: S704

    return render


def stylesheet(text: str) -> Handler:
    """A handler for the stylesheet of those pages."""

    async def handler(_issuer: Issuer, _request: Request) -> Response:
        return Response(text, media_type="text/css", headers={"Cache-Control": "public, max-age=3600"})

    return handler
