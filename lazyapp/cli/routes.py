"""`lazyapp routes`."""

import asyncio
import json
import os
import re
import shutil
import sys
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from lazyapp.cli.group import make

command = make()


_HEADING = ("KIND", "METHOD", "PATH", "NAME", "ACTION", "PLACE")
# How an AI client asks for each kind of thing.
_ASKED_BY = {"tool": "call", "prompt": "get", "skill": "get"}
_NARROWEST = 6
_ROOMY = 100
_PLACE = re.compile(r"\.py:\d+$")


@command.command()
def routes(
    grep: Annotated[str, typer.Option(metavar="WORD", help="Only what has this word in it, however it is written.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="As JSON, one object with `pages` and `mcp`.")] = False,
) -> None:
    """List what this application answers: pages, in the order in which they are tried, and MCP. Needs no database.

    \b
    Examples:
      lazyapp routes
      lazyapp routes --grep accounts
      lazyapp routes --json | jq .mcp
    """
    from lazyapp import location

    os.environ.setdefault("LAZYAPP_ENV", "development")
    app = location.load(location.enter())
    pages = [row._asdict() | {"methods": list(row.methods)} for row in app.drawn.rows()]
    offered = [row._asdict() for row in asyncio.run(app.describe_mcp())]
    pages, offered = ([row for row in rows if _has(row, grep)] for rows in (pages, offered))
    if as_json:
        print(json.dumps({"pages": pages, "mcp": offered}, indent=2))
    elif pages or offered:
        print(*listing(pages, offered, shutil.get_terminal_size().columns if sys.stdout.isatty() else None), sep="\n")
    else:
        print(f"Nothing has {grep!r} in it." if grep else "No routes are drawn, and no MCP module is registered.")


def _has(row: dict[str, Any], word: str) -> bool:
    return word.lower() in json.dumps(list(row.values()), ensure_ascii=False).lower()


def listing(pages: Sequence[dict[str, Any]], offered: Sequence[dict[str, Any]], width: int | None) -> list[str]:
    """One table; a blank line stands between pages, what FastAPI's routers answer, and each MCP module."""
    groups = [
        [("page", "|".join(row["methods"]), row["path"], row["name"], row["action"], row["place"]) for row in rows]
        for rows in ([row for row in pages if "#" in row["action"]], [row for row in pages if "#" not in row["action"]])
    ]
    groups[1] = [("api", *row[1:]) for row in groups[1]]
    for module in dict.fromkeys(row["module"] for row in offered):
        own = [row for row in offered if row["module"] == module]
        groups.append(
            [
                (row["kind"], _ASKED_BY.get(row["kind"], "read"), row["name"], module, row["description"], row.get("place", ""))
                for row in own
            ]
        )
    rows = [row for group in groups for row in group]
    if width is None:
        # Whoever reads it by program finds whole descriptions in the JSON.
        cells = table(_HEADING, [(*row[:4], _cut(row[4].partition("\n")[0], 80), row[5]) for row in rows])
    else:
        cells = table(*_narrowed(_HEADING, rows, width))
    lines, rest = cells[:1], iter(cells[1:])
    for group in filter(None, groups):
        lines += [*([""] if len(lines) > 1 else []), *(next(rest) for _ in group)]
    return lines


def _narrowed(
    heading: tuple[str, ...], rows: Sequence[tuple[str, ...]], width: int
) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """The columns that a terminal has room for: a narrow one has none for the places, then the widest are cut."""
    cells = [heading, *(tuple(cell.partition("\n")[0] for cell in row) for row in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(heading))]
    if width < _ROOMY and sum(widths) + 2 * (len(widths) - 1) > width:
        widths.pop()
    room = width - 2 * (len(widths) - 1)
    while sum(widths) > room and max(widths) > _NARROWEST:
        widths[widths.index(max(widths))] -= 1
    cut = [tuple(_cut(cell, wide) for cell, wide in zip(row, widths, strict=False)) for row in cells]
    return cut[0], cut[1:]


def _cut(cell: str, width: int) -> str:
    if len(cell) <= width:
        return cell
    # Of a place the end tells most: the file's name and the line.
    return f"…{cell[1 - width :]}" if _PLACE.search(cell) else f"{cell[: width - 1]}…"


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
