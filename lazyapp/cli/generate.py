"""`lazyapp generate …`: new parts of this application, each with a test."""

from collections.abc import Callable
from typing import Annotated, Any

import typer

from lazyapp.cli.group import make

command = make(
    help="""Write a new part of this application and its test; nothing that is there is overwritten.

    \b
    Examples:
      lazyapp generate mcp shop
      lazyapp generate tool shop.search query:str --dry-run
    """,
    no_args_is_help=True,
)

DryRun = Annotated[bool, typer.Option("--dry-run", help="Write nothing; show it as a patch.")]
Fields = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="FIELD",
        help="NAME:TYPE, such as title:str, limit:int=10, due:date? or 'status:draft|paid'. "
        "Types: str, int, float, bool, Decimal, date, datetime, UUID, list[str] and choices.",
    ),
]
Columns = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="FIELD",
        help="NAME:TYPE, NAME:TYPE? or NAME:TYPE=DEFAULT. Types: str, int, float, bool, Decimal, date, datetime, UUID, list[str], "
        "choices such as 'draft|paid', and references: customer:references is a customer_id that refers to customers.",
    ),
]
Dotted = Annotated[
    str, typer.Argument(metavar="MODULE.NAME", help="The MCP module and the name, such as shop.search.", show_default=False)
]


@command.command()
def controller(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Such as orders.", show_default=False)],
    actions: Annotated[
        list[str] | None,
        typer.Argument(metavar="ACTION", help="index, new, create, show, edit, update, delete, or names of your own."),
    ] = None,
    dry_run: DryRun = False,
) -> None:
    """Write a controller, its views and its routes; on the model of that name, if there is one.

    \b
    Examples:
      lazyapp generate controller orders
      lazyapp generate controller orders index show
      lazyapp generate controller pages about contact
    """
    from lazyapp.generators.controller import plan_controller

    _write(lambda app: plan_controller(app, name, actions or ()), dry_run)


@command.command()
def mcp(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Of the module, such as shop.", show_default=False)],
    fields: Fields = None,
    tool: Annotated[str, typer.Option("--tool", metavar="NAME", help="Of its first tool.")] = "hello",
    dry_run: DryRun = False,
) -> None:
    """Write an MCP module with a first tool: app/mcps/NAME_mcp.

    \b
    Examples:
      lazyapp generate mcp shop
      lazyapp generate mcp shop --tool find number:int
    """
    from lazyapp.generators.fields import parse
    from lazyapp.generators.mcp_module import HELLO, plan_mcp

    _write(lambda app: plan_mcp(app, name, tool, parse(fields or (() if tool != HELLO else ("name:str=world",)))), dry_run)


@command.command()
def tool(
    name: Dotted,
    fields: Fields = None,
    description: Annotated[str, typer.Option("--description", metavar="TEXT", help="What it does, for the model.")] = "",
    read_only: Annotated[bool, typer.Option("--read-only", help="It changes nothing.")] = False,
    destructive: Annotated[bool, typer.Option("--destructive", help="It takes away what cannot be brought back.")] = False,
    dry_run: DryRun = False,
) -> None:
    """Write a tool that AI clients can call, into an MCP module that is there.

    \b
    Examples:
      lazyapp generate tool shop.search query:str limit:int=10 --read-only
      lazyapp generate tool shop.cancel number:int 'reason:mistake|late' --destructive
    """
    from lazyapp.errors import ConfigurationError
    from lazyapp.generators.fields import parse
    from lazyapp.generators.tool import Hints, plan_tool

    if read_only and destructive:
        raise ConfigurationError("A tool is --read-only or --destructive, not both; leave one out.")
    _write(lambda app: plan_tool(app, name, parse(fields or ()), Hints(description, read_only, destructive)), dry_run)


@command.command()
def resource(
    name: Dotted,
    fields: Fields = None,
    uri: Annotated[str, typer.Option("--uri", metavar="URI", help="Its address, instead of app://MODULE/NAME.")] = "",
    dry_run: DryRun = False,
) -> None:
    """Write a resource that AI clients can read, into an MCP module that is there; its fields are variables of its URI.

    \b
    Examples:
      lazyapp generate resource shop.stock
      lazyapp generate resource shop.order number:int --uri 'shop://orders/{number}'
    """
    from lazyapp.generators.fields import parse
    from lazyapp.generators.mcp_resource import plan_resource

    _write(lambda app: plan_resource(app, name, parse(fields or ()), uri), dry_run)


