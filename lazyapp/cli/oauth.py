"""`lazyapp oauth …`."""

from lazyapp.cli.commands import Lazy
from lazyapp.cli.group import LazyGroup, make


class Commands(LazyGroup):
    """The commands of `lazyapp oauth`."""

    commands_by_name = {  # noqa: RUF012  # declared a ClassVar by the base
        "doctor": Lazy("lazyapp.cli.oauth_doctor", "Play an MCP client against a URL and name what would stop it."),
        "families": Lazy("lazyapp.cli.oauth_families", "List the logins of AI clients that go on."),
        "revoke": Lazy("lazyapp.cli.oauth_revoke", "End one login, or every login of a user."),
    }


command = make(
    Commands,
    help="""Logins of AI clients: examine a deployment, list and end logins.

    \b
    Examples:
      lazyapp oauth doctor http://localhost:3000/mcp
      lazyapp oauth families
    """,
)


@command.callback()
def _oauth() -> None:
    pass
