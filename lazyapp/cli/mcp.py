"""`lazyapp mcp …`."""

from lazyapp.cli.group import Lazy, LazyGroup, make


class Commands(LazyGroup):
    """The commands of `lazyapp mcp`."""

    commands_by_name = {  # noqa: RUF012  # declared a ClassVar by the base
        "stdio": Lazy("lazyapp.cli.mcp_stdio", "Serve the MCP modules to one local client over stdin and stdout."),
    }


command = make(Commands, help="Serve this application's MCP modules without the web; `lazyapp routes` lists them.")


@command.callback()
def _mcp() -> None:
    pass
