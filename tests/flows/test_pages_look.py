"""The pages of the example application in a real browser: with scripts judged by axe-core, and without a script walked through.

Home, accounts, the form with an error, signing in and out, and what a visitor sees when something went wrong.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.flows.looking import Acts, clean, look, visit
from tests.flows.serving import PASSWORD, USER, Server, free_port

FAILS = '''"""Fails."""

from lazyapp import Controller


class FailsController(Controller):
    """An action with a mistake in it."""

    async def index(self) -> dict[str, object]:
        return {"shelf": {}["top"]}
'''
ADD = "form.card button"
ADDED = (("fill", "ada@example.org"), ("click", ADD), ("see", "[role=status]"))
HERE = "/accounts?active=true"


def sign_in(user: str = USER, password: str = PASSWORD) -> Acts:
    """Sign in without a mouse; the first field has the focus."""
    return (("see", "#username:focus"), ("type", user), ("press", "Tab"), ("type", password), ("press", "Enter"))


SIGN_IN = sign_in()


@pytest.fixture
def failing(application: Path) -> Path:
    """The example application with one more page, which fails."""
    (application / "app/controllers/fails_controller.py").write_text(FAILS)
    routes = application / "init/routes.py"
    text = routes.read_text().replace("\n\n\ndef", "\nfrom app.controllers.fails_controller import FailsController\n\n\ndef")
    routes.write_text(f'{text}    routes.get("/fails", FailsController.index, name="fails")\n')
    return application


@pytest.fixture
def production(failing: Path, tmp_path: Path) -> Iterator[Server]:
    """It runs as it does for visitors."""
    port = free_port()
    variables = {
        "PUBLIC_URL": f"http://localhost:{port}",
        "DATABASE_URL": f"sqlite+aiosqlite:///{tmp_path / 'pages.sqlite3'}",
        "LAZYAPP_MIGRATE": "auto",
    }
    options = ("--production", "--no-reload")
    with Server(tmp_path / "log", variables, folder=failing, options=options, port=port) as server:
        yield server


async def test_the_pages_of_the_example_are_for_everyone(cache: pytest.Cache, tmp_path: Path, production: Server):
    """WCAG 2.2 A and AA, by axe-core; nothing on the console, nothing against the content security policy."""
    told = clean(
        seen := await look(
            cache,
            tmp_path,
            production.url,
            [
                visit("home", "/"),
                visit("accounts", "/accounts"),
                visit("sign-in", "/login"),
                visit("sign-in-wrong", "/login", *sign_in("eve", "wrong"), ("see", "[role=alert]")),
                visit("accounts-added", f"/login?next={HERE}", *SIGN_IN, ("see", ADD), *ADDED),
                visit("accounts-error", f"/login?next={HERE}", *SIGN_IN, ("see", ADD), *ADDED[:2], ("see", "[aria-invalid]")),
                visit("sign-out", "/login", *SIGN_IN, ("click", "a[href='/logout']"), ("see", "main form button")),
                visit("missing", "/nowhere"),
                visit("failed", "/fails"),
            ],
        )
    )
    assert {page["name"]: page["status"] for page in seen if page["status"] != 200} == {
        "sign-in-wrong": 422,
        "accounts-error": 422,
        "missing": 404,
        "failed": 500,
    }
    assert "ada@example.org" in told["accounts-added"]
    assert "KeyError" not in told["failed"]


async def test_every_page_works_without_javascript(cache: pytest.Cache, tmp_path: Path, production: Server):
    """docs/forms.md: complete "without a line of JavaScript"; an error is corrected in the form that shows it."""
    add = (*SIGN_IN, ("see", ADD), *ADDED)
    corrected = (
        ("fill", "ada@example.org"),
        ("click", ADD),
        ("see", "[aria-invalid]"),
        ("fill", "bob@example.org"),
        ("click", ADD),
    )
    leave = (("click", "a[href='/logout']"), ("click", "main form button"), ("see", "#username"))
    told = clean(
        await look(
            cache,
            tmp_path,
            production.url,
            [
                visit("form", f"/login?next={HERE}", *add, *corrected, ("see", "[role=status]"), judged=False, javascript=False),
                visit("leave", "/login", *SIGN_IN, ("see", "a[href='/logout']"), *leave, judged=False, javascript=False),
                visit("missing", "/nowhere", ("click", "main a"), ("see", "h1"), judged=False, javascript=False),
                visit("failed", "/fails", ("click", "main a"), ("see", "h1"), judged=False, javascript=False),
            ],
        )
    )
    assert "bob@example.org added" in told["form"]
    assert "You are signed out." in told["leave"]
    assert "It runs." in told["missing"]
    assert "It runs." in told["failed"]


async def test_the_page_of_an_error_in_development_is_too(cache: pytest.Cache, tmp_path: Path, failing: Path):
    """Design, section 3, "Error pages"; WCAG 2.2 A and AA, by axe-core."""
    variables = {"DATABASE_URL": f"sqlite+aiosqlite:///{tmp_path / 'pages.sqlite3'}"}
    with Server(tmp_path / "log", variables, folder=failing) as server:
        told = clean(await look(cache, tmp_path, server.url, [visit("debug", "/fails?shelf=top"), visit("home-development", "/")]))
    assert 'return {"shelf": {}["top"]}' in told["debug"]
