"""`lazyapp mcp list`."""

import asyncio
import os
from collections.abc import Mapping
from typing import Annotated, Any

import typer

from lazyapp.cli.group import make
from lazyapp.cli.mcp_acting import Done, Scope, User, act_as_client
from lazyapp.cli.process import result_alone, width_of_stdout
from lazyapp.cli.routes import table

command = make()

_WIDEST_CALL = 60
_NARROWEST = 20


@command.command("list")
def show(
    user: User = "",
    scope: Scope = None,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON, the entries as clients are sent them.")] = False,
) -> None:
    """List what the MCP modules offer: tools with their arguments, resources, templates, prompts, skills, apps.

    With --user only what that user sees. Without it nothing is opened, so no database is needed.

    \b
    Examples:
      lazyapp mcp list
      lazyapp mcp list --user ada --json
    """  # \b keeps the lines of the help as they are
    width = width_of_stdout()
    if user:

        async def act(client: Any) -> Done:
            return Done(_told(await seen(client), width, as_json))

        act_as_client(act, user=user, scopes=scope)
        return
    from lazyapp import location

    os.environ.setdefault("LAZYAPP_ENV", "development")
    with result_alone() as write:
        app = location.load(location.enter())
        write(_told(everything(asyncio.run(app.declared_mcp())), width, as_json))


Offered = dict[str, list[tuple[Any, Mapping[str, Any]]]]


def everything(scope: Any) -> Offered:
    """What a scope publishes, kind by kind: where it is written, and its entry."""
    from lazymcp.scope import KINDS

    return {kind: scope.entries(kind) for kind in KINDS}


async def seen(client: Any) -> Offered:
    """What of it the caller is told of, by the protocol's own lists."""
    found = everything(client.scope)
    listed = {kind: set(await client.names(kind)) for kind in found if kind != "app"}
    listed["app"] = listed["resource"]
    return {
        kind: [(row, entry) for row, entry in pairs if (entry["uri"] if kind == "skill" else row.name) in listed[kind]]
        for kind, pairs in found.items()
    }


def _told(offered: Offered, width: int | None, as_json: bool) -> str:
    if as_json:
        from lazyapp.mcp_client.shown import as_json as written

        return written(document(offered))
    return "\n".join(listing(offered, width)) or "No MCP module is open here; register one in init/mcp.py, or look as another user."


def document(offered: Offered) -> dict[str, Any]:
    """The listing as JSON: each entry as it is sent, with its module, the place in the code, and its estimated tokens."""
    from lazymcp.weight import tokens_of

    found: dict[str, Any] = {"modules": _modules(offered)}
    for kind, pairs in offered.items():
        found[f"{kind}s"] = [
            {"module": row.module, "place": row.place, "tokens": tokens_of(entry), "entry": dict(entry)} for row, entry in pairs
        ]
    return found


def listing(offered: Offered, width: int | None) -> list[str]:
    """A paragraph for each module: what it has and costs, then one line an item."""
    lines: list[str] = []
    for module in _modules(offered):
        counts = [f"{count} {kind}{'s' if count != 1 else ''}" for kind in offered if (count := module[f"{kind}s"])]
        lines += ["", f"{module['name'] or '(no name)'}  {', '.join(counts)} · about {module['tokens']} tokens"]
        rows = [
            (f"  {kind}", _called(kind, row, entry), row.description)
            for kind, pairs in offered.items()
            for row, entry in pairs
            if row.module == module["name"]
        ]
        lines += [_cut(line, width) for line in table(rows[0], rows[1:])]
    return lines[1:]


def _modules(offered: Offered) -> list[dict[str, Any]]:
    from lazymcp.weight import tokens_of

    names = dict.fromkeys(row.module for pairs in offered.values() for row, _ in pairs)
    found = []
    for name in names:
        own = {kind: [entry for row, entry in pairs if row.module == name] for kind, pairs in offered.items()}
        counted = {f"{kind}s": len(entries) for kind, entries in own.items()}
        found.append({"name": name, **counted, "tokens": sum(tokens_of(entry) for entries in own.values() for entry in entries)})
    return found


def _called(kind: str, row: Any, entry: Mapping[str, Any]) -> str:
    """How it is asked for: a tool and a prompt with their arguments."""
    if kind == "tool":
        from lazyapp.mcp_client.arguments import signature

        taken = signature(entry["inputSchema"])
    elif kind == "prompt":
        taken = (
            ", ".join(f"{each['name']}{'' if each.get('required') else '?'}" for each in entry.get("arguments", ())) or "nothing"
        )
    else:
        return str(row.name)
    text = f"{row.name}({'' if taken == 'nothing' else taken})"
    return text if len(text) <= _WIDEST_CALL else f"{text[: _WIDEST_CALL - 2]}…)"


def _cut(line: str, width: int | None) -> str:
    return line if width is None or len(line) <= max(width, _NARROWEST) else f"{line[: max(width, _NARROWEST) - 1]}…"
