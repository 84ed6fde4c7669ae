"""What a developer reads when the server is up: where the pages are, what AI clients find, how to sign in."""

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TextIO
from urllib.parse import urlsplit

from lazyapp.settings import LOOPBACK

COUNTED = ("tools", "resources", "prompts", "skills", "apps")
INDENT, LABEL_WIDTH = "  ", 11
BOLD, DIM, CYAN, GREEN, RESET = "\x1b[1m", "\x1b[2m", "\x1b[36m", "\x1b[32m", "\x1b[0m"


@dataclass(frozen=True, slots=True, kw_only=True)
class Surface:
    """What one started application offers, as its process tells the supervisor.

    Args:
        client_name: the word under which AI clients list it.
        modules: the MCP modules with their counts, such as `admin: 2 tools, 1 prompt`; empty when `/mcp` does not exist.
        has_oauth: whether an authorization server protects them.
        user: the bootstrap user who may sign in; None when the application brings its own users, or nobody can.
        is_password_ours: whether that user's password is the one made for this run.
        imported: the modules, not of the application, that the next process may import ahead of need.
    """

    client_name: str
    modules: tuple[str, ...] = ()
    has_oauth: bool = False
    user: str | None = None
    is_password_ours: bool = False
    imported: tuple[str, ...] = field(default=(), repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What the supervisor knows about this run.

    `password` is the one made for it; it appears in the banner and nowhere else.
    """

    version: str
    env: str
    target: str
    origin: str
    workers: int = 1
    password: str | None = None

    def __repr__(self) -> str:
        return f"Run({self.env}, {self.target}, {self.origin})"


def render(run: Run, surface: Surface, *, colour: bool = False, width: int | None = None) -> str:
    """The banner: a heading and one line for each thing to know, each address whole so that it can be clicked.

    Args:
        run: what is served.
        surface: what was started.
        colour: with the terminal's colours.
        width: of the terminal. Where remarks would not fit beside what they are about, they stand below it.
    """
    paint = _paint if colour else _plain
    heading = [f"lazyapp {run.version}", run.env, run.target]
    if run.workers > 1:
        heading.append(f"{run.workers} workers")
    lines = [paint(heading[0], BOLD) + paint(" · " + " · ".join(heading[1:]), DIM)]
    rows = _rows(run, surface)
    noted = max((len(value) for _, value, note in rows if note), default=0) + 2
    longest = max((len(note) for _, _, note in rows), default=0)
    is_narrow = width is not None and len(INDENT) + LABEL_WIDTH + noted + longest > width
    for label, value, note in rows:
        shown = paint(value, CYAN if value.startswith("http") else GREEN if label == "Sign in" else "")
        between = "\n" + " " * (len(INDENT) + LABEL_WIDTH) if is_narrow else " " * (noted - len(value))
        lines.append(paint(f"{label:<{LABEL_WIDTH}}", DIM) + shown + (between + paint(note, DIM) if note else ""))
    return "\n".join(INDENT + line for line in lines)


def width_of(stream: TextIO) -> int | None:
    """The columns of the terminal, or None when something else reads the stream: that gets a line for each thing."""
    return shutil.get_terminal_size().columns if stream.isatty() else None


def counted(module: Any) -> str:
    """A summary of an MCP module in words."""
    counts = [(getattr(module, kind), kind.removesuffix("s")) for kind in COUNTED]
    listed = ", ".join(f"{count} {kind}{'' if count == 1 else 's'}" for count, kind in counts if count)
    return f"{module.name}: {listed}" if module.name else listed


def wants_colour(stream: TextIO, environ: Mapping[str, str] = os.environ) -> bool:
    """Whether this stream is a terminal whose owner has not asked for plain text (https://no-color.org)."""
    return stream.isatty() and not environ.get("NO_COLOR") and environ.get("TERM") != "dumb"


def _rows(run: Run, surface: Surface) -> list[tuple[str, str, str]]:
    rows = [("Pages", run.origin, "")]
    if surface.modules:
        oauth = "OAuth on" if surface.has_oauth else "OAuth off"
        rows.append(("MCP", f"{run.origin}/mcp", f"{oauth} · {' · '.join(surface.modules)}"))
    if run.env != "development":
        return rows
    if surface.user is not None:
        rows.append(_sign_in(run, surface.user, surface.is_password_ours))
    if urlsplit(run.origin).hostname in LOOPBACK:
        rows.append(("Panel", f"{run.origin}/_lazy", "what it serves, and what happened; for this machine only"))
    if surface.modules:
        rows.append(("Claude", f"claude mcp add --transport http {surface.client_name} {run.origin}/mcp", ""))
    return rows


def _sign_in(run: Run, user: str, is_password_ours: bool) -> tuple[str, str, str]:
    if is_password_ours and run.password:
        return "Sign in", f"{user} / {run.password}", "this run only; LAZYAUTH_DEFAULT_PASS sets a lasting one"
    return "Sign in", user, "with the password in LAZYAUTH_DEFAULT_PASS"


def _paint(text: str, style: str) -> str:
    return f"{style}{text}{RESET}" if style and text else text


def _plain(text: str, style: str) -> str:
    return text
