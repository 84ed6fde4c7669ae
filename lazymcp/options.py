"""What a scope can be told. Whoever composes the application fills it; nothing below reads the environment."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from lazyauth import Claims
from lazymcp.bus import Bus
from lazymcp.icons import Icon, icons_of
from lazymcp.surroundings import Surround
from lazymcp.task_store import TaskStore

__all__ = ["Authorizer", "Options", "Renderer", "ServerInfo", "TaskLimits"]

Authorizer = Callable[[Claims | None, str], bool | Awaitable[bool]]


class Renderer(Protocol):
    """Turns a view's name, variables and layout into HTML. `view_renderer` makes one from `lazyview.Views`."""

    def __call__(self, view: str, variables: Mapping[str, Any], layout: str | None, /) -> str:
        """The rendered view, e.g. `mcp/admin/dashboard`."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerInfo:
    """How the server presents itself. MCP 2026-07-28, `Implementation`."""

    name: str = "lazymcp"
    version: str = "0"
    title: str = ""
    description: str = ""
    website_url: str = ""
    icons: Sequence[Icon] = ()

    def to_dict(self) -> dict[str, Any]:
        """The wire form."""
        wire: dict[str, Any] = {"name": self.name, "version": self.version, "title": self.title, "description": self.description}
        wire |= {"websiteUrl": self.website_url, "icons": icons_of(self.icons)}
        return {key: value for key, value in wire.items() if value or key in {"name", "version"}}


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskLimits:
    """How much may run as a task, and how long what is kept.

    The size of a result has no limit of its own: it is what the tool makes it, in a task as in any other answer.

    Attributes:
        running: tasks that run in one process at a time; a call above that is told to try again later.
        per_caller: how many of them may be one signed-in caller's.
        ttl_s: how long a task is kept after the last sign of life of whoever runs it; also how long it waits for an answer.
        lease_s: a process that has not been heard of for so long has lost its tasks to the others. Longer than it can ever be
            held up by a tool that blocks the event loop.
        poll_interval_ms: how often clients are asked to look.
    """

    running: int = 1000
    per_caller: int = 100
    ttl_s: float = 3600.0
    lease_s: float = 30.0
    poll_interval_ms: int = 1000


@dataclass(frozen=True, kw_only=True)
class Options:
    """Everything a scope can be told.

    Attributes:
        views: renders the views of apps.
        authorizer: decides whether a caller may see a module (its items are hidden otherwise). By default the token's `mcps`
            claim decides, and without a token everything is open.
        secret: signs the session ids of older clients, and seals what newer ones carry while a function asks (`requestState`);
            every process of a server needs the same one. None: a random one, which ends all these when the process ends.
        secret_fallbacks: earlier secrets, while `secret` is being replaced: what they signed is still accepted.
        page_size: entries of one page of a list; 0 gives each list in one page.
        server_info: a `ServerInfo`, or a mapping as MCP writes `Implementation`. None: nobody said, and the server is "lazymcp".
        instructions: advice for the model on how to use this server.
        allowed_hosts: names in the Host header that are served: `"example.com"` (any port), `"example.com:8443"`,
            `"*.example.com"`, or `"*"` for all. None: loopback names only.
        allowed_origins: origins of browser pages that may call, such as `"https://claude.ai"`; `"*"` for all. Besides, pages of
            `endpoint` and of the host itself may call, and pages of this machine when the server is asked under a loopback name.
        endpoint: the public URL, for `ctx.endpoint`.
        max_body_bytes: a larger request body is refused with 413.
        build: makes the module instances of `Scope.discover`; by default the class is called without arguments.
        tool_names: how names show in lists: `"dotted"` (admin.user_count), `"underscored"` (admin_user_count), or `"auto"`:
            underscored for clients known to refuse dots. Calls accept both always.
        resource_metadata: URL of the RFC 9728 document, named in the 403 challenge.
        bus: carries news between the processes of a server; `PostgresBus` joins those that share a database. None: one
            process.
        question_timeout_s: how long a tool waits for the answer of an older client, such as a form that a person fills in.
        tasks: keeps the tasks of tools that are declared with `task=`; `SQLTasks` for several processes, or to
            survive a restart. None: in the memory of this process.
        task_limits: how many tasks may run, and how long they are kept.
        surround: asked for each function that is registered what stands around its calls, such as values for parameters that
            are no arguments: see `Surroundings`.
    """

    views: Renderer | None = None
    authorizer: Authorizer | None = None
    secret: str | None = None
    secret_fallbacks: tuple[str, ...] = ()
    page_size: int = 0
    server_info: ServerInfo | Mapping[str, Any] | None = None
    instructions: str | None = None
    allowed_hosts: tuple[str, ...] | None = None
    allowed_origins: tuple[str, ...] = ()
    endpoint: str | None = None
    max_body_bytes: int = 4 * 1024 * 1024
    build: Callable[[type[Any]], Any] | None = None
    tool_names: Literal["auto", "dotted", "underscored"] = "auto"
    resource_metadata: str | None = None
    bus: Bus | None = None
    question_timeout_s: float = 300.0
    tasks: TaskStore | None = None
    task_limits: TaskLimits = TaskLimits()
    surround: Surround | None = None
