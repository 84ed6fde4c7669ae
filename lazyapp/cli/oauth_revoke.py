"""`lazyapp oauth revoke`."""

from typing import Annotated, Any

import typer

from lazyapp.cli.group import make
from lazyapp.cli.oauth_families import living, with_server
from lazyapp.errors import ConfigurationError

command = make()


@command.command()
def revoke(
    family: Annotated[
        str | None, typer.Argument(metavar="FAMILY", help="One login, as `lazyapp oauth families` names it.", show_default=False)
    ] = None,
    user: Annotated[str | None, typer.Option("--user", metavar="ID", help="Every login of this user instead.")] = None,
) -> None:
    """End a login of an AI client: its tokens are refused, in other processes within five seconds.

    \b
    Examples:
      lazyapp oauth revoke 9fK2mX0bQe
      lazyapp oauth revoke --user ada
    """
    if (family is None) == (user is None):
        raise ConfigurationError("Name what to end: `lazyapp oauth revoke FAMILY`, or `lazyapp oauth revoke --user ID`.")
    ended = with_server(lambda server: _end(server, family, user))
    if family is not None:
        print(f"Ended {family}." if ended else f"{family} is no login that goes on; `lazyapp oauth families` lists them.")
        raise typer.Exit(0 if ended else 1)
    print(f"Ended {len(ended)} login{'' if len(ended) == 1 else 's'} of {user}.")


async def _end(server: Any, family: str | None, user: str | None) -> list[str]:
    wanted = [family] if family is not None else [one.family_id for one in await living(server, user)]
    return [family_id for family_id in wanted if await server.revoke(family_id)]
