"""`lazyapp mcp call`."""

import sys
from difflib import get_close_matches
from typing import Annotated, Any, NoReturn

import typer

from lazyapp.cli.group import make
from lazyapp.cli.mcp_acting import AsJSON, Done, Out, Scope, User, act_as_client
from lazyapp.cli.process import tell
from lazyapp.errors import ConfigurationError, LazyappError

command = make()


@command.command()
def call(
    tool: Annotated[str, typer.Argument(metavar="TOOL", help="Its name: admin.user_count", show_default=False)],
    words: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME=VALUE]...", help="Arguments; the tool's schema gives them their types.")
    ] = None,
    args: Annotated[str, typer.Option("--args", metavar="JSON", help="Arguments as JSON; @FILE reads a file, - reads stdin.")] = "",
    user: User = "",
    scope: Scope = None,
    answer: Annotated[
        list[str] | None, typer.Option("--answer", metavar="JSON", help="The answer to what it asks its user; again for the next.")
    ] = None,
    out: Out = "",
    as_json: AsJSON = False,
) -> None:
    """Call a tool, in this process and without a port: as whoever may start it, or as one of the application's users.

    Exit code 0 when it succeeded, 1 when it failed, 2 when there is no such tool or an argument does not fit.

    \b
    Examples:
      lazyapp mcp call admin.user_count active=true
      lazyapp mcp call admin.user_count --args '{"active": true}' --user ada --json
    """  # \b keeps the lines of the help as they are
    from lazyapp.mcp_client.arguments import read_object

    given = read_object(args, sys.stdin)

    async def act(client: Any) -> Done:
        entry = await find_entry(client, "tool", tool, user)
        found = await fitting(client, entry, given, words or [])
        return shown(await client.ask("tools/call", {"name": entry["name"], "arguments": found}), out, as_json)

    act_as_client(act, user=user, scopes=scope, answers=answer or ())


async def find_entry(client: Any, kind: str, name: str, user: str) -> dict[str, Any]:
    """The entry of a tool or a prompt by its name, dots or underscores.

    Args:
        client: sees what the user sees.
        kind: `tool` or `prompt`.
        name: as it was typed.
        user: its name; "" is whoever may start the application.

    Raises:
        ConfigurationError: there is none; names the nearest.
        LazyappError: it is hidden from this user.
    """
    entries = {entry["name"]: entry for entry in await client.entries(kind)}
    spelled = {other.replace(".", "_"): other for other in entries}
    found: dict[str, Any] | None = entries.get(name) or entries.get(spelled.get(name, ""))
    if found is None:
        refuse(kind, name, list(entries), [row for row in client.scope.surface() if row.kind == kind], user)
    return found


def refuse(kind: str, name: str, visible: list[str], rows: list[Any], user: str) -> NoReturn:
    """Say that something is not there, or not for this user.

    Raises:
        ConfigurationError: there is nothing of this name.
        LazyappError: there is, in a module that is closed to the user.
    """
    row = next((row for row in rows if name in (row.name, row.name.replace(".", "_"))), None)
    if row is not None:
        whom = user or "whoever brings no token"
        hint = f"; `lazyapp user mcps {user} …` opens it" if user else ""
        raise LazyappError(f"The {kind} {row.name} is not open to {whom}: it belongs to the module {row.module!r}{hint}.")
    near = get_close_matches(name, visible, n=1, cutoff=0.5)
    near = near or [other for other in visible if other.rpartition(".")[2] == name.rpartition(".")[2]][:1]
    has = f"there are {', '.join(sorted(visible)[:8])}" if visible else "there is none"
    advice = f"did you mean {near[0]}?" if near else f"{has}; `lazyapp mcp list` lists all."
    raise ConfigurationError(f"There is no {kind} {name[:80]!r}; {advice}")


async def fitting(client: Any, entry: dict[str, Any], given: dict[str, Any], words: list[str]) -> dict[str, Any]:
    """The arguments, checked against the tool.

    Raises:
        ConfigurationError: one is unknown, missing, or of another type.
    """
    from lazyapp.mcp_client.arguments import check_required, merge, signature

    found = merge(given, words, entry["inputSchema"])
    check_required(found, entry["inputSchema"])
    wrong = client.scope.misfit(entry["name"], found)
    if wrong is not None:
        raise ConfigurationError(f"{entry['name']}: {wrong.rstrip('.')}; it takes {signature(entry['inputSchema'])}.")
    return found


def shown(result: dict[str, Any], out: str, as_json: bool) -> Done:
    """The result of a tool for stdout; the words of one that failed go to stderr."""
    from lazyapp.mcp_client import shown as showing

    found, failed = showing.of_tool(result), bool(result.get("isError"))
    for note in showing.notes(found.blobs, out) if out or not as_json else ():
        tell(note)
    if as_json:
        return Done(showing.as_json(result), int(failed))
    text = "\n\n".join(found.texts)
    if failed:
        tell(text)
        return Done("", 1)
    return Done(text)
