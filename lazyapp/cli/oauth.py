"""`lazyapp oauth …`."""

from lazyapp.cli.group import Lazy, LazyGroup, make


class Commands(LazyGroup):
    """The commands of `lazyapp oauth`."""

    commands_by_name = {  # noqa: RUF012  # declared a ClassVar by the base
        "doctor": Lazy("lazyapp.cli.oauth_doctor", "Play an MCP client against a URL and name what would stop it."),
    }


command = make(Commands, help="Logins of AI clients: examine a deployment, list and end logins.")


@command.callback()
def _oauth() -> None:
    pass
