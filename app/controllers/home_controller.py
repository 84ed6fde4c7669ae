"""The home page."""

from typing import Any

from lazyapp import Controller


class HomeController(Controller):
    """What is running here, and where to change it."""

    async def index(self) -> dict[str, Any]:
        """Renders app/views/home/index.html.j2."""
        app = self.request.app
        return {"name": app.title.removesuffix(".com"), "offers": app.mcp.surface() if app.mcp else []}
