"""lazyapp as a contestant, through the whole `App`: `python -m benchmarks.ours [--many] [--oauth] PORT`."""

import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import uvicorn

import lazyapp
import lazymcp
import lazyoauth
from benchmarks.work import TOOLS, add, another
from lazymcp import ToolSpec
from tests.flows.serving import PASSWORD


class Bench(lazymcp.Base):
    """A module without a name, so that its tool is `add` as in the other contestants."""

    name = ""

    def tools(self) -> list[ToolSpec]:
        """One tool, or a thousand."""
        count = TOOLS if "--many" in sys.argv else 1
        return [ToolSpec(fn=add)] + [ToolSpec(fn=another(number)) for number in range(1, count)]


OPTIONS = lazymcp.Options(server_info=lazymcp.ServerInfo(name="bench", version="1.0"))


def register(ctx: lazyapp.AppContext, scope: lazymcp.Scope) -> None:
    """Register the one module."""
    scope.register(Bench())


def oauth(ctx: lazyapp.AppContext) -> lazyoauth.Config:
    """Guard it, with logins in memory."""
    return lazyoauth.Config(issuer=ctx.settings.public_url, refresh_token_states=lazyoauth.MemoryRefreshTokenStates())


def main() -> None:
    """Serve with the settings that production has, without its refusals."""
    port = int(sys.argv[-1])
    with TemporaryDirectory() as folder:
        os.environ |= {"LAZYAPP_ENV": "test", "PUBLIC_URL": f"http://127.0.0.1:{port}", "LAZYAUTH_DEFAULT_PASS": PASSWORD}
        settings = lazyapp.Settings.load(Path(folder))
        config = lazyapp.Config(name="bench", mcp_options=OPTIONS, mcp=register, oauth=oauth if "--oauth" in sys.argv else None)
        app = lazyapp.App(config, settings=settings)
        uvicorn.run(app, port=port, log_level="error", access_log=False, loop="uvloop", http="httptools")


if __name__ == "__main__":
    main()
