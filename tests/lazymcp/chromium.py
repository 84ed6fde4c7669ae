"""Headless Chromium for the tests of the widget: it opens a page, and the page posts what it has seen."""

import json
import queue
import shutil
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

TIMEOUT_S = 60
QUIET = ("--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update")


def find_chromium() -> str:
    """The command of the browser; skips the test when there is none."""
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None)
    if found is None:
        pytest.skip("no Chromium on this machine")
    return found


def visit(files: Mapping[str, tuple[str, str]], profile: Path, query: str = "") -> Any:
    """Open the page "/" in a browser of its own; gives the JSON that it posts.

    Args:
        files: content type and text by path.
        profile: an empty folder for the browser.
    """
    flags = ["--headless", "--no-sandbox", "--disable-sync", "--disable-dev-shm-usage", *QUIET, f"--user-data-dir={profile}"]
    with served(files) as (address, posted):
        browser = subprocess.Popen([find_chromium(), *flags, address + query], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            return posted.get(timeout=TIMEOUT_S)
        finally:
            browser.terminate()
            browser.wait()


@contextmanager
def served(files: Mapping[str, tuple[str, str]]) -> Iterator[tuple[str, "queue.SimpleQueue[Any]"]]:
    """Serves these files on a free port; gives its address and the queue of what is posted to it."""
    posted: queue.SimpleQueue[Any] = queue.SimpleQueue()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            kind, text = files.get(self.path.partition("?")[0], ("text/plain", ""))
            self.answer(kind, text)

        def do_POST(self) -> None:
            posted.put(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.answer("text/plain", "")

        def answer(self, kind: str, text: str) -> None:
            body = text.encode()
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: Any) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/", posted
        finally:
            server.shutdown()
            thread.join()
