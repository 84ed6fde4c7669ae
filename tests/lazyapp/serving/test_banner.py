"""The banner of `lazyapp serve`."""

import io

import pytest

from lazyapp.serving.banner import Run, Surface, render, wants_colour

RUN = Run(
    version="0.1.0",
    env="development",
    target="init.app:app",
    origin="http://localhost:3000",
    password="brisk-otter-calm-heron-4163",
)
SHOP = Surface(client_name="shop", modules=("admin: 2 tools, 1 prompt",), has_oauth=True, user="admin", is_password_ours=True)


def test_a_developer_is_told_where_everything_is_and_how_to_sign_in() -> None:
    """Design 7."""
    assert render(RUN, SHOP).splitlines() == [
        "  lazyapp 0.1.0 · development · init.app:app",
        "  Pages      http://localhost:3000",
        "  MCP        http://localhost:3000/mcp            OAuth on · admin: 2 tools, 1 prompt",
        "  Sign in    admin / brisk-otter-calm-heron-4163  this run only; LAZYAUTH_DEFAULT_PASS sets a lasting one",
        "  Panel      http://localhost:3000/_lazy          what it serves, and what happened; for this machine only",
        "  Claude     claude mcp add --transport http shop http://localhost:3000/mcp",
    ]


def test_on_a_narrow_terminal_remarks_stand_below_what_they_are_about() -> None:
    """Eighty columns, as terminals open; a line that wraps hides where its words belong."""
    lines = render(RUN, SHOP, width=80).splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[2:6] == [
        "  MCP        http://localhost:3000/mcp",
        "             OAuth on · admin: 2 tools, 1 prompt",
        "  Sign in    admin / brisk-otter-calm-heron-4163",
        "             this run only; LAZYAUTH_DEFAULT_PASS sets a lasting one",
    ]
    assert render(RUN, SHOP, width=120) == render(RUN, SHOP)


def test_pages_alone_have_their_login_and_no_mcp() -> None:
    """Design 3: /mcp exists only when a module is registered."""
    shown = render(RUN, Surface(client_name="shop", user="admin", is_password_ours=True))
    assert [line.split()[0] for line in shown.splitlines()[1:]] == ["Pages", "Sign", "Panel"]
    assert "/mcp" not in shown


def test_the_panel_is_told_of_to_this_machine_only() -> None:
    """What stands below /_lazy answers nobody else."""
    run = Run(version="0.1.0", env="development", target="init.app:app", origin="http://192.168.1.7:3000")
    assert "_lazy" not in render(run, SHOP)


def test_a_password_that_was_set_is_named_and_not_shown() -> None:
    surface = Surface(client_name="shop", modules=("admin: 1 tool",), has_oauth=True, user="ada")
    [line] = [line for line in render(RUN, surface).splitlines() if "Sign in" in line]
    assert line.split() == ["Sign", "in", "ada", "with", "the", "password", "in", "LAZYAUTH_DEFAULT_PASS"]


def test_an_application_with_users_of_its_own_says_nothing_about_signing_in() -> None:
    assert "Sign in" not in render(RUN, Surface(client_name="shop", modules=("admin: 1 tool",), has_oauth=True))


def test_mcp_is_not_mentioned_where_no_module_is_registered() -> None:
    """Design 3: /mcp exists only when a module is registered."""
    assert "/mcp" not in render(RUN, Surface(client_name="shop"))


def test_mcp_without_oauth_says_so() -> None:
    assert "OAuth off · admin: 1 tool" in render(RUN, Surface(client_name="shop", modules=("admin: 1 tool",)))


def test_production_shows_no_password() -> None:
    run = Run(version="0.1.0", env="production", target="init.app:app", origin="https://shop.example", workers=4)
    shown = render(run, SHOP)
    assert "production · init.app:app · 4 workers" in shown
    assert "Sign in" not in shown
    assert "Claude" not in shown


def test_colour_changes_no_word() -> None:
    """https://no-color.org"""
    coloured = render(RUN, SHOP, colour=True)
    for code in ("\x1b[1m", "\x1b[2m", "\x1b[36m", "\x1b[32m", "\x1b[0m"):
        assert code in coloured
        coloured = coloured.replace(code, "")
    assert coloured == render(RUN, SHOP)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("stream", "environ", "wanted"),
    [
        (Terminal(), {}, True),
        (Terminal(), {"NO_COLOR": "1"}, False),
        (Terminal(), {"TERM": "dumb"}, False),
        (io.StringIO(), {}, False),
    ],
)
def test_colour_is_for_terminals_whose_owner_wants_it(stream: io.StringIO, environ: dict[str, str], wanted: bool) -> None:
    assert wants_colour(stream, environ) is wanted


def test_a_run_does_not_show_its_password_when_printed() -> None:
    """Style: secret-bearing values hide what they hold."""
    assert "otter" not in repr(RUN)
