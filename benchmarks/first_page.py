"""A newcomer's wait, from `lazyapp new` to the first page, in seconds: `python -m benchmarks.first_page [--quick]`.

`lazyapp new shop && cd shop && bin/serve`, each time in an empty folder: application, database and byte code are all made anew.
lazyapp and what it needs are installed. The bar is the project's budget: less than 15 s. Beside the sum stands what is spent where:
until the application is there, and from there until its page is answered.
"""

import os
import statistics
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from benchmarks.contest import free_port

ROUNDS = 3 if "--quick" in sys.argv else 7
BAR_S, PATIENCE_S = 15, 60


class Wait(NamedTuple):
    """What one newcomer waited for."""

    made_s: float
    page_s: float

    @property
    def whole_s(self) -> float:
        """Until the page is there."""
        return self.made_s + self.page_s


def newcomer(folder: Path) -> Wait:
    """One newcomer, in a folder of their own."""
    began = time.perf_counter()
    subprocess.run([sys.executable, "-m", "lazyapp", "new", "shop"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    made = time.perf_counter()
    port = free_port()
    with subprocess.Popen(
        ["bin/serve", "--port", str(port)], cwd=folder / "shop", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        try:
            while not _shows_the_page(port):
                if process.poll() is not None or time.perf_counter() > made + PATIENCE_S:
                    raise SystemExit("bin/serve does not answer")
                time.sleep(0.01)
            return Wait(made - began, time.perf_counter() - made)
        finally:
            process.terminate()


def main() -> None:
    """Several newcomers one after the other, and the medians; exit code 1 when the bar does not hold."""
    os.environ |= {"DRAIN_DELAY_S": "0"}
    waits: list[Wait] = []
    for _ in range(ROUNDS):
        with TemporaryDirectory() as folder:
            waits.append(newcomer(Path(folder)))
    whole = statistics.median(wait.whole_s for wait in waits)
    made = statistics.median(wait.made_s for wait in waits)
    page = statistics.median(wait.page_s for wait in waits)
    spread = ", ".join(f"{wait.whole_s:.2f}" for wait in waits)
    verdict = "PASS" if whole < BAR_S else "FAIL"
    print(
        f"first page of a new application  {whole:.2f} s ({spread})  new {made:.2f} s, serve {page:.2f} s  {verdict} (< {BAR_S} s)"
    )
    sys.exit(0 if whole < BAR_S else 1)


def _shows_the_page(port: int) -> bool:
    """Whether the home page is there; the page that says that a start goes on is not it."""
    try:
        with urllib.request.urlopen(f"http://localhost:{port}/", timeout=PATIENCE_S) as answer:
            return b"It runs." in answer.read()
    except OSError:
        return False


if __name__ == "__main__":
    main()
