"""Plans of small applications, for tests of the start and of its steps."""

from typing import Any

import lazymcp
import lazyoauth
from lazyapp.config import AppContext, Config
from lazyapp.services import Services
from lazyapp.startup import GIVEN
from lazyapp.steps.beginning import Plan
from lazymcp import tool
from lazyview import Views


class HelloMCP(lazymcp.Base):
    """Greets."""

    @tool
    def hello(self) -> str:
        """Say hello."""
        return "hello"


def plan(services: Services | None = None, **hooks: Any) -> Plan:
    declared = services or Services()
    declared.reserve(*GIVEN)
    return Plan(Config(name="shop", **hooks), declared, Views([]), "1.0")


def register(ctx: AppContext, scope: lazymcp.Scope) -> None:
    scope.register(HelloMCP())


def oauth(ctx: AppContext) -> lazyoauth.Config:
    return lazyoauth.Config(issuer=ctx.settings.public_url, refresh_token_states=lazyoauth.MemoryRefreshTokenStates())
