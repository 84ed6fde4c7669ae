"""What kind of application is wanted."""

from enum import Enum


class Shape(Enum):
    """What a new application has; the value says it in words. People sign in to its pages in every shape."""

    WHOLE = "pages, MCP and a login for both"
    OPEN = "pages with a login, and MCP without"
    PAGES = "pages and their login"

    @classmethod
    def of(cls, *, mcp: bool, oauth: bool) -> "Shape":
        """The shape with these parts. Without MCP there is nothing that a token would open, so no OAuth either."""
        if not mcp:
            return cls.PAGES
        return cls.WHOLE if oauth else cls.OPEN

    @property
    def mcp(self) -> bool:
        """Whether it has modules for AI clients, and `/mcp`."""
        return self is not Shape.PAGES

    @property
    def oauth(self) -> bool:
        """Whether it is an authorization server, where AI clients sign in with the application's own users."""
        return self is Shape.WHOLE
