"""The home page."""

from typing import Any

from lazyapp import Controller


class HomeController(Controller):
    """What is running here, and where to change it."""

    async def index(self) -> dict[str, Any]:
        """Renders app/views/home/index.html.j2."""
        app = self.request.app
        # For the developer's eyes: who may know of a tool is otherwise the authorizer's decision.
        is_shown = self.settings.env != "production"
        offers = app.mcp.surface() if app.mcp and is_shown else []
        return {"name": app.config.client_name, "offers": offers, "is_shown": is_shown}
