"""Servers of one file of 20 kB: `python -m benchmarks.file_server limit|lazyapp|StaticFiles PORT`."""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles

import lazyapp
from lazyapp.public import PublicFiles
from lazyapp.security import Security

PATH = "/photo.webp"
BODY = bytes(range(250)) * 80


def bare(folder: Path, port: int) -> Any:
    """The limit: it checks method, path and host, and sends what was prepared."""
    hosts = {f"127.0.0.1:{port}".encode(), f"localhost:{port}".encode()}
    file = PublicFiles(folder, hashed=True, headers=Security(["localhost"]).headers("", "")).find(PATH)
    assert file is not None
    headers, body = file.headers, file.body

    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            while (event := (await receive())["type"]) != "lifespan.shutdown":
                await send({"type": f"{event}.complete"})
            await send({"type": "lifespan.shutdown.complete"})
            return
        asked = dict(scope["headers"])
        assert (scope["method"], scope["path"]) == ("GET", PATH)
        assert asked[b"host"] in hosts
        assert not {b"range", b"if-none-match", b"if-modified-since"} & asked.keys()
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    return app


def main() -> None:
    """Serve until killed."""
    name, port = sys.argv[1], int(sys.argv[2])
    with TemporaryDirectory() as parent:
        folder = Path(parent) / "public"
        folder.mkdir()
        (folder / PATH[1:]).write_bytes(BODY)
        if name == "limit":
            app = bare(folder, port)
        elif name == "lazyapp":
            settings = lazyapp.Settings(
                env="production", root=Path(parent), given_public_url=f"http://127.0.0.1:{port}", secret_key="s" * 40
            )
            app = lazyapp.App(lazyapp.Config(name="bench", public=folder), settings=settings)
        else:
            app = Starlette(routes=[Mount("/", StaticFiles(directory=folder))])
        uvicorn.run(app, port=port, log_level="error", access_log=False, loop="uvloop", http="httptools")


if __name__ == "__main__":
    main()
