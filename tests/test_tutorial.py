"""The tutorial, followed from an empty folder: every command is run, every file is written, every output that it shows is seen.

A `console` block holds commands, each after `$`; the lines below one have to stand in its output, in that order. A block after a
line that names a file in backquotes is that file, or, as `diff`, a change of it. `text` is for eyes only.
"""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.flows.serving import free_port

TUTORIAL = Path(__file__).parents[1] / "docs" / "tutorial.md"
PATIENCE_S = 60
_BLOCK = re.compile(r"^(?P<before>[^\n]*)\n+```(?P<kind>\w+)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
_FILE = re.compile(r"(?:^|\s)`(?P<name>[\w./]+\.\w+)`[^`]*:$")


class Command(NamedTuple):
    """A command line, and what it has to print."""

    typed: str
    shown: list[str]


class Reader:
    """Somebody who does what the tutorial says.

    Args:
        folder: where they begin.
    """

    def __init__(self, folder: Path) -> None:
        self._home = self._folder = folder
        self._port = free_port()
        self._server: subprocess.Popen[bytes] | None = None
        kept = {name: os.environ[name] for name in ("TMPDIR",) if name in os.environ}
        tools = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        self._environment = kept | {"PATH": tools, "HOME": str(folder), "PORT": str(self._port), "COLUMNS": "200"}

    def do(self, block: re.Match[str]) -> None:
        """One block."""
        if block["kind"] == "console":
            for command in commands(block["body"]):
                self._run(command)
        elif block["kind"] != "text":
            named = _FILE.search(block["before"])
            assert named, f"no file is named before: {block['body'][:80]}"
            file = self._folder / named["name"]
            if block["kind"] == "diff":
                file.write_text(changed(file.read_text(), block["body"]))
            else:
                assert not file.exists(), f"{file} is there already"
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(block["body"])

    def stop(self) -> None:
        """Ctrl-C."""
        if self._server is not None:
            self._server.send_signal(signal.SIGINT)
            self._server.wait(PATIENCE_S)
            self._server = None

    def _run(self, command: Command) -> None:
        words = command.typed.split()
        if words[0] == "cd":
            self._folder /= words[1]
        elif words[0] == "export":
            said = self._shell(f"{command.typed}; env").stdout
            self._environment |= dict(line.split("=", 1) for line in said.splitlines() if re.match(r"[A-Z_]+=", line))
        elif words == ["lazyapp", "serve"]:
            self._serve(command)
        else:
            done = self._shell(command.typed)
            assert done.returncode == 0, f"$ {command.typed}\n{done.stdout}"
            see(command, self._as_written(done.stdout))

    def _shell(self, typed: str) -> subprocess.CompletedProcess[str]:
        here = typed.replace("localhost:3000", f"localhost:{self._port}")
        return subprocess.run(
            ["bash", "-c", here],
            cwd=self._folder,
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=300,
            check=False,
        )

    def _serve(self, command: Command) -> None:
        self.stop()
        log = self._home / "server.log"
        with log.open("wb") as out:
            self._server = subprocess.Popen(
                ["bash", "-c", "exec lazyapp serve"], cwd=self._folder, env=self._environment, stdout=out, stderr=out
            )
        until = time.monotonic() + PATIENCE_S
        while missing(command, self._as_written(log.read_text())) is not None:
            assert self._server.poll() is None, log.read_text()
            assert time.monotonic() < until, log.read_text()
            time.sleep(0.05)

    def _as_written(self, output: str) -> str:
        return output.replace(f"localhost:{self._port}", "localhost:3000")


def commands(body: str) -> Iterator[Command]:
    """The commands of a console block."""
    for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
        typed, *shown = part.rstrip("\n").split("\n")
        yield Command(typed, [line for line in shown if line.strip()])


def see(command: Command, output: str) -> None:
    """Look for what the tutorial shows."""
    line = missing(command, output)
    assert line is None, f"$ {command.typed}\ndoes not show {line!r}:\n{output}"


def missing(command: Command, output: str) -> str | None:
    """The first line that the output lacks; blanks between words do not matter."""
    rest = [" ".join(line.split()) for line in output.splitlines()]
    for shown in command.shown:
        wanted = " ".join(shown.split())
        found = next((position for position, line in enumerate(rest) if wanted in line), None)
        if found is None:
            return shown
        rest[: found + 1] = [rest[found].split(wanted, 1)[1]]
    return None


def changed(text: str, diff: str) -> str:
    """A file with the hunks of a diff carried out; what each takes away stands in it once."""
    for hunk in re.split(r"^@@.*\n", diff, flags=re.MULTILINE):
        lines = hunk.splitlines()
        before = "".join(f"{line[1:]}\n" for line in lines if not line.startswith("+"))
        after = "".join(f"{line[1:]}\n" for line in lines if not line.startswith("-"))
        assert text.count(before) == 1, f"stands there {text.count(before)} times:\n{before}"
        text = text.replace(before, after)
    return text


@pytest.mark.slow
def test_the_tutorial_can_be_followed(tmp_path: Path) -> None:
    """docs/tutorial.md: the tutorial's commands run in the tests from an empty folder."""
    reader = Reader(tmp_path)
    text = TUTORIAL.read_text(encoding="utf-8")
    headings = [(match.start(), match[1]) for match in re.finditer(r"^## (.+)$", text, re.MULTILINE)]
    try:
        for block in _BLOCK.finditer(text):
            step = [name for start, name in headings if start <= block.start()][-1]
            try:
                reader.do(block)
            except AssertionError as error:
                error.add_note(f"in step {step}")
                raise
            if "Stop it" in text[block.end() : block.end() + 300] or "Stop the server" in text[block.end() : block.end() + 300]:
                reader.stop()
    finally:
        reader.stop()


def test_what_a_page_shows_has_to_be_seen() -> None:
    """The reader of this page has to be able to fail."""
    command = next(commands("$ echo\n  one  two\n  three\n"))
    assert missing(command, "one two\nthree") is None
    assert missing(command, "three\none two") == "  three"
    with pytest.raises(AssertionError, match="stands there 0 times"):
        changed("a\n", "-b\n+c\n")
