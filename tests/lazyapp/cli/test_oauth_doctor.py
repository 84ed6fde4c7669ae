"""`lazyapp oauth doctor`, against a real server of this example's kind and against nothing."""

import json
from pathlib import Path

from tests.lazyapp.tiny_app import run, serving, write_app

APP = '''
import lazyapp
import lazymcp
import lazyoauth


class NotesMCP(lazymcp.Base):
    @lazymcp.tool
    def count(self) -> int:
        """Count notes."""
        return 7


app = lazyapp.App(
    lazyapp.Config(
        name="notes",
        dependencies=lambda services: services.add(lazyoauth.RefreshTokenStateStore, lazyoauth.SQLRefreshTokenStates),
        oauth=lambda ctx: lazyoauth.Config(
            issuer=ctx.settings.public_url, refresh_token_states=ctx.get(lazyoauth.RefreshTokenStateStore)
        ),
        mcp=lambda ctx, scope: scope.register(NotesMCP()),
    )
)
'''


def test_a_served_application_is_well_and_the_exit_code_says_so(tmp_path: Path) -> None:
    """Design 7: `--json` on every reading command. No application is needed where the command is run."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    with serving(write_app(tmp_path / "notes", APP)) as server:
        url = server.wait_until_up() + "/mcp"
        told = run(elsewhere, "oauth", "doctor", url)
        assert (told.returncode, told.stderr) == (0, "")
        assert "Registered as  Claude Code, Claude, ChatGPT, Cursor, VS Code" in told.stdout
        found = json.loads(run(elsewhere, "oauth", "doctor", url, "--json", "--no-register").stdout)
    assert (found["findings"], found["healthy"], found["registered"]) == ([], True, [])


def test_what_does_not_answer_ends_with_1_and_what_is_no_url_with_2(tmp_path: Path) -> None:
    nothing = run(tmp_path, "oauth", "doctor", "http://127.0.0.1:9/mcp")
    assert nothing.returncode == 1
    assert "The MCP endpoint does not answer" in nothing.stdout
    wrong = run(tmp_path, "oauth", "doctor", "example.com/mcp")
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert "such as https://example.com/mcp" in wrong.stderr
