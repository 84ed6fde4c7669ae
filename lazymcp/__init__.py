"""lazymcp: an MCP server from plain classes.

A module is a subclass of `Base` whose methods are tools, resources and prompts; a `Scope` publishes modules over HTTP
(`Scope.asgi()`) and over standard input and output (`Scope.serve_stdio()`). Who is asking is lazyauth's business, login is
lazyoauth's, and pages are drawn by whatever `Options.views` is given.
"""

from lazymcp.base import Base, completes, prompt, resource, tool
from lazymcp.content import Annotations, Audio, Image, ResourceContent, ResourceLink, Text, ToolResult
from lazymcp.context import Context
from lazymcp.errors import Forbidden, MCPError, RegistrationError, ToolError
from lazymcp.icons import Icon
from lazymcp.options import Options, ServerInfo
from lazymcp.scope import ModuleSummary, Scope, SurfaceRow
from lazymcp.specs import (
    UI,
    AppCSP,
    AppPermissions,
    AppSpec,
    Message,
    PromptSpec,
    ResourceSpec,
    ResultMetadata,
    SkillSpec,
    ToolSpec,
    WidgetOnly,
    user_messages,
)
from lazymcp.views import view_renderer

__all__ = [
    "UI",
    "Annotations",
    "AppCSP",
    "AppPermissions",
    "AppSpec",
    "Audio",
    "Base",
    "Context",
    "Forbidden",
    "Icon",
    "Image",
    "MCPError",
    "Message",
    "ModuleSummary",
    "Options",
    "PromptSpec",
    "RegistrationError",
    "ResourceContent",
    "ResourceLink",
    "ResourceSpec",
    "ResultMetadata",
    "Scope",
    "ServerInfo",
    "SkillSpec",
    "SurfaceRow",
    "Text",
    "ToolError",
    "ToolResult",
    "ToolSpec",
    "WidgetOnly",
    "completes",
    "prompt",
    "resource",
    "tool",
    "user_messages",
    "view_renderer",
]
