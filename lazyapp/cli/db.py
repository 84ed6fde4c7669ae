"""`lazyapp db …`: the tables of this application and of the framework, brought to where the code expects them."""

import asyncio
import json
import os
from collections.abc import Awaitable, Callable, Sequence
from typing import Annotated, Any, TypeVar

import typer

from lazyapp.cli.group import make
from lazyapp.cli.routes import fitted, table

command = make(
    help="""The database: bring it up to date, look where it is, write migrations.

    \b
    Examples:
      lazyapp db status
      lazyapp db upgrade
    """,
    no_args_is_help=True,
)
T = TypeVar("T")
Act = Callable[[Any, Sequence[Any]], Awaitable[T]]


@command.command()
def upgrade(
    revision: Annotated[
        str, typer.Argument(metavar="[REV]", help="How far the application's go; all the way otherwise.")
    ] = "heads",
) -> None:
    """Run the migrations that the database has not had. Any number of processes may do so at once.

    \b
    Examples:
      lazyapp db upgrade
      lazyapp db upgrade 0002
    """
    from lazyapp.migrations_alembic import upgrade as run

    done: list[str] = []
    _with_database(lambda engine, lines: run(engine, lines, _teller("Migrated", done), revision))
    if not done:
        print("The database is up to date.")


# So that -1 is no option.
@command.command(context_settings={"ignore_unknown_options": True})
def downgrade(
    revision: Annotated[str, typer.Argument(metavar="REV", help="Where to go back to: a revision, -1 for one back, base for all.")],
) -> None:
    """Take migrations of the application back. Those of the framework stay.

    What a table or a column held that a migration takes back is gone.

    \b
    Examples:
      lazyapp db downgrade -1
      lazyapp db downgrade base
    """
    from lazyapp.migrations_alembic import downgrade as run

    done: list[str] = []
    _with_database(lambda engine, lines: run(engine, lines[-1], _teller("Took back", done), revision))
    if not done:
        print("There was nothing to take back.")


@command.command()
def revision(
    message: Annotated[str, typer.Option("-m", "--message", metavar="TEXT", help="What it does, in a few words.")],
    autogenerate: Annotated[
        bool, typer.Option("--autogenerate", help="Fill it with what the database lacks of Config(tables=…).")
    ] = False,
) -> None:
    """Write a new migration into app/migrations; look at it before it runs.

    \b
    Examples:
      lazyapp db revision -m 'make orders'
      lazyapp db revision -m 'add a due date' --autogenerate
    """
    from pathlib import Path

    from lazyapp.errors import ConfigurationError
    from lazyapp.migrations_alembic import write

    def act(engine: Any, lines: Sequence[Any], app: Any) -> Awaitable[Any]:
        given = app.config.tables
        tables = list(given) if isinstance(given, Sequence) else [given]
        if autogenerate and not tables:
            raise ConfigurationError("There is nothing to compare with; give lazyapp.Config(tables=…) the MetaData of your tables.")
        return write(engine, lines[-1], message, tables if autogenerate else None)

    written = _with_app(act)
    file = Path(written.path)
    print(f"Wrote {file.relative_to(Path.cwd()) if file.is_relative_to(Path.cwd()) else file}")
    if written.unnamed:
        print(f"Left alone, for Config(tables=…) does not name them: {', '.join(written.unnamed)}")


@command.command()
def status(as_json: Annotated[bool, typer.Option("--json", help="As JSON, a list with one object a migration.")] = False) -> None:
    """List the migrations, and whether the database has had them.

    \b
    Examples:
      lazyapp db status
      lazyapp db status --json
    """
    from lazyapp.migrations import states

    found = _with_database(states)
    rows = [
        {"line": state.line.name, "revision": each.revision, "state": _of(each, state), "summary": each.summary}
        for state in found
        for each in state.migrations
    ]
    for state in found:
        # A release after this one has been here.
        rows += [
            {"line": state.line.name, "revision": each, "state": "unknown", "summary": "of a newer release"}
            for each in state.unknown
        ]
    if as_json:
        print(json.dumps(rows, indent=2))
    else:
        print(*fitted(table(("LINE", "REVISION", "STATE", "WHAT IT DOES"), [tuple(row.values()) for row in rows])), sep="\n")
        if any(state.pending for state in found):
            print("\n`lazyapp db upgrade` runs what is pending.")


def _of(migration: Any, state: Any) -> str:
    return "pending" if migration in state.pending else "done"


def _teller(verb: str, done: list[str]) -> Callable[[Any, str, str], None]:
    def tell(line: Any, revision: str, summary: str) -> None:
        done.append(revision)
        print(f"{verb} {line.name} {revision}: {summary}", flush=True)

    return tell


def _with_database(act: Act[T]) -> T:
    return _with_app(lambda engine, lines, _: act(engine, lines))


def _with_app(act: Callable[[Any, Sequence[Any], Any], Awaitable[T]]) -> T:
    """What an act makes of the application's database and its two lines of migrations; nothing of the application is opened.

    Raises:
        ConfigurationError: there is no application here, or its settings or what was typed cannot work.
        StartupError: the database is away, or a migration failed.
    """
    from lazyapp import location

    os.environ.setdefault("LAZYAPP_ENV", "development")
    app = location.load(location.enter())
    from lazyapp.database import opened_engine, require_url
    from lazyapp.steps.beginning import step
    from lazyapp.steps.migrations import lines_of

    settings = app.settings
    require_url(settings)

    async def run() -> T:
        async with opened_engine(settings) as engine:
            with step("migrations"):
                return await act(engine, lines_of(app.config, settings), app)

    return asyncio.run(run())
