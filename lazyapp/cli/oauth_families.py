"""`lazyapp oauth families` and the look at an application's logins that `revoke` shares."""

import json
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict
from typing import Annotated, Any, TypeVar

import typer

from lazyapp.cli.group import make
from lazyapp.cli.opened import with_app
from lazyapp.cli.routes import table
from lazyapp.errors import ConfigurationError, LazyappError
from lazyoauth import Connection

command = make()
T = TypeVar("T")


@command.command()
def families(
    user: Annotated[str | None, typer.Option("--user", metavar="ID", help="Only the logins of this user.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON, a list with one object a login.")] = False,
) -> None:
    """List the logins of AI clients that go on, the last used first.

    \b
    Examples:
      lazyapp oauth families
      lazyapp oauth families --user ada --json
    """
    found = with_server(lambda server: living(server, user))
    if as_json:
        print(json.dumps([asdict(connection) for connection in found], indent=2))
    elif found:
        print(
            *table(("FAMILY", "USER", "CLIENT", "ANSWERS TO", "SCOPES", "SINCE", "LAST USED"), [_row(one) for one in found]),
            sep="\n",
        )
    else:
        print("No AI client is logged in." if user is None else f"No AI client is logged in for {user}.")


def with_server(act: Callable[[Any], Awaitable[T]]) -> T:
    """What an act makes of the application's authorization server, with its services open.

    Raises:
        ConfigurationError: the application has no OAuth, or keeps its logins where this process cannot see them.
        LazyappError: the store of logins is away.
    """
    from lazyoauth import TemporarilyUnavailable

    async def look(app: Any) -> T:
        if app.oauth is None:
            raise ConfigurationError("This application has no OAuth; give lazyapp.Config(oauth=…) one, as in init/oauth.py.")
        if app.oauth.config.connections is None:
            raise ConfigurationError(
                "This application keeps its logins in the memory of the process that serves; "
                "keep them in a database: lazyoauth.SQLRefreshTokenStates."
            )
        try:
            return await act(app.oauth)
        except TemporarilyUnavailable as error:
            raise LazyappError(f"The logins cannot be read: {error.message}.") from error

    return with_app(look)


async def living(server: Any, user: str | None) -> Sequence[Connection]:
    """The logins that go on, of one user or of all, the last used first."""
    users = [user] if user is not None else dict.fromkeys(one.user_id for one in await server.config.connections.all())
    found = [connection for each in users for connection in await server.connections_of(each)]
    return sorted(found, key=lambda one: -one.last_used_at)


def _row(one: Connection) -> tuple[str, ...]:
    # What a client calls itself may claim anything, a line break or a colour included.
    values = (
        one.family_id,
        one.user_id,
        one.client_name or "-",
        one.redirect_host,
        one.scope,
        *map(_when, (one.created_at, one.last_used_at)),
    )
    return tuple("".join(character if character.isprintable() else " " for character in value) for value in values)


def _when(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds))
