"""`lazyapp check`."""

import asyncio
import json
import os
import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from typing import Annotated, Any, NamedTuple, NoReturn

import typer

from lazyapp.cli.group import make

command = make()

OK, PENDING, FAILED, WARNING, NOT_REACHED = "ok", "pending", "FAILED", "warning", "-"


class Row(NamedTuple):
    """One thing that was looked at."""

    what: str
    state: str
    said: str = ""


@command.command()
def check(
    deploy: Annotated[bool, typer.Option("--deploy", help="Tell everything that production would refuse, or warn of.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """Start everything but the listener: settings, services, pings, views, MCP. Exit code 1 when something fails.

    No database is changed: migrations that are pending are told of, and in development on SQLite tried on a copy.

    \b
    Examples:
      lazyapp check
      lazyapp check --deploy
      LAZYAPP_ENV=production lazyapp check --json
    """
    from lazyapp import location

    if deploy:
        os.environ["LAZYAPP_ENV"] = "production"
    os.environ.setdefault("LAZYAPP_ENV", "development")
    app = location.load(location.enter())
    with _ended_in_order():
        is_well = asyncio.run(_deploy(app, as_json) if deploy else _check(app, as_json))
    raise typer.Exit(0 if is_well else 1)


@contextmanager
def _ended_in_order() -> Iterator[None]:
    """Let SIGTERM close what is open: without it the process would end on the spot, and leave its copy of the database behind."""

    def end(number: int, _: object) -> NoReturn:
        raise SystemExit(128 + number)

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


async def _check(app: Any, as_json: bool) -> bool:
    rows = await look(app)
    if as_json:
        print(json.dumps([row._asdict() for row in rows], indent=2))
    else:
        _print(rows)
    return all(row.state in (OK, PENDING) for row in rows)


async def _deploy(app: Any, as_json: bool) -> bool:
    findings = await app.examine()
    if as_json:
        print(json.dumps(asdict(findings), indent=2))
    else:
        rows = [Row("refused", FAILED, sentence) for sentence in findings.refusals]
        rows += [Row("start", FAILED, findings.failure)] if findings.failure else []
        rows += [Row("notice", WARNING, sentence) for sentence in findings.warnings]
        _print(rows)
    return not findings.refusals and findings.failure is None


async def look(app: Any) -> list[Row]:
    """Start an application and close it again; what became of each step."""
    from lazyapp.errors import ClosingError, ConfigurationError, StartupError

    settings = app.settings
    rows = [Row("settings", OK, f"{settings.env}, {settings.public_url}")]
    steps = ["migrations", *(f"service {one.name}" for one in app.services.declared.values() if not one.per_request)]
    steps += [name for name, hook in (("auth", app.config.auth), ("oauth", app.config.oauth)) if hook is not None]
    steps += ["templates", *(["mcp"] if app.config.mcp is not None else [])]
    try:
        async with app.rehearsed() as rehearsal:
            migrations = _migrations(rehearsal.pending)
            if not rehearsal.can_start:
                return [*rows, migrations, *(Row(name, NOT_REACHED, "not reached") for name in steps[1:])]
            async with app.router.lifespan_context(app):
                rows += [migrations, *(Row(name, OK, _about(app, name)) for name in steps[1:])]
                for name, wrong in (await app.services.check()).items():
                    rows.append(Row(f"ping {name}", OK if wrong is None else FAILED, wrong or ""))
    except StartupError as error:
        rows += _until(steps, error.step, error.reason)
    except ConfigurationError as error:
        rows.append(Row("start", FAILED, str(error)))
    except ClosingError as error:
        rows += [Row("close", FAILED, line) for line in str(error).splitlines()]
    return rows


def _migrations(pending: Sequence[str]) -> Row:
    if not pending:
        return Row("migrations", OK)
    return Row("migrations", PENDING, f"{', '.join(pending)}; `lazyapp db upgrade` runs what is pending")


def _until(steps: Sequence[str], failed: str, reason: str) -> list[Row]:
    """The steps come in a fixed order, so those before the one that failed succeeded."""
    place = steps.index(failed) if failed in steps else 0
    after = steps[place + 1 :] if failed in steps else steps
    return [
        *(Row(name, OK) for name in steps[:place]),
        Row(failed, FAILED, reason),
        *(Row(name, NOT_REACHED, "not reached") for name in after),
    ]


def _about(app: Any, step: str) -> str:
    from lazyapp.serving.banner import counted

    if step == "templates":
        return f"{app.views.compile()} compile"
    if step == "mcp":
        modules = () if app.mcp is None else app.mcp.summary()
        return " · ".join(map(counted, modules)) or "no module, so no /mcp"
    return ""


def _print(rows: Sequence[Row]) -> None:
    wide, state = max((len(row.what) for row in rows), default=0), max((len(row.state) for row in rows), default=0)
    for row in rows:
        # An error of the database has several lines.
        said = row.said.replace("\n", "\n" + " " * (wide + state + 6))
        print(f"  {row.what:<{wide}}  {row.state:<{state}}  {said}".rstrip())
