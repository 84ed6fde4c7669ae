"""`lazyapp mcp read`."""

from typing import Annotated, Any, NoReturn

import typer

from lazyapp.cli.group import make
from lazyapp.cli.mcp_acting import AsJSON, Done, Out, Scope, User, act_as_client
from lazyapp.cli.mcp_call import refuse
from lazyapp.cli.process import tell
from lazyapp.errors import ConfigurationError, LazyappError

command = make()


@command.command()
def read(
    uri: Annotated[str, typer.Argument(metavar="URI", help="A URI, or a template: app://admin/users/{email}", show_default=False)],
    words: Annotated[list[str] | None, typer.Argument(metavar="[NAME=VALUE]...", help="The variables of a template.")] = None,
    user: User = "",
    scope: Scope = None,
    out: Out = "",
    as_json: AsJSON = False,
) -> None:
    """Read a resource: a URI of `lazyapp mcp list`, one that a template stands for, the page of an app, a file of a skill.

    \b
    Examples:
      lazyapp mcp read app://admin/users
      lazyapp mcp read 'app://admin/users/{email}' email=ada@example.com --user ada
    """  # \b keeps the lines of the help as they are
    asked = expanded(uri, words or [])

    async def act(client: Any) -> Done:
        from lazyapp.mcp_client import shown as showing

        result = await answered(client, asked, user)
        if as_json and not out:
            return Done(showing.as_json(result))
        found = showing.of_contents(result["contents"])
        for note in showing.notes(found.blobs, out):
            tell(note)
        return Done(showing.as_json(result) if as_json else "\n".join(found.texts).removesuffix("\n"))

    act_as_client(act, user=user, scopes=scope)


def expanded(uri: str, words: list[str]) -> str:
    """The URI that a template and its variables make; any other as it is.

    Raises:
        ConfigurationError: it is no template, a variable is unknown or missing.
    """
    if "{" not in uri and not words:
        return uri
    from lazymcp import RegistrationError
    from lazymcp.uri_template import URITemplate

    try:
        template = URITemplate(uri)
        known = template.variables
    except RegistrationError as problem:
        raise ConfigurationError(f"{uri!r} is no URI template: {problem.reason}.") from None
    values = {}
    for word in words:
        name, sign, value = word.partition("=")
        if not sign or name not in known:
            has = f"the variables are {', '.join(known)}" if known else f"{uri} has no variables"
            raise ConfigurationError(f"{word[:60]!r} gives no variable; {has}.")
        values[name] = value
    missing = [name for name in known if name not in values]
    if missing:
        raise ConfigurationError(f"The variable {missing[0]!r} is missing; add {missing[0]}=VALUE.")
    return template.expand(values)


async def answered(client: Any, uri: str, user: str) -> dict[str, Any]:
    """The result of `resources/read`.

    Raises:
        ConfigurationError: nothing has or matches this URI; names the nearest.
        LazyappError: it belongs to a module that is closed to the user.
    """
    from lazyapp.mcp_client.client import INVALID_PARAMS, Refused

    try:
        return dict(await client.ask("resources/read", {"uri": uri}))
    except Refused as refused:
        if refused.code != INVALID_PARAMS:
            raise
        await not_there(client, uri, user)


async def not_there(client: Any, uri: str, user: str) -> NoReturn:
    """Say why nothing was read.

    Raises:
        ConfigurationError, LazyappError: see `answered`.
    """
    from lazymcp.uri_template import URITemplate

    visible = {kind: await client.names(kind) for kind in ("resource", "template")}
    rows = [row for row in client.scope.surface() if row.kind in ("resource", "template", "app")]
    closed = [row for row in rows if row.kind == "template" and row.name not in visible["template"]]
    if any(URITemplate(name).match(uri) is not None for name in visible["template"]):
        raise LazyappError(f"There is nothing at {uri}.")
    hidden = next((row for row in closed if URITemplate(row.name).match(uri) is not None), None)
    if hidden is not None:
        raise LazyappError(f"{uri} is not open to {user or 'whoever brings no token'}: the module {hidden.module!r} is closed.")
    refuse("resource", uri, [*visible["resource"], *visible["template"]], rows, user)
