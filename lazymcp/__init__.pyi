"""lazymcp: an MCP server from plain classes."""

from lazymcp.base import Base, completes, prompt, resource, tool
from lazymcp.bus import Bus, BusUnavailable, MemoryBus
from lazymcp.client_features import roots, sampling
from lazymcp.content import Annotations, Audio, Image, ResourceContent, ResourceLink, Text, ToolResult
from lazymcp.context import Context
from lazymcp.elicitation import form, visit
from lazymcp.errors import Declined, Forbidden, MCPError, MissingCapability, RegistrationError, ToolError
from lazymcp.form_schema import Titles
from lazymcp.icons import Icon
from lazymcp.options import Options, ServerInfo, TaskLimits
from lazymcp.param_headers import ParamHeader
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
from lazymcp.sql import PostgresBus
from lazymcp.surroundings import Surroundings
from lazymcp.task_sql import SQLTasks
from lazymcp.task_store import MemoryTasks, TaskRecord, TaskStore
from lazymcp.views import view_renderer

__all__ = [
    "UI",
    "Annotations",
    "AppCSP",
    "AppPermissions",
    "AppSpec",
    "Audio",
    "Base",
    "Bus",
    "BusUnavailable",
    "Context",
    "Declined",
    "Forbidden",
    "Icon",
    "Image",
    "MCPError",
    "MemoryBus",
    "MemoryTasks",
    "Message",
    "MissingCapability",
    "ModuleSummary",
    "Options",
    "ParamHeader",
    "PostgresBus",
    "PromptSpec",
    "RegistrationError",
    "ResourceContent",
    "ResourceLink",
    "ResourceSpec",
    "ResultMetadata",
    "SQLTasks",
    "Scope",
    "ServerInfo",
    "SkillSpec",
    "SurfaceRow",
    "Surroundings",
    "TaskLimits",
    "TaskRecord",
    "TaskStore",
    "Text",
    "Titles",
    "ToolError",
    "ToolResult",
    "ToolSpec",
    "WidgetOnly",
    "completes",
    "form",
    "prompt",
    "resource",
    "roots",
    "sampling",
    "tool",
    "user_messages",
    "view_renderer",
    "visit",
]
