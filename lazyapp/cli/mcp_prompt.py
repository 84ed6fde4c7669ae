"""`lazyapp mcp prompt`."""

from typing import Annotated, Any

import typer

from lazyapp.cli.group import make
from lazyapp.cli.mcp_acting import AsJSON, Done, Out, Scope, User, act_as_client
from lazyapp.cli.mcp_call import find_entry
from lazyapp.cli.process import tell
from lazyapp.errors import ConfigurationError

command = make()


@command.command()
def prompt(
    name: Annotated[str, typer.Argument(metavar="PROMPT", help="Its name: admin.audit", show_default=False)],
    words: Annotated[list[str] | None, typer.Argument(metavar="[NAME=VALUE]...", help="Its arguments, all of them texts.")] = None,
    user: User = "",
    scope: Scope = None,
    out: Out = "",
    as_json: AsJSON = False,
) -> None:
    """Ask for a prompt: the messages that it puts before the model.

    \b
    Examples:
      lazyapp mcp prompt admin.audit since=Monday
    """  # \b keeps the lines of the help as they are

    async def act(client: Any) -> Done:
        from lazyapp.mcp_client import shown as showing

        entry = await find_entry(client, "prompt", name, user)
        result = await answered(client, entry, words or [])
        found = showing.of_prompt(result)
        for note in showing.notes(found.blobs, out) if out else ():
            tell(note)
        return Done(showing.as_json(result) if as_json else "\n\n".join(found.texts))

    act_as_client(act, user=user, scopes=scope)


async def answered(client: Any, entry: dict[str, Any], words: list[str]) -> dict[str, Any]:
    """The result of `prompts/get`.

    Raises:
        ConfigurationError: an argument is unknown, missing or does not fit.
    """
    from lazyapp.mcp_client.arguments import check_required, merge, signature
    from lazyapp.mcp_client.client import INVALID_PARAMS, Refused

    # MCP, server/prompts: arguments are texts. A schema of them serves the same messages as those of tools.
    told = entry.get("arguments", ())
    schema = {
        "properties": {each["name"]: {"type": "string"} for each in told},
        "required": [each["name"] for each in told if each.get("required")],
        "additionalProperties": False,
    }
    found = merge({}, words, schema)
    check_required(found, schema)
    try:
        result: dict[str, Any] = await client.ask("prompts/get", {"name": entry["name"], "arguments": found})
    except Refused as refused:
        if refused.code != INVALID_PARAMS:
            raise
        raise ConfigurationError(f"{entry['name']}: {refused.message.rstrip('.')}; it takes {signature(schema)}.") from None
    return result
