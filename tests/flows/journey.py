"""What every client must get to see once its user is logged in, told in one shape whatever the client is written in."""

import json
from dataclasses import dataclass
from typing import Any

TOOL, PROMPT = "admin.user_count", "admin.audit"
DASHBOARD, USERS = "ui://admin/dashboard", "app://admin/users"
SKILL_INDEX, SKILL = "skill://index.json", "skill://admin/oncall/SKILL.md"


@dataclass(frozen=True)
class Journey:
    """One client's answers, as the JSON of the protocol."""

    tools: list[dict[str, Any]]
    called: dict[str, Any]
    dashboard: dict[str, Any]
    users: dict[str, Any]
    prompt: dict[str, Any]
    skill_index: dict[str, Any]
    skill: dict[str, Any]

    def check(self) -> None:
        """The promises "Export resources and prompts", "Export skills", "Export MCP Apps"."""
        (tool,) = (tool for tool in self.tools if tool["name"] == TOOL)
        assert tool["description"]
        assert tool["outputSchema"]["properties"].keys() == {"count"}, "widget-only fields stay out of the schema"
        assert tool["_meta"]["ui"]["resourceUri"] == DASHBOARD

        assert not self.called.get("isError")
        count = self.called["structuredContent"]["count"]
        assert isinstance(count, int)
        assert json.loads(self.called["content"][0]["text"])["count"] == count, "text-only clients get an answer too"
        assert len(self.called["_meta"]["rows"]) == count, "what only the widget sees travels in _meta"

        (page,) = self.dashboard["contents"]
        assert page["mimeType"] == "text/html;profile=mcp-app"
        assert page["text"].lstrip().lower().startswith("<!doctype html>")
        assert page["_meta"]["ui"]["csp"]["connectDomains"] == ["https://api.example.com"]
        assert page["_meta"]["ui"]["domain"] == "https://mcp.example.com"

        (users,) = self.users["contents"]
        assert users["mimeType"] == "application/json"
        assert isinstance(json.loads(users["text"]), list)

        assert self.prompt["messages"][0]["role"] == "user"
        assert "since monday" in self.prompt["messages"][0]["content"]["text"]

        (index,) = self.skill_index["contents"]
        assert SKILL in index["text"]
        (skill,) = self.skill["contents"]
        assert skill["text"].startswith("---")
