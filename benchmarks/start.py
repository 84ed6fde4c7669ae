"""The start of the example: from `lazyapp serve` to its first page, in seconds: `python -m benchmarks.start [--quick]`.

The bar is the project's budget: less than 1.5 s. A machine is as fast as it is, so beside it stands what no start can be without: a
bare ASGI function on the same uvicorn, from spawn to its first answer.
"""

import os
import signal
import statistics
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.contest import ROOT

ROUNDS = 3 if "--quick" in sys.argv else 7
BAR_S, PORT, PATIENCE_S = 1.5, 3999, 60

OURS = (sys.executable, "-m", "lazyapp", "serve", "--no-reload", "--port", str(PORT))
BARE = (sys.executable, "-m", "uvicorn", "benchmarks.bare:app", "--log-level", "critical", "--port", str(PORT))


def seconds(command: Sequence[str], folder: Path) -> float:
    """From spawn to the first page that is answered."""
    environment = os.environ | {"DATABASE_URL": f"sqlite+aiosqlite:///{folder / 'app.db'}", "SECRET_KEY": "k" * 32}
    began = time.perf_counter()
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            while not _answers():
                if process.poll() is not None or time.perf_counter() > began + PATIENCE_S:
                    raise SystemExit(f"{' '.join(command)} does not answer")
                time.sleep(0.005)
            return time.perf_counter() - began
        finally:
            process.send_signal(signal.SIGTERM)


def main() -> None:
    """Take turns, and print the medians; exit code 1 when the bar does not hold."""
    with TemporaryDirectory() as folder:
        seconds(OURS, Path(folder))  # makes the database, and the byte code
        rounds = [(seconds(OURS, Path(folder)), seconds(BARE, Path(folder))) for _ in range(ROUNDS)]
    ours, bare = (statistics.median(column) for column in zip(*rounds, strict=True))
    spread = ", ".join(f"{first:.2f}" for first, _ in rounds)
    verdict = "PASS" if ours < BAR_S else "FAIL"
    print(f"start of the example  {ours:.2f} s ({spread})  bare uvicorn {bare:.2f} s  {verdict} (< {BAR_S} s)")
    sys.exit(0 if ours < BAR_S else 1)


def _answers() -> bool:
    try:
        with urllib.request.urlopen(f"http://localhost:{PORT}/", timeout=PATIENCE_S) as answer:
            return bool(answer.status)
    except urllib.error.HTTPError:
        return True  # the bare one has no page there
    except OSError:
        return False


if __name__ == "__main__":
    main()
