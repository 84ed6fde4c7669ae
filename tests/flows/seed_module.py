"""A module with one of everything, spelled with specs: specs by suffix, aggregate methods, `mcp_result_meta`."""

from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field

import lazyauth
import lazymcp
from lazymcp import (
    UI,
    AppCSP,
    AppPermissions,
    AppSpec,
    Context,
    PromptSpec,
    ResourceContent,
    ResourceSpec,
    SkillSpec,
    ToolSpec,
    user_messages,
)


class UserCountParams(BaseModel):
    active: bool = Field(False, description="Only active users.")


class UserCountResult(BaseModel):
    count: int


class DashboardResult(BaseModel):
    count: int
    rows: list[str] = Field(default=[], exclude=True)

    def mcp_result_meta(self) -> dict[str, Any]:
        return {"rows": self.rows}


class AdminMCP(lazymcp.Base):
    def __init__(self, skill: Path) -> None:
        self.skill = skill

    def user_count_tool(self) -> ToolSpec:
        return ToolSpec(desc="Count users.", fn=self.user_count, ui=UI("ui://admin/dashboard"))

    async def user_count(self, params: UserCountParams) -> UserCountResult:
        lazyauth.require_user()
        return UserCountResult(count=2 if params.active else 3)

    def users_resource(self) -> ResourceSpec:
        return ResourceSpec(
            name="users", uri="app://admin/users", desc="Current user summary.", mime_type="application/json", read=self.read_users
        )

    async def read_users(self) -> ResourceContent:
        return ResourceContent(text='{"count":3}', mime_type="application/json")

    def audit_prompt(self) -> PromptSpec:
        return PromptSpec(desc="Ask for an audit summary.", messages=user_messages("Summarize the latest admin audit events."))

    def oncall_skill(self) -> SkillSpec:
        return SkillSpec(path=self.skill)

    def dashboard_app(self) -> AppSpec:
        return AppSpec(
            name="dashboard",
            desc="Admin dashboard.",
            view="dashboard",
            use_layout=True,
            domain="https://mcp.example.com",
            csp=AppCSP(connect_domains=["https://api.example.com"], resource_domains=["https://static.example.com"]),
            permissions=AppPermissions(tools=["admin.user_count"]),
        )

    def tools(self) -> list[ToolSpec]:
        anything = {"type": "object", "properties": {"anything": {"type": "string"}}}
        return [
            ToolSpec(name="dashboard_rows", desc="Rows for the dashboard.", fn=self.dashboard_rows),
            ToolSpec(name="dynamic", desc="A shape that no type tells.", fn=self.dynamic, output_schema=anything),
            ToolSpec(name="transport", desc="How this is reached.", fn=self.transport),
            ToolSpec(name="purge", desc="Needs its own scope.", fn=self.purge),
        ]

    async def dashboard_rows(self) -> DashboardResult:
        return DashboardResult(count=2, rows=["ada", "grace"])

    async def dynamic(self) -> Any:
        return {"anything": "goes"}

    async def transport(self, ctx: Context) -> str:
        return f"{ctx.transport} {ctx.endpoint}"

    async def purge(self) -> str:
        claims = lazyauth.current_claims()
        if claims is None or not claims.has_scope("mcp:admin"):
            raise lazymcp.ToolError("you may not purge")
        return "purged"

    def resources(self) -> list[ResourceSpec]:
        return [ResourceSpec(name="about", uri="app://admin/about", desc="About.", read=lambda: "about")]

    def prompts(self) -> list[PromptSpec]:
        return [PromptSpec(name="greet", desc="Greet somebody.", fn=self.greet)]

    def greet(self, who: str) -> str:
        return f"Greet {who}."

    def apps(self) -> list[AppSpec]:
        page = "<!doctype html><title>Static</title>"
        return [AppSpec(name="static", desc="A static page.", html=page, csp=AppCSP())]

    async def skills(self) -> list[SkillSpec]:
        return []
