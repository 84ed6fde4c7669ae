"""`lazyapp user …`: looks after the users that the application keeps in a database or a file."""

import json
import sys
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict
from typing import Annotated, Any, TypeVar

import typer

from lazyapp.cli.group import make
from lazyapp.cli.opened import with_app
from lazyapp.cli.process import tell
from lazyapp.cli.routes import fitted, table
from lazyapp.errors import ConfigurationError, LazyappError

command = make(
    help="""The users of this application, where it keeps them in a database or a file.

    \b
    Examples:
      lazyapp user list
      lazyapp user add ada --mcps admin
    """,
    no_args_is_help=True,
)
T = TypeVar("T")

Name = Annotated[str, typer.Argument(metavar="ID", help="What the user types at login, letter by letter.", show_default=False)]
FromStdin = Annotated[bool, typer.Option("--password-stdin", help="Read the password from the first line of stdin.")]


@command.command()
def add(
    name: Name,
    mcps: Annotated[str, typer.Option("--mcps", metavar="NAMES", help="MCP modules to open: admin,reports, or * for all.")] = "",
    data: Annotated[str, typer.Option("--data", metavar="JSON", help="The application's own about this user, an object.")] = "{}",
    password_stdin: FromStdin = False,
) -> None:
    """Add a user. The password is asked for twice and shown nowhere.

    \b
    Examples:
      lazyapp user add ada --mcps admin,reports
      lazyapp user add ci --mcps '*' --password-stdin < secret
    """
    known = _object(data) | ({"mcps": _modules(mcps)} if mcps else {})
    secret = _password(password_stdin)
    _with_users(lambda users: users.add(name, secret, known), opening=_modules(mcps))
    print(f"Added {name}." + ("" if "mcps" in known else " No MCP module is open to them; `lazyapp user mcps` opens some."))


@command.command()
def password(name: Name, password_stdin: FromStdin = False) -> None:
    """Give a user another password, and end every login of theirs.

    \b
    Examples:
      lazyapp user password ada
      lazyapp user password ci --password-stdin < secret
    """
    secret = _password(password_stdin)
    _change(name, lambda users: users.set_password(name, secret))
    print(f"{name} has another password; every login of theirs has ended.")


@command.command()
def mcps(
    name: Name,
    modules: Annotated[str, typer.Argument(metavar="NAMES", help="admin,reports, or * for all, or '' for none.")],
) -> None:
    """Say which MCP modules a user may use.

    It is in force when their AI clients renew their tokens.

    \b
    Examples:
      lazyapp user mcps ada '*'
      lazyapp user mcps ada admin,reports
      lazyapp user mcps ada ''
    """

    async def act(users: Any) -> bool:
        found = next((record for record in await users.list() if record.id == name), None)
        return found is not None and await users.set_data(name, {**found.data, "mcps": _modules(modules)})

    _change(name, act, opening=_modules(modules))
    print(f"{name} may use {', '.join(_modules(modules)) or 'no module'}.")


@command.command()
def disable(name: Name) -> None:
    """Let a user in no longer, and end every login of theirs.

    \b
    Examples:
      lazyapp user disable ada
    """
    _change(name, lambda users: users.disable(name))
    print(f"{name} is disabled; every login of theirs has ended.")


@command.command()
def enable(name: Name) -> None:
    """Let a disabled user in again.

    \b
    Examples:
      lazyapp user enable ada
    """
    _change(name, lambda users: users.enable(name))
    print(f"{name} may sign in again.")


@command.command()
def remove(name: Name) -> None:
    """Forget a user.

    \b
    Examples:
      lazyapp user remove ada
    """
    _change(name, lambda users: users.remove(name))
    print(f"{name} is removed; every login of theirs has ended.")


@command.command("list")
def show(as_json: Annotated[bool, typer.Option("--json", help="As JSON, a list with one object a user.")] = False) -> None:
    """List the users, and nobody's password.

    \b
    Examples:
      lazyapp user list
      lazyapp user list --json
    """
    found = _with_users(lambda users: users.list(), first=True)
    if as_json:
        print(json.dumps([asdict(record) for record in found], indent=2))
    elif found:
        print(*fitted(table(("USER", "STATE", "MCP MODULES"), [_row(record) for record in found])), sep="\n")
    else:
        print("There are no users; `lazyapp user add ID` adds one.")


