"""A public folder with everything in it that must not be served, and a server of nothing else."""

from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from lazyapp.public import PublicFiles


def public_folder(parent: Path) -> Path:
    """A folder `public` in another; `SECRET` stands in whatever lies outside of it or is hidden."""
    folder = parent / "public"
    (folder / "css" / "deep").mkdir(parents=True)
    (folder / "app.css").write_text("body{}")
    (folder / "css" / "deep" / "page.css").write_text("p{}")
    (folder / "robots").write_text("no ending")
    (folder / "a b.txt").write_text("space")
    (folder / ".env").write_text("SECRET=1")
    (folder / ".git").mkdir()
    (folder / ".git" / "config").write_text("SECRET hidden")
    (parent / "secret.txt").write_text("SECRET outside")
    (parent / "public-2").mkdir()
    (parent / "public-2" / "secret.txt").write_text("SECRET beside")
    (folder / "link.txt").symlink_to(parent / "secret.txt")
    (folder / "inner.css").symlink_to(folder / "app.css")
    (folder / "shown.txt").symlink_to(folder / ".env")
    (folder / "loop.txt").symlink_to(folder / "loop.txt")
    (folder / "out").symlink_to(parent)
    return folder


def served(files: PublicFiles) -> TestClient:
    """A client of the files alone; 404 for whatever is none."""

    async def app(scope: Any, receive: Any, send: Any) -> None:
        file = files.find(scope["path"])
        if file is None:
            await send({"type": "http.response.start", "status": 404, "headers": []})
            await send({"type": "http.response.body", "body": b""})
        else:
            await files.send(file, scope, receive, send)

    return TestClient(app, headers={"accept-encoding": ""})