@command.command()
def prompt(
    name: Dotted,
    fields: Fields = None,
    description: Annotated[str, typer.Option("--description", metavar="TEXT", help="What it asks, for the user.")] = "",
    dry_run: DryRun = False,
) -> None:
    """Write a prompt that users of AI clients can pick, into an MCP module that is there.

    \b
    Examples:
      lazyapp generate prompt shop.summary since:date
      lazyapp generate prompt shop.reply 'tone:warm|dry=warm' --description "Answer a customer"
    """
    from lazyapp.generators.fields import parse
    from lazyapp.generators.mcp_prompt import plan_prompt

    _write(lambda app: plan_prompt(app, name, parse(fields or ()), description), dry_run)


@command.command()
def skill(
    name: Dotted,
    description: Annotated[str, typer.Option("--description", metavar="TEXT", help="When a model should read it.")] = "",
    dry_run: DryRun = False,
) -> None:
    """Write a skill, a folder of instructions for a model, beside an MCP module that is there.

    \b
    Examples:
      lazyapp generate skill shop.packing
      lazyapp generate skill shop.refunds --description "How to refund an order. Use it when a customer wants money back."
    """
    from lazyapp.generators.mcp_skill import plan_skill

    _write(lambda app: plan_skill(app, name, description), dry_run)


@command.command()
def app(name: Dotted, fields: Fields = None, dry_run: DryRun = False) -> None:
    """Write a page that AI clients show, and the tool that shows it, into an MCP module that is there.

    \b
    Examples:
      lazyapp generate app shop.board
      lazyapp generate app shop.order number:int status:str
    """
    from lazyapp.generators.fields import parse
    from lazyapp.generators.mcp_app import plan_app

    _write(lambda app: plan_app(app, name, parse(fields or ())), dry_run)


@command.command()
def model(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Of one, such as Order or order_item.", show_default=False)],
    fields: Columns = None,
    dry_run: DryRun = False,
) -> None:
    """Write a model, the table in which it is kept: app/models, its migration, and Config(tables=...).

    \b
    Examples:
      lazyapp generate model Customer name:str email:str
      lazyapp generate model Order title:str price:Decimal 'shipped_at:datetime?' customer:references
    """
    from lazyapp.generators.fields import parse
    from lazyapp.generators.model import plan_model

    _write(lambda app: plan_model(app, name, parse(fields or (), references=True)), dry_run)


@command.command()
def migration(
    name: Annotated[str, typer.Argument(metavar="NAME", help="What it does, such as add_price_to_orders.", show_default=False)],
    fields: Columns = None,
    dry_run: DryRun = False,
) -> None:
    """Write the next migration: filled when its name says what becomes of the fields, else empty.

    \b
    Examples:
      lazyapp generate migration add_price_to_orders price:Decimal=0
      lazyapp generate migration remove_note_from_orders 'note:str?'
      lazyapp generate migration clean_up_names
    """
    from lazyapp.generators.fields import parse
    from lazyapp.generators.migration import plan_migration

    _write(lambda app: plan_migration(app, name, parse(fields or (), references=True)), dry_run)


def _write(plan: Callable[[Any], Any], dry_run: bool) -> None:
    """Plan in the application around here, then write it and say what was written; or show it.

    Raises:
        ConfigurationError: it cannot be written; nothing was.
    """
    from lazyapp.generators import find_application
    from lazyapp.generators.plan import carry_out

    app = find_application()
    found = plan(app)
    if dry_run:
        print(found.patch(), end="")
    else:
        carry_out(found)
        print(*[f"  create  {path}" for path in found.created], sep="\n")
        print(*[f"  change  {path}" for path in found.changed], sep="\n", end="\n" if found.changed else "")
    for path, reason, lines in found.by_hand:
        print(f"\n  Add to {path} by hand, for {reason}:\n")
        print(*[f"      {line}" for line in lines.splitlines()], sep="\n")
    if not dry_run:
        print(*[f"  Next:  {line}" if not number else f"         {line}" for number, line in enumerate(found.next)], sep="\n")
