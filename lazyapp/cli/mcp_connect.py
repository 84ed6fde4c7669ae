"""`lazyapp mcp connect`."""

import difflib
import os
from pathlib import Path
from typing import Annotated, Any

import typer

from lazyapp.cli.group import make
from lazyapp.cli.process import result_alone, tell
from lazyapp.errors import ConfigurationError, LazyappError

command = make()


@command.command()
def connect(
    client: Annotated[
        str,
        typer.Argument(
            metavar="CLIENT", help="claude, cursor, vscode, codex, gemini, inspector, json or chatgpt", show_default=False
        ),
    ],
    stdio: Annotated[bool, typer.Option("--stdio", help="As a local process, without web server and login.")] = False,
    url: Annotated[str, typer.Option("--url", metavar="URL", help="Of another deployment: https://example.com/mcp")] = "",
    name: Annotated[str, typer.Option("--name", metavar="NAME", help="The word under which the client lists it.")] = "",
    write: Annotated[bool, typer.Option("--write", help="Write it into the client's file in this project.")] = False,
    for_user: Annotated[bool, typer.Option("--global", help="The client's file for all projects of this user.")] = False,
    replace: Annotated[bool, typer.Option("--replace", help="With --write: in the place of another entry of this name.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="With --write: show what would change.")] = False,
) -> None:
    """Tell an AI client of this application: print its command and its settings, or write them into its file.

    --write keeps everything else in the file, and puts what stood there before beside it.

    \b
    Examples:
      lazyapp mcp connect claude
      lazyapp mcp connect cursor --write
      lazyapp mcp connect codex --stdio --global --write --dry-run
    """  # \b keeps the lines of the help as they are
    with result_alone() as say:
        from lazyapp.connect.clients import CLICKED, CLIENTS

        _refuse_unknown(client, [*CLIENTS, *CLICKED])
        if stdio and url:
            raise ConfigurationError("Either --stdio or --url: a local process has no URL.")
        app, root = _application()
        server = _server(app, root, stdio=stdio, url=url, name=name)
        if client in CLICKED:
            say(_clicked(CLICKED[client], server))
        elif write:
            _write(say, CLIENTS[client], server, root, for_user=for_user, replace=replace, dry_run=dry_run)
        else:
            say(told(CLIENTS[client], server, for_user=for_user))
        _tell_of_port(app, root, is_given=stdio or bool(url))


def _tell_of_port(app: Any, root: Path, *, is_given: bool) -> None:
    from lazyapp.served_at import served_at

    if not (is_given or served_at(root) or app.settings.given_public_url):
        tell("`lazyapp serve` does not run here now; on another port than this, give --url http://localhost:PORT/mcp.")


def told(client: Any, server: Any, *, for_user: bool) -> str:
    """What a person types, or writes into the client's file."""
    commands = list(client.commands(server, for_user))
    settings = text_of(client, server)
    if client.project:
        file = f"{_path(client, Path(), for_user)} (--write does it):"
        before = [*commands, "", f"or, in {file}"] if commands else [f"In {file}"]
        parts = [f"# {client.title}: {client.page}", "", *before, "", settings]
    else:
        parts = commands or [settings]
    if next_steps := steps(client, server, for_user=for_user):
        parts += ["", *next_steps]
    return "\n".join(parts)


def steps(client: Any, server: Any, *, for_user: bool) -> list[str]:
    """What is left to do, and to know."""
    told = [client.then] if server.url and client.then else []
    return told + ([client.note] if client.note and not for_user else [])


def text_of(client: Any, server: Any) -> str:
    """The client's file, if nothing else stood in it."""
    if client.is_toml:
        from lazyapp.connect.toml_settings import table

        return table(client.key, server.name, client.entry(server)).rstrip("\n")
    from lazyapp.mcp_client.shown import as_json

    return as_json(client.settings(server))


def _application() -> tuple[Any, Path]:
    from lazyapp import location

    os.environ.setdefault("LAZYAPP_ENV", "development")
    here = location.enter()
    return location.load(here), here.root


def _server(app: Any, root: Path, *, stdio: bool, url: str, name: str) -> Any:
    from lazyapp.connect.clients import Server, local_command
    from lazyapp.served_at import served_at
    from lazyapp.steps.mcp import MCP_PATH, NO_MODULES

    if app.config.mcp is None:
        raise ConfigurationError(NO_MODULES)
    name = name or app.config.client_name
    if not name.isascii() or not name.replace("-", "").replace("_", "").isalnum():
        raise ConfigurationError(f"--name {name!r} should be letters, digits, - and _, which every client takes.")
    if stdio:
        return Server(name, command=local_command(root))
    url = url or f"{served_at(root) or app.settings.public_url}{MCP_PATH}"
    if not url.startswith(("https://", "http://")) or any(letter.isspace() or not letter.isprintable() for letter in url):
        raise ConfigurationError(f"--url {url!r} should be the whole URL, such as https://example.com/mcp.")
    return Server(name, url)


def _clicked(words: str, server: Any) -> str:
    from urllib.parse import urlsplit

    if not server.url:
        raise ConfigurationError("ChatGPT starts no local process; leave --stdio out.")
    reach = ""
    if urlsplit(server.url).hostname in ("localhost", "127.0.0.1", "::1"):
        reach = "\nIt calls from OpenAI's servers and does not reach this machine: give --url with a public https URL."
    return f"{words}\n\n{server.url}{reach}"


def _path(client: Any, root: Path, for_user: bool) -> Path:
    return client.user(Path.home()) if for_user else root / client.project  # type: ignore[no-any-return]


def _write(say: Any, client: Any, server: Any, root: Path, *, for_user: bool, replace: bool, dry_run: bool) -> None:
    from lazyapp.connect import files
    from lazyapp.connect.errors import Kept, Taken, Unreadable

    if not client.project:
        raise ConfigurationError(f"{client.title} has no file of settings here; leave --write out.")
    path = _path(client, root, for_user)
    before = files.read(path)
    try:
        after = _merged(client, server, before or "", replace)
    except Kept:
        say(f"{path} has {server.name} already, just so.")
        return
    except Taken as taken:
        raise LazyappError(
            f"{path} has another entry of this name; --replace puts the new one in its place.\n{taken.there}"
        ) from None
    except Unreadable as problem:
        raise LazyappError(f"{path} was left as it is, for {problem}. Add this yourself:\n\n{text_of(client, server)}") from None
    if dry_run:
        say(_difference(path, before or "", after))
        return
    backup = files.write(path, after, before, private=for_user)
    say(f"{server.name} is in {path}" + (f"; what stood there before is in {backup}." if backup else "."))
    for line in steps(client, server, for_user=for_user):
        tell(line)


def _merged(client: Any, server: Any, text: str, replace: bool) -> str:
    from lazyapp.connect import json_settings, toml_settings

    merged = toml_settings.merged if client.is_toml else json_settings.merged
    return merged(text, client.key, server.name, dict(client.entry(server)), replace=replace)


def _difference(path: Path, before: str, after: str) -> str:
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), str(path), str(path), lineterm="")
    return "\n".join(lines)


def _refuse_unknown(client: str, known: list[str]) -> None:
    if client in known:
        return
    near = difflib.get_close_matches(client, known, n=1)
    advice = f"did you mean {near[0]}?" if near else f"it is one of {', '.join(known)}."
    raise ConfigurationError(f"There is no client {client[:60]!r}; {advice}")
