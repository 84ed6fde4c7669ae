"""The module of the design's example, over three accounts in memory."""

from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, Field

import lazyauth
from lazymcp import (
    AppCSP,
    AppPermissions,
    AppSpec,
    Base,
    Context,
    PromptSpec,
    ResourceContent,
    ResourceSpec,
    SkillSpec,
    ToolSpec,
    WidgetOnly,
    prompt,
    resource,
    tool,
    user_messages,
)


class Row(BaseModel):
    email: str
    active: bool


class UserCount(BaseModel):
    count: int = Field(description="How many users matched.")
    rows: Annotated[list[Row], WidgetOnly] = []


class UserCountParams(BaseModel):
    active: bool | None = Field(None, description="Only active, or only inactive, users.")


ACCOUNTS = [
    Row(email="ada@example.com", active=True),
    Row(email="bob@example.com", active=False),
    Row(email="é@example.com", active=True),
]


class AdminMCP(Base):
    @tool(ui="ui://admin/dashboard", read_only=True)
    async def user_count(self, active: bool | None = None) -> UserCount:
        """Count users.

        Args:
            active: Only active, or only inactive, users.
        """
        found = [row for row in ACCOUNTS if active is None or row.active is active]
        return UserCount(count=len(found), rows=found)

    def user_report_tool(self) -> ToolSpec:
        return ToolSpec(desc="Report on users.", fn=self.user_report)

    async def user_report(self, params: UserCountParams, ctx: Context) -> UserCount:
        await ctx.progress(1, 2)
        return await self.user_count(params.active)

    @tool
    def whoami(self) -> str:
        """Who is asking."""
        return lazyauth.require_user().id

    @resource("app://admin/users", mime_type="application/json")
    async def users(self) -> list[Row]:
        """Current users."""
        return ACCOUNTS

    @resource("app://admin/users/{email}")
    async def user(self, email: str) -> Row | None:
        """One user."""
        return next((row for row in ACCOUNTS if row.email == email), None)

    def summary_resource(self) -> ResourceSpec:
        return ResourceSpec(desc="A summary.", mime_type="application/json", read=lambda: ResourceContent(text='{"count":3}'))

    @prompt
    def audit(self, since: str = "yesterday") -> str:
        """Ask for an audit summary."""
        return f"Summarise the admin audit events since {since}."

    def greeting_prompt(self) -> PromptSpec:
        return PromptSpec(desc="Say hello.", messages=user_messages("Hello.", "How are you?"))

    def oncall_skill(self) -> SkillSpec:
        return SkillSpec(path=Path(__file__).parent / "skills" / "oncall")

    def dashboard_app(self) -> AppSpec:
        return AppSpec(
            desc="Admin dashboard.",
            html="<!doctype html><title>Dashboard</title>",
            domain="https://mcp.example.com",
            csp=AppCSP(connect_domains=["https://api.example.com"], resource_domains=["https://static.example.com"]),
            permissions=AppPermissions(tools=["admin.user_count"]),
        )
