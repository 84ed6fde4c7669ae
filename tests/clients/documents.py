"""`DocumentHosts`: the hosts of AI clients on this machine, with the documents and the keys that they publish."""

import json
import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, ClassVar, Self
from urllib.parse import urlsplit


class DocumentHosts:
    """Serves JSON documents by the URL that they have on the internet, each host in a folder of its own.

    Attributes:
        asked: the URLs that were asked for, in order.
    """

    def __init__(self, documents: Mapping[str, Any]) -> None:
        self.asked: list[str] = []
        handler = type("_HandlerHere", (_Handler,), {"documents": documents, "asked": self.asked})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})
        self._hosts = sorted({urlsplit(url).netloc for url in documents})

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    @property
    def variable(self) -> str:
        """The value of `LAZYOAUTH_TEST_DOCUMENTS` that leads here."""
        base = f"http://127.0.0.1:{self._server.server_address[1]}"
        return ",".join(f"https://{host}/={base}/{host}/" for host in self._hosts)


class _Handler(BaseHTTPRequestHandler):
    documents: ClassVar[Mapping[str, Any]]
    asked: ClassVar[list[str]]

    def do_GET(self) -> None:
        url = f"https:/{self.path}"
        self.asked.append(url)
        known = url in self.documents
        body = json.dumps(self.documents.get(url, {"error": "not found"})).encode()
        self.send_response(200 if known else 404)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: Any) -> None:
        """What was asked stands in `asked`."""
