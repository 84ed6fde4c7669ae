"""Tools, resources and the rest for the administrator's AI client. The module is called `admin`, after its class."""

from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, Field

import lazyauth
import lazymcp
from app.services.accounts import AccountNotFound, Accounts
from lazymcp import AppCSP, AppPermissions, AppSpec, Context, SkillSpec, ToolSpec, WidgetOnly, completes, prompt, resource, tool


class Row(BaseModel):
    """One user, as clients see it."""

    email: str
    active: bool


class UserCount(BaseModel):
    """How many users there are, and, for the dashboard, which."""

    count: int = Field(description="How many users matched.")
    rows: Annotated[list[Row], WidgetOnly] = []  # goes to the page, never to the model


class UserCountParams(BaseModel):
    """The arguments of user_report."""

    active: bool | None = Field(None, description="Only active, or only inactive, users.")


class AdminMCP(lazymcp.Base):
    """What an administrator may ask."""

    def __init__(self, accounts: Accounts) -> None:
        self.accounts = accounts

    @tool(ui="ui://admin/dashboard", read_only=True)
    async def user_count(self, active: bool | None = None) -> UserCount:
        """Count users: all of them, or only the active or the inactive ones.

        Args:
            active: Only active, or only inactive, users.
        """
        lazyauth.require_user()
        found = await self.accounts.search(active=active)
        return UserCount(count=len(found), rows=[Row(email=a.email, active=a.active) for a in found])

    def user_report_tool(self) -> ToolSpec:
        """The other spelling: a method whose name ends in `_tool` returns the whole description."""
        return ToolSpec(desc="Report on users: the same count, with progress on the way.", fn=self.user_report, read_only=True)

    async def user_report(self, params: UserCountParams, ctx: Context) -> UserCount:
        await ctx.progress(1, 2)
        return await self.user_count(params.active)

    @resource("app://admin/users", mime_type="application/json")
    async def users(self) -> list[Row]:
        """Current users."""
        return [Row(email=a.email, active=a.active) for a in await self.accounts.search()]

    @resource("app://admin/users/{email}")
    async def user(self, email: str) -> Row | None:
        """One user."""
        try:
            account = await self.accounts.get(email)
        except (ValueError, AccountNotFound):
            return None
        return Row(email=account.email, active=account.active)

    @completes(user, "email")
    async def emails(self, typed: str) -> list[str]:
        """What a client offers while somebody types the address of one user."""
        begun = typed.strip().lower()
        return [a.email for a in await self.accounts.search() if a.email.startswith(begun)]

    @prompt
    def audit(self, since: str = "yesterday") -> str:
        """Ask for an audit summary.

        Args:
            since: From when on: yesterday, Monday, 1 November.
        """
        return f"Summarise the admin audit events since {since}."

    def oncall_skill(self) -> SkillSpec:
        """The folder oncall/ beside this file."""
        return SkillSpec(path=Path(__file__).parent / "oncall")

    def dashboard_app(self) -> AppSpec:
        """A page inside the client: app/views/mcp/admin/dashboard.html.j2."""
        return AppSpec(
            name="dashboard",
            desc="Admin dashboard.",
            view="dashboard",
            use_layout=True,
            domain="https://mcp.example.com",
            csp=AppCSP(connect_domains=["https://api.example.com"], resource_domains=["https://static.example.com"]),
            permissions=AppPermissions(tools=["admin.user_count"]),
        )
