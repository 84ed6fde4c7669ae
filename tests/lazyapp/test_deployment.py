"""lazyapp/deployment.py: every refusal of production, told at once. Design 3, "Refuses unsafe starts in production"."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, SecretStr

import lazyauth
import lazyoauth
from lazyapp.app import App
from lazyapp.config import AppContext, Config
from lazyapp.controller import Controller
from lazyapp.database import AsyncEngine
from lazyapp.deployment import Findings
from lazyapp.services import Services
from lazyapp.settings import Settings
from tests.lazyapp.planned import oauth, register


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A database with the framework's tables: an examination makes none."""
    path = tmp_path_factory.mktemp("tables") / "app.db"
    settings = Settings(env="test", root=path.parent, database_url=SecretStr(f"sqlite+aiosqlite:///{path}"))

    async def make() -> None:
        app = App(Config(name="shop", dependencies=keep_logins), settings=settings)
        async with app.router.lifespan_context(app):
            pass

    asyncio.run(make())
    return path.read_bytes()


@pytest.fixture
def folder(tmp_path: Path, tables: bytes) -> Path:
    (tmp_path / "app.db").write_bytes(tables)
    return tmp_path


def keep_logins(services: Services) -> None:
    services.add(lazyoauth.RefreshTokenStateStore, lazyoauth.SQLRefreshTokenStates)


def stored_oauth(ctx: AppContext) -> lazyoauth.Config:
    return lazyoauth.Config(
        issuer=ctx.settings.public_url,
        refresh_token_states=ctx.get(lazyoauth.RefreshTokenStateStore),
    )


async def examined(folder: Path, *, config: dict[str, Any] | None = None, **settings: Any) -> Findings:
    """What is found on a safe deployment with one thing changed; None takes a setting away."""
    url = SecretStr(f"sqlite+aiosqlite:///{folder / 'app.db'}")
    safe: dict[str, Any] = {
        "given_public_url": "https://shop.example",
        "secret_key": SecretStr("k" * 40),
        "database_url": url,
        "root": folder,
    }
    safe |= {"env": "production", "default_pass": SecretStr("correct horse battery"), "addr": "0.0.0.0"}
    hooks = {"mcp": register, "oauth": stored_oauth, "dependencies": keep_logins} | (config or {})
    values = {name: value for name, value in (safe | settings).items() if value is not None}
    return await App(Config(name="shop", **hooks), settings=Settings(**values)).examine()


async def test_a_safe_deployment_is_not_refused_and_told_what_to_look_at(folder: Path) -> None:
    findings = await examined(folder)
    assert (findings.refusals, findings.failure) == ((), None)
    assert [sentence.split()[0] for sentence in findings.warnings] == ["CONTROL_PLANE_ADDR", "FORWARDED_ALLOW_IPS"]


class Counted(BaseModel):
    count: int


class CountingController(Controller):
    async def index(self) -> Counted:
        return Counted(count=1)


async def test_an_openapi_document_that_describes_something_is_told_of(folder: Path) -> None:
    """docs/deploy.md: pages stand in it only when they promise data; an empty document tells nobody anything."""
    findings = await examined(folder, config={"drawer": lambda routes: routes.root(CountingController.index)})
    assert findings.warnings[-1].startswith("/docs and /openapi.json describe an operation to anybody; ")


async def test_no_secret_is_refused(folder: Path) -> None:
    findings = await examined(folder, secret_key=None)
    assert [sentence.partition(",")[0] for sentence in findings.refusals] == ["SECRET_KEY is not set"]


async def test_a_public_url_of_http_is_refused(folder: Path) -> None:
    [refusal] = (await examined(folder, given_public_url="http://shop.example")).refusals
    assert refusal.startswith("PUBLIC_URL is http://shop.example; cookies and tokens must not travel over http")


