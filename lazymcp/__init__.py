"""lazymcp: an MCP server from plain classes.

A module is a subclass of `Base` whose methods are tools, resources and prompts; a `Scope` publishes modules over HTTP
(`Scope.asgi()`) and over standard input and output (`Scope.serve_stdio()`). Who is asking is lazyauth's business, login is
lazyoauth's, and pages are drawn by whatever `Options.views` is given.

What needs SQLAlchemy, and what asks the user, is imported when it is first used; `__init__.pyi` tells type checkers the same list.
"""

from lazyauth.lazy_names import imported_when_used as _imported_when_used
from lazymcp.base import Base, completes, prompt, resource, tool
from lazymcp.bus import Bus, BusUnavailable, MemoryBus
from lazymcp.content import Annotations, Audio, Image, ResourceContent, ResourceLink, Text, ToolResult
from lazymcp.context import Context
from lazymcp.errors import Declined, Forbidden, MCPError, MissingCapability, RegistrationError, ToolError
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
from lazymcp.surroundings import Surroundings
from lazymcp.task_store import MemoryTasks, TaskRecord, TaskStore
from lazymcp.views import view_renderer

_HOMES = {
    "PostgresBus": "sql",
    "SQLTasks": "task_sql",
    "Titles": "form_schema",
    "form": "elicitation",
    "roots": "client_features",
    "sampling": "client_features",
    "visit": "elicitation",
}

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

__getattr__ = _imported_when_used(__name__, _HOMES)
