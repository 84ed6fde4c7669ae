"""`lazyapp routes`."""

import asyncio
import json
import os
import shutil
import sys
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from lazyapp.cli.group import make

command = make()


@command.command()
def routes(
    as_json: Annotated[bool, typer.Option("--json", help="As JSON, one object with `pages` and `mcp`.")] = False,
) -> None:
    """List what this application answers: pages and MCP. Needs no database."""
    from lazyapp import location

    os.environ.setdefault("LAZYAPP_ENV", "development")
    app = location.load(location.enter())
    pages = [{"methods": list(row.methods), "path": row.path, "name": row.name, "action": row.action} for row in app.drawn.rows()]
    surface = asyncio.run(app.describe_mcp())
    offered = [{"kind": row.kind, "name": row.name, "module": row.module, "description": row.description} for row in surface]
    if as_json:
        print(json.dumps({"pages": pages, "mcp": offered}, indent=2))
        return
    print(*fitted(_tables(pages, offered)), sep="\n")


def _tables(pages: Sequence[dict[str, Any]], offered: Sequence[dict[str, Any]]) -> list[str]:
    lines = table(
        ("METHOD", "PATH", "NAME", "ACTION"), [("|".join(p["methods"]), p["path"], p["name"], p["action"]) for p in pages]
    )
    if offered:
        rows = [(row["kind"], row["name"], row["module"], row["description"]) for row in offered]
        lines += ["", *table(("MCP", "NAME", "MODULE", "DESCRIPTION"), rows)]
    return lines


def fitted(lines: Sequence[str]) -> list[str]:
    """The lines, cut to the width of the terminal if stdout is one; whoever reads them otherwise gets them whole."""
    if not sys.stdout.isatty():
        return list(lines)
    width = shutil.get_terminal_size().columns
    return [line if len(line) <= width else line[: width - 1] + "…" for line in lines]


def table(heading: tuple[str, ...], rows: Sequence[tuple[str | None, ...]]) -> list[str]:
    """Lines in columns as wide as their widest cell; of a cell the first line."""
    cells = [heading, *(tuple((cell or "").partition("\n")[0] for cell in row) for row in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(heading))]
    return ["  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells]
