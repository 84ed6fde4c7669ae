"""`lazyapp docs`: the documentation of the version that is installed, for people and for coding agents. Needs no network."""

import json
import shutil
from typing import Annotated

import typer

from lazyapp.cli.group import make
from lazyapp.errors import ConfigurationError

command = make()


@command.command()
def docs(
    page: Annotated[str, typer.Argument(metavar="[PAGE]", help="Print this page, as Markdown.")] = "",
    search: Annotated[str, typer.Option("--search", metavar="WORDS", help="Find the sections that have these words.")] = "",
    whole: Annotated[bool, typer.Option("--all", help="Print every guide, one after the other.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON: pages with a sentence each, or sections found.")] = False,
) -> None:
    """List the pages of the documentation, print one, or search them.

    \b
    Examples:
      lazyapp docs
      lazyapp docs forms
      lazyapp docs --search "form errors"
    """
    from lazyapp import documentation

    if search:
        _show_found(search, as_json)
    elif whole:
        print(documentation.whole(), end="")
    elif page:
        try:
            print(documentation.page(page), end="")
        except LookupError as error:
            raise ConfigurationError(str(error)) from None
    else:
        _show_pages(as_json)


def _show_pages(as_json: bool) -> None:
    from lazyapp import documentation

    found = documentation.contents()
    if as_json:
        print(json.dumps([{"page": each.page, "title": each.title, "about": each.about} for each in found], indent=2))
        return
    room = shutil.get_terminal_size().columns
    wide = max(len(each.page) for each in found)
    for each in found:
        line = f"{each.page:<{wide}}  {each.about}"
        print(line if len(line) <= room else f"{line[: room - 1]}…")


def _show_found(words: str, as_json: bool) -> None:
    from lazyapp import documentation

    found = documentation.search(words)
    if as_json:
        print(json.dumps([{"page": each.page, "heading": each.heading, "excerpt": each.excerpt} for each in found], indent=2))
    elif not found:
        print(f"No section has {words!r} in it; `lazyapp docs` lists the pages.")
    for each in found if not as_json else ():
        print(f"{each.page}#{each.anchor}  {each.heading}\n    {each.excerpt}\n")
