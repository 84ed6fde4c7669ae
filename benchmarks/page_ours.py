"""lazyapp as a contestant with a page, through the whole `App`: `python -m benchmarks.page_ours PORT`."""

import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import uvicorn

import lazyapp
from benchmarks.page import TITLE, VIEWS, search


class AccountsController(lazyapp.Controller):
    """The page."""

    async def index(self) -> dict[str, object]:
        """Renders benchmarks/views/accounts/index.html.j2 in layouts/app.html.j2."""
        return {"title": TITLE, "accounts": await search()}


def draw(routes: lazyapp.Routes) -> None:
    """Draw its route."""
    routes.resources("accounts", AccountsController)


def main() -> None:
    """Serve with the settings that production has, without its refusals."""
    port = int(sys.argv[-1])
    with TemporaryDirectory() as folder:
        os.environ |= {"LAZYAPP_ENV": "test", "PUBLIC_URL": f"http://127.0.0.1:{port}"}
        app = lazyapp.App(lazyapp.Config(name="bench", drawer=draw, views=VIEWS), settings=lazyapp.Settings.load(Path(folder)))
        uvicorn.run(app, port=port, log_level="error", access_log=False, loop="uvloop", http="httptools")


if __name__ == "__main__":
    main()
