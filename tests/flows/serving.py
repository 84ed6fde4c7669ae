"""The real server as a process: `lazyapp serve`, started, read, killed and started again."""

import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.secrecy.ledger import check, read_secrets, talkative

ROOT = Path(__file__).parents[2]
USER, PASSWORD = "admin", "correct horse battery staple"
SECRET_KEY = "0123456789abcdef" * 4
START_TIMEOUT_S = 60
STOP_TIMEOUT_S = 20


class Server:
    """One `lazyapp serve`, in a process group of its own, at DEBUG; what crosses its wire may not stand in its log when it ends.

    Args:
        log: the file that gets its stdout and stderr.
        environment: variables beside PATH, HOME and those that let `USER` in with `PASSWORD`.
        folder: where the application stands.
        options: of `lazyapp serve`.
        port: 0 takes a free one; behind a front the banner does not tell it, so there it has to be chosen.
    """

    def __init__(
        self,
        log: Path,
        environment: Mapping[str, str],
        *,
        folder: Path = ROOT,
        options: tuple[str, ...] = ("--no-reload",),
        port: int = 0,
    ) -> None:
        self._log, self._folder, self._options, self._port = log, folder, options, port
        self._secrets = log.with_name(log.name + ".secrets")
        self._environment = environment_for(talkative(self._secrets) | dict(environment))
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Stop it and look at its log; what failed first is what is told, and what fails here is noted beside it."""
        try:
            self.stop()
            self.check_secrecy()
        except Exception as failure:
            if error is None:
                raise
            error.add_note(f"and then {type(failure).__name__}: {failure}")

    @property
    def url(self) -> str:
        """The origin that the banner names."""
        return f"http://localhost:{self._port}"

    @property
    def port(self) -> int:
        return self._port

    @property
    def log(self) -> str:
        """Everything the process has said so far."""
        return self._log.read_text()

    def check_secrecy(self) -> None:
        """Look for secrets in the log.

        Raises:
            Leaks: a secret that crossed the wire so far stands in the log.
        """
        check(read_secrets(self._secrets), {self._log.name: self.log})

    def start(self) -> None:
        """Start it on a free port, or again on the one it had; returns when the banner is out."""
        seen = len(self.log) if self._log.exists() else 0
        command = [sys.executable, "-m", "lazyapp", "serve", "--port", str(self._port), *self._options]
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                command,
                cwd=self._folder,
                env=self._environment,
                stdout=log,
                stderr=log,
                stdin=subprocess.DEVNULL,
                start_new_session=True,
            )
        deadline = time.monotonic() + START_TIMEOUT_S
        while not (banner := re.search(r"^ *Pages +http://\S+?:(\d+)$", self.log[seen:], re.MULTILINE)):
            if self._process.poll() is not None or time.monotonic() > deadline:
                self.kill()
                raise AssertionError(f"the server did not start:\n{self.log[seen:]}")
            time.sleep(0.02)
        self._port = self._port or int(banner[1])

    def stop(self) -> None:
        """End it as an operator does; it has to go by itself."""
        if self._process is None:
            return
        self._process.send_signal(signal.SIGTERM)
        try:
            code = self._process.wait(STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f"the server ignored SIGTERM:\n{self.log}") from None
        self._process = None
        assert code == 0, f"the server ended with {code}:\n{self.log}"

    def kill(self) -> None:
        """SIGKILL for the supervisor and every worker at once, as a lost machine would have it."""
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
            self._process = None


def free_port() -> int:
    """A port that was free a moment ago."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


def environment_for(variables: Mapping[str, str]) -> dict[str, str]:
    """What a process of lazyapp gets: nothing of this run's own settings, a user who can log in, and `variables`."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR") if name in os.environ}
    ours = {"LAZYAUTH_DEFAULT_PASS": PASSWORD, "SECRET_KEY": SECRET_KEY, "DRAIN_DELAY_S": "0", "LAZYAPP_MIGRATE": "auto"}
    return kept | ours | dict(variables)