async def test_mcp_without_oauth_or_authorizer_on_the_network_is_refused(folder: Path) -> None:
    """Judged by PUBLIC_URL and ADDR."""
    [refusal] = (await examined(folder, config={"oauth": None})).refusals
    assert refusal.startswith("/mcp would answer anybody on the network")
    at_home = await examined(folder, config={"oauth": None}, given_public_url=None, addr="127.0.0.1")
    assert at_home.refusals == ()


@pytest.mark.parametrize("several", [{"workers": 2}, {"machines": 2}])
async def test_users_in_the_memory_of_one_of_several_processes_are_refused(folder: Path, several: dict[str, Any]) -> None:
    refusals = (await examined(folder, **several)).refusals
    assert any(refusal.startswith("Users live in the memory of one process and 2 are to run") for refusal in refusals)


async def test_a_token_store_in_the_memory_of_one_of_several_processes_is_refused(folder: Path) -> None:
    refusals = (await examined(folder, config={"oauth": oauth}, workers=2)).refusals
    assert any("2 processes would not see each other's refresh tokens" in refusal for refusal in refusals)
    assert any(refusal.startswith("Refresh tokens would be forgotten at every restart") for refusal in refusals)


async def test_a_default_password_of_less_than_eight_characters_is_refused(folder: Path) -> None:
    findings = await examined(folder, default_pass=SecretStr("short"))
    assert [sentence.partition(":")[0] for sentence in findings.refusals] == ["LAZYAUTH_DEFAULT_PASS is refused"]
    weak = await examined(folder, default_pass=SecretStr("eightchr"))
    assert weak.refusals == ()
    assert weak.warnings[0].startswith("LAZYAUTH_DEFAULT_PASS has 8 characters")
    assert "eightchr" not in repr(weak)


async def test_sqlite_on_several_machines_is_refused(folder: Path) -> None:
    """Announced by LAZYAPP_MACHINES: a process cannot know."""
    refusals = (await examined(folder, machines=3)).refusals
    assert any(refusal.startswith("LAZYAPP_MACHINES is 3, and SQLite is a file on one of them") for refusal in refusals)


async def test_everything_is_told_at_once_and_nothing_is_left_behind(tmp_path: Path) -> None:
    """A start would tell the first; whoever deploys mends all in one go."""
    values: dict[str, Any] = {"env": "production", "root": tmp_path, "given_public_url": "http://shop.example", "machines": 2}
    values |= {"default_pass": SecretStr("short")}
    hooks: dict[str, Any] = {"mcp": register, "oauth": stored_oauth, "dependencies": keep_logins}
    findings = await App(Config(name="shop", **hooks), settings=Settings(**values)).examine()
    said = "\n".join(findings.refusals)
    for word in (
        "http://shop.example",
        "SECRET_KEY",
        "DATABASE_URL is not set",
        "LAZYAUTH_DEFAULT_PASS",
        "LAZYAPP_MACHINES",
        "memory of one",
    ):
        assert word in said
    assert findings.failure is None
    assert list(tmp_path.iterdir()) == []


async def test_a_service_that_is_away_is_named_and_its_database_is_not_migrated(tmp_path: Path) -> None:
    """What could not be tried is not passed over in silence."""

    class Mailer:
        pass

    def open_mailer(engine: AsyncEngine) -> Mailer:
        raise ConnectionError("the mail server is away")

    def depend(services: Services) -> None:
        services.add(Mailer, open_mailer)

    settings = Settings(env="production", root=tmp_path, addr="127.0.0.1", database_url=None)
    findings = await App(Config(name="shop", dependencies=depend), settings=settings).examine()
    assert findings.failure == "service Mailer: ConnectionError: the mail server is away"
    settings = settings.model_copy(
        update={"database_url": SecretStr(f"sqlite+aiosqlite:///{tmp_path / 'app.db'}"), "migrate": "auto"}
    )
    findings = await App(Config(name="shop", auth=lazyauth.MemoryUsers(), dependencies=keep_logins), settings=settings).examine()
    assert any("lacks a migration" in sentence for sentence in findings.refusals)
    assert findings.failure == "the rest is judged when this is mended"
