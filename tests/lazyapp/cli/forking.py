"""`lazyapp` commands in processes of their own that need not import the framework first: each is forked from one that has.

As much as a start of Python would show is shown: its own working folder, environment, arguments and pipes, and the exit code of
`lazyapp.cli.main`.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.lazyapp.tiny_app import environment

_SERVER = """
import json, os, sys
import lazyapp.app, lazyapp.cli, lazyapp.location, lazyapp.mcp_client, lazymcp.scope, lazyapp.serving.log_lines
import aiosqlite, sqlalchemy.dialects.sqlite.aiosqlite, lazyview.engine
import lazyapp.cli.root
import lazyapp.cli.mcp_call, lazyapp.cli.mcp_connect, lazyapp.cli.mcp_lint, lazyapp.cli.mcp_list
import lazyapp.cli.mcp_prompt, lazyapp.cli.mcp_read, lazyapp.connect.clients, lazyapp.developing.all
import lazyapp.mcp_client.answers, lazyapp.mcp_client.people, lazyapp.mcp_client.shown, lazyapp.mcp_lint.lint
import lazyauth.sql, lazymcp.http, lazymcp.uri_template, pydantic.v1

for line in sys.stdin:
    asked = json.loads(line)
    child = os.fork()
    if child:
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
        continue
    os.chdir(asked["cwd"])
    os.environ.clear()
    os.environ.update(asked["environment"])
    for number, path in enumerate(asked["files"]):
        os.dup2(os.open(path, os.O_RDWR), number)
    sys.stdin, sys.stdout, sys.stderr = (open(number, mode, closefd=False) for number, mode in ((0, "r"), (1, "w"), (2, "w")))
    sys.__stdout__, sys.__stderr__ = sys.stdout, sys.stderr
    sys.argv = ["lazyapp", *asked["arguments"]]
    code = 70
    try:
        lazyapp.cli.main()
    except SystemExit as end:
        code = end.code or 0
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
"""


class Commands:
    """Runs commands; one for a session of tests."""

    def __init__(self) -> None:
        root = str(Path(__file__).parents[3])
        self._server = subprocess.Popen(
            [sys.executable, "-c", _SERVER],
            env=environment(PYTHONPATH=root),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __call__(self, folder: Path, *arguments: str, stdin: str = "", **variables: str) -> subprocess.CompletedProcess[str]:
        """A command that ends by itself, in a folder."""
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        with tempfile.TemporaryDirectory() as place:
            files = [Path(place) / name for name in ("in", "out", "err")]
            for file in files:
                file.write_text(stdin if file.name == "in" else "")
            asked = {
                "cwd": str(folder),
                "arguments": arguments,
                "environment": environment(**variables),
                "files": [str(file) for file in files],
            }
            self._server.stdin.write(json.dumps(asked) + "\n")
            self._server.stdin.flush()
            code = int(self._server.stdout.readline())
            return subprocess.CompletedProcess(list(arguments), code, files[1].read_text(), files[2].read_text())

    def close(self) -> None:
        """End the process that the commands are forked from."""
        self._server.communicate()
