"""The commands that use the MCP modules as a client would: started like `lazyapp mcp stdio`, without a port, for one request."""

import asyncio
import logging
import os
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Annotated, Any, NamedTuple

import typer

from lazyapp.cli.process import leave_within, result_alone, tell, visible
from lazyapp.errors import LazyappError

INTERRUPTED = 130
# When all is closed, what still runs is a thread or a task that did not heed its cancellation.
LEAVE_WITHIN_S = 1.0

User = Annotated[
    str, typer.Option("--user", "-u", metavar="NAME", help="As this user of the application, with what is open to them.")
]
Scope = Annotated[
    str | None, typer.Option("--scope", metavar="SCOPES", help="With --user: the scopes of the token; without, all there are.")
]
AsJSON = Annotated[bool, typer.Option("--json", help="The result as it is sent, as JSON.")]
Out = Annotated[str, typer.Option("--out", metavar="PATH", help="Save pictures, sounds and files: in a file, or in a folder.")]


class Done(NamedTuple):
    """What a command has to say: for stdout, and as its exit code."""

    text: str
    code: int = 0


Act = Callable[[Any], Awaitable[Done]]


def act_as_client(act: Act, *, user: str = "", scopes: str | None = None, answers: Sequence[str] = ()) -> None:
    """Start the application, let `act` use its MCP modules through a `Client`, close it, print, and end the process.

    Raises:
        ConfigurationError: there is no such user, no MCP module, or a setting is wrong.
        LazyappError: what was asked for was refused, or the start failed.
    """
    from lazyapp import location
    from lazyapp.mcp_client.answers import given

    before = list(given(answers))
    os.environ.setdefault("LAZYAPP_ENV", "development")
    _log()
    done = Done("", INTERRUPTED)
    with result_alone() as write:
        here = location.enter()
        with asyncio.Runner() as runner:
            try:
                done = runner.run(_act(location.load(here), act, user, scopes, before))
                if done.text:
                    write(done.text)
            except (KeyboardInterrupt, asyncio.CancelledError):
                tell("Cancelled.")
            finally:
                # A thread that nobody can stop must not keep the terminal; its answer is not waited for any more.
                leave_within(LEAVE_WITHIN_S, done.code)
    raise typer.Exit(done.code)


async def _act(app: Any, act: Act, user: str, scopes: str | None, before: list[Any]) -> Done:
    from lazyapp.mcp_client.answers import Answers, terminal
    from lazyapp.mcp_client.client import Client, Refused
    from lazyapp.mcp_client.people import acting_for

    read = terminal()
    answers = Answers(before, _say, read) if before or read is not None else None
    try:
        async with acting_for(app, user, scopes) as scope:
            return await act(Client(scope, heard=_hear, answer=answers))
    except Refused as refused:
        raise LazyappError(_sentence(refused)) from None


def _sentence(refused: Any) -> str:
    if "elicitation" in str((refused.data or {}).get("requiredCapabilities", "")):
        return "It asks its user something, and there is no terminal to answer at; run it in one, or answer with --answer."
    return visible(str(refused.message))


def _log() -> None:
    from lazyapp.serving.log_lines import quieten

    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(levelname)s  %(name)s: %(message)s")
    quieten()


def _say(text: str) -> None:
    tell(text, end="")


def _hear(message: Mapping[str, Any]) -> None:
    """Progress and log messages, a line each."""
    said = message.get("params", {})
    if message.get("method") == "notifications/progress":
        total = said.get("total")
        far = "" if said.get("progress") is None else f"{said['progress']:g}" + (f"/{total:g}" if total is not None else "")
        tell(" ".join(filter(None, ("…", far, str(said.get("message", ""))))))
    elif message.get("method") == "notifications/message":
        tell(f"{said.get('level')}: {said.get('data')}")
