"""What of the example application goes when its owner wants no MCP, or no login for AI clients.

The example is one application, kept whole and tested whole; here is which of its lines belong to what. A line that is not found is
an error, so the example cannot change without this list.
"""

import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lazyapp.errors import LazyappError
from lazyapp.scaffold.shape import Shape

ANYTHING = "[...]"
HOME, LAYOUT, CSS = "app/views/home/index.html.j2", "app/views/layouts/app.html.j2", "app/public/app.css"
ACCOUNTS, ADMIN = "app/controllers/accounts_controller.py", "app/mcps/admin_mcp/__init__.py"


@dataclass(frozen=True, slots=True)
class Cut:
    """One piece of one file, everywhere in it.

    Args:
        file: its path in the application.
        old: the text as it stands; `[...]` in it is whatever lies between, as little as possible.
        new: what stands there instead.
    """

    file: str
    old: str
    new: str = ""

    def apply(self, root: Path) -> None:
        """Make the cut.

        Raises:
            LazyappError: the file does not have the text.
        """
        path = root / self.file
        pattern = ".*?".join(map(re.escape, self.old.split(ANYTHING)))
        text, times = re.subn(pattern, lambda _: self.new, path.read_text(encoding="utf-8"), flags=re.DOTALL)
        if not times:
            raise LazyappError(f"The example application's {self.file} has changed: {self.old!r} is not in it.")
        path.write_text(text, encoding="utf-8")


NO_MCP = (
    Cut("init/app.py", "from init.mcp import register_mcp\n"),
    Cut("init/app.py", "        mcp=register_mcp,\n"),
    Cut("app/__init__.py", "tools for AI clients in mcps/, "),
    Cut("app/services/__init__.py", "a page, an AI client or a script", "a page or a script"),
    Cut(ACCOUNTS, "import lazymcp\n"),
    Cut(ACCOUNTS, " mcp: lazymcp.Scope,"),
    Cut(ACCOUNTS, "_set_active(accounts, mcp, ", "_set_active(accounts, "),
    Cut(ACCOUNTS, "        await mcp.notify_resource_updated([...]\n"),
    Cut("app/controllers/home_controller.py", "        app = self[...]        return {[...]}\n", "        return {}\n"),
    Cut(HOME, "pages to people and tools to AI clients. Both sign in here, with", "pages to people. They sign in here, with"),
    Cut(HOME, '<section class="card">\n  <h2>Connect an AI client</h2>[...]</section>\n\n'),
    Cut(HOME, "{% if is_shown %}\n<section>\n  <h2>What a client finds</h2>[...]</section>\n{% endif %}\n\n"),
    Cut(HOME, "    <dt><code>app/mcps/[...]</dd>\n"),
    Cut(HOME, "accounts page</a> and the tools both use.", "accounts page</a> is built on."),
)

NO_OAUTH = (
    Cut("init/app.py", "from init.oauth import oauth\n"),
    Cut("init/app.py", "        oauth=oauth,\n", "        auth=lazyapp.first_user,\n"),
    Cut("init/app.py", "Without `auth=` it is the one user", "The one user"),
    Cut("init/dependencies.py", "import lazyoauth\n"),
    Cut("init/dependencies.py", "    services.add(lazyoauth.[...]\n"),
    Cut(LAYOUT, "    {% if transaction is not defined %}[...]\n"),
    Cut(LAYOUT, "    </nav>\n    {% endif %}\n", "    </nav>\n"),
    Cut(LAYOUT, " or connections is defined"),
    Cut(LAYOUT, '      <a href="/oauth/connections"[...]</a>\n'),
)

NO_OAUTH_BUT_MCP = (
    Cut(HOME, "AI clients. Both sign in here, with the application's own users.", "AI clients."),
    Cut(HOME, "    and inside it <kbd>/mcp</kbd>.[...]Then Claude can use", "    and Claude can use"),
    Cut(HOME, "only ask for the address.", "only ask for the address.\n    Whoever reaches it may do so: it asks for no login."),
    Cut(ADMIN, "import lazyauth\n"),
    Cut(ADMIN, "        lazyauth.require_user()\n"),
)

OAUTH_SELECTOR = re.compile(r", a?\.oauth-[\w-]+(?::hover)?")


def cut(root: Path, shape: Shape) -> None:
    """Take out of the example application under `root` what its shape does without.

    Raises:
        LazyappError: the example has changed, and this module has not.
    """
    for each in _cuts(shape):
        each.apply(root)
    for name in _gone(shape):
        path = root / name
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    if not shape.oauth:
        _cut_styles(root / CSS)


def _cuts(shape: Shape) -> Iterator[Cut]:
    if not shape.mcp:
        yield from NO_MCP
    if not shape.oauth:
        yield from NO_OAUTH
    if shape.mcp and not shape.oauth:
        yield from NO_OAUTH_BUT_MCP


def _gone(shape: Shape) -> Iterator[str]:
    if not shape.mcp:
        yield from ("app/mcps", "app/views/mcp", "init/mcp.py")
    if not shape.oauth:
        yield "init/oauth.py"


def _cut_styles(path: Path) -> None:
    """The styles of the consent page: rules of its own are one line each, and it shares those of cards, notes and buttons."""
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    kept = [OAUTH_SELECTOR.sub("", line) for line in lines if not line.startswith(".oauth-")]
    path.write_text("".join(kept), encoding="utf-8")