def _row(record: Any) -> tuple[str, str, str]:
    # The modules come last: on a narrow terminal it is they that are cut.
    return record.id, "disabled" if record.disabled else "active", _in_words(record.data.get("mcps") or ())


def _in_words(modules: Any) -> str:
    names = [modules] if isinstance(modules, str) else [str(name) for name in modules]
    return "all" if "*" in names else ", ".join(names) or "none"


def _change(name: str, act: Callable[[Any], Awaitable[bool]], *, opening: Sequence[str] = ()) -> None:
    if not _with_users(act, opening=opening):
        raise ConfigurationError(f"There is no user {name!r}; `lazyapp user list` shows who there is.")


def _with_users(act: Callable[[Any], Awaitable[T]], *, opening: Sequence[str] = (), first: bool = False) -> T:
    """What an act makes of the application's store of users, with its services open.

    Args:
        act: is given the store.
        opening: the MCP modules that it opens to somebody; of those that this application has not, one is told.
        first: whether it only reads, so that of an application without users of its own it can be told of the first one.

    Raises:
        ConfigurationError: the application keeps no users that could be changed from here, or a rule about users is broken.
        LazyappError: the store is away, or its file cannot be read or written.
    """
    import lazyauth
    from lazyapp.steps.auth import has_first_user

    async def change(app: Any) -> T:
        users = app.services.get(lazyauth.Authenticator)
        if first and has_first_user(app.config) and (app.config.auth or app.config.oauth):
            users = _First(app.settings, users)
        elif not isinstance(users, lazyauth.UserStore):
            raise ConfigurationError(
                f"This application's users are {type(users).__name__}, which no other process can change; give "
                "lazyapp.Config(auth=…) a lazyauth.SQLUsers or lazyauth.FileUsers (docs/users.md)."
            )
        try:
            answer = await act(users)
        except (lazyauth.UsersUnavailable, lazyauth.UsersFileError) as error:
            raise LazyappError(_sentence(error)) from error
        except lazyauth.AuthError as error:
            raise ConfigurationError(_sentence(error)) from error
        _warn_of_unknown(app, opening)
        return answer

    return with_app(change)


class _First:
    """The first user of an application that keeps no others, as a list.

    Without LAZYAUTH_DEFAULT_PASS there is nobody in this process; in development `lazyapp serve` makes a password up for them.
    """

    def __init__(self, settings: Any, users: Any) -> None:
        self._name = settings.first_user
        self._users = users
        self._is_lasting = settings.default_pass is not None
        self._is_made_up = settings.env == "development"

    async def list(self) -> Sequence[Any]:
        """The user, and a remark for whoever reads it."""
        import lazyauth

        tell("To keep more than the first user, give lazyapp.Config(auth=…) a lazyauth.SQLUsers or FileUsers (docs/users.md).")
        if not (self._is_lasting or self._is_made_up):
            tell("LAZYAUTH_DEFAULT_PASS is not set, so there is no first user either.")
            return []
        found = await self._users.find_user(self._name)
        data = found.data if found else {"username": self._name, "admin": True, "mcps": ["*"]}
        return [lazyauth.UserRecord(self._name, data)]


def _warn_of_unknown(app: Any, opening: Sequence[str]) -> None:
    """Not refused: another application may share these users, and a module may come later."""
    import lazymcp

    known = [module.name for module in app.services.get(lazymcp.Scope).summary()]
    unknown = [name for name in opening if name != "*" and name not in known]
    # An authorizer of the application's own reads these names as it likes.
    if unknown and app.config.mcp_options.authorizer is None:
        has = ", ".join(filter(None, known)) or "none"
        print(f"This application has no MCP module {' or '.join(map(repr, unknown))}; it has {has}.", file=sys.stderr)


def _sentence(error: Exception) -> str:
    text = str(error)
    return f"{text[:1].upper()}{text[1:]}."


def _password(from_stdin: bool) -> str:
    if from_stdin:
        return sys.stdin.readline().rstrip("\r\n")
    if not sys.stdin.isatty():
        raise ConfigurationError("There is no terminal to type a password at; give it with --password-stdin.")
    return str(typer.prompt("Password", hide_input=True, confirmation_prompt=True))


def _modules(text: str) -> list[str]:
    return [word for word in text.replace(",", " ").split() if word]


def _object(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise ConfigurationError("""--data is no JSON object; write for example --data '{"email": "ada@example.com"}'.""")
    return found
