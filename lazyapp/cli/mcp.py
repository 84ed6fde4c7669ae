"""`lazyapp mcp …`."""

from lazyapp.cli.commands import Lazy
from lazyapp.cli.group import LazyGroup, make


class Commands(LazyGroup):
    """The commands of `lazyapp mcp`."""

    commands_by_name = {  # noqa: RUF012  # declared a ClassVar by the base
        "list": Lazy("lazyapp.cli.mcp_list", "List what the MCP modules offer; as a chosen user what that user sees."),
        "call": Lazy("lazyapp.cli.mcp_call", "Call a tool, as a chosen user if you like."),
        "read": Lazy("lazyapp.cli.mcp_read", "Read a resource, a page of an app, or a file of a skill."),
        "prompt": Lazy("lazyapp.cli.mcp_prompt", "Ask for a prompt with its arguments."),
        "lint": Lazy("lazyapp.cli.mcp_lint", "Judge names, descriptions, schemas and sizes as models and clients see them."),
        "connect": Lazy("lazyapp.cli.mcp_connect", "Tell an AI client of this application: its command, or its file."),
        "stdio": Lazy("lazyapp.cli.mcp_stdio", "Serve the MCP modules to one local client over stdin and stdout."),
    }


command = make(
    Commands,
    help="""Look at this application's MCP modules, use them without the web, connect clients to them.

    \b
    Examples:
      lazyapp mcp list
      lazyapp mcp call admin.user_count active=true
    """,
)


@command.callback()
def _mcp() -> None:
    pass
