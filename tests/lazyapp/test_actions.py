"""A controller's method as FastAPI's endpoint."""

import threading
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Self

import pytest
from fastapi import BackgroundTasks, Depends, Query, Request, Response
from pydantic import BaseModel, SecretStr
from starlette.testclient import TestClient

from lazyapp.actions import secret_fields
from lazyapp.controller import Controller
from lazyapp.errors import ConfigurationError
from lazyapp.routes import Routes
from lazyapp.services import Services
from tests.lazyapp.site import Site


class Accounts(BaseModel):
    """A service that FastAPI would take for a body."""

    names: list[str] = ["ada"]


LOG: list[str] = []


class Unit:
    """One transaction a request."""

    def __init__(self, accounts: Accounts) -> None:
        LOG.append(f"begin {accounts.names}")

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: object, traceback: object) -> None:
        LOG.append("rollback" if kind else "commit")


class Point(BaseModel):
    x: int
    y: int = 2


@dataclass
class Pair:
    left: int


def doubled(number: int = 2) -> int:
    return number * 2


class ThingsController(Controller):
    def __init__(self, accounts: Accounts) -> None:
        self.accounts = accounts

    async def everything(
        self, id: int, accounts: Accounts, q: Annotated[str, Query(max_length=3)] = "", twice: int = Depends(doubled)
    ) -> list[Any]:
        return [id, accounts.names, q, twice, self.accounts is accounts]

    async def plain(self, request: Request, accounts: Accounts) -> list[Any]:
        return [request.method, request is self.request, accounts.names]

    def sync(self) -> list[bool]:
        return [threading.current_thread() is threading.main_thread(), self.request.url.path == "/sync"]

    async def unit(self, unit: Unit, again: Unit) -> list[bool]:
        LOG.append("act")
        return [unit is again]

    async def broken_unit(self, unit: Unit) -> None:
        raise RuntimeError("no")

    async def point(self, x: int = 1) -> Point:
        return Point(x=x)

    async def hidden_point(self) -> Point:
        return Point(x=1)

    async def pair(self) -> Pair:
        return Pair(3)

    async def on_response(self, response: Response) -> dict[str, Any]:
        response.headers["x-mark"] = "here"
        response.set_cookie("seen", "yes")
        response.status_code = 202
        return {}

    async def later(self, tasks: BackgroundTasks) -> Response:
        tasks.add_task(LOG.append, "later")
        return Response("now")

    async def text(self) -> str:
        return "what is this?"


def draw(routes: Routes) -> None:
    routes.get("/things/{id}", ThingsController.everything, name="thing")
    for action in ("plain", "sync", "unit", "broken_unit", "point", "hidden_point", "pair", "on_response", "later", "text"):
        routes.get(f"/{action}", getattr(ThingsController, action))


@pytest.fixture
async def client(tmp_path: Path) -> AsyncIterator[TestClient]:
    LOG.clear()
    services = Services()
    services.add(Accounts, lambda: Accounts())
    services.add(Unit, Unit, per_request=True)
    views = {"views/things/point.html.j2": "point {{ x }},{{ y }}", "views/things/on_response.html.j2": "fine"}
    site = Site(tmp_path, draw, views, services)
    async with services.opened():
        yield site.client(headers={"accept": "*/*"})


def test_an_action_takes_fastapis_parameters_and_services_by_bare_type(client: TestClient) -> None:
    """Design, section 2: a service wins over a body."""
    assert client.get("/things/7?q=abc&number=4").json() == [7, ["ada"], "abc", 8, True]


def test_an_action_without_parameters_of_the_request_gets_the_same(client: TestClient) -> None:
    """It is called without FastAPI's solving."""
    assert client.get("/plain").json() == ["GET", True, ["ada"]]


def test_a_sync_action_runs_in_a_thread(client: TestClient) -> None:
    """Issue 2: no action may stop the loop."""
    assert client.get("/sync").json() == [False, True]


def test_a_service_of_the_request_is_made_once_and_closed_before_the_answer(client: TestClient) -> None:
    """docs/database.md: committed before the answer leaves."""
    assert client.get("/unit").json() == [True]
    assert LOG == ["begin ['ada']", "act", "commit"]


def test_a_service_of_the_request_hears_of_a_failure(client: TestClient) -> None:
    """docs/database.md: whatever is raised rolls it back."""
    assert client.get("/broken_unit").status_code == 500
    assert LOG == ["begin ['ada']", "rollback"]


def test_a_model_is_json_unless_html_is_asked_for_and_there_is_a_view(client: TestClient) -> None:
    """Design, section 3."""
    assert client.get("/point").json() == {"x": 1, "y": 2}
    assert client.get("/point", headers={"accept": "application/json"}).json() == {"x": 1, "y": 2}
    page = client.get("/point", headers={"accept": "text/html"})
    assert page.text.endswith("point 1,2")
    assert page.headers["vary"] == "accept"
    assert client.get("/hidden_point", headers={"accept": "text/html,*/*;q=0.8"}).json() == {"x": 1, "y": 2}
    assert client.get("/pair").json() == {"left": 3}


def test_what_an_action_sets_on_the_response_is_kept(client: TestClient) -> None:
    """FastAPI's `response: Response` parameter."""
    answer = client.get("/on_response")
    assert (answer.status_code, answer.headers["x-mark"], answer.cookies["seen"]) == (202, "here", "yes")


def test_background_tasks_run_after_the_answer(client: TestClient) -> None:
    """FastAPI's own."""
    assert client.get("/later").text == "now"
    assert LOG == ["later"]


def test_a_result_that_is_no_answer_is_told(client: TestClient, caplog: pytest.LogCaptureFixture) -> None:
    """Issue 2, bad input."""
    assert client.get("/text").status_code == 500
    assert "ThingsController.text returned str; return None or a dict for its view" in caplog.text


class Undeclared: ...


class WrongController(Controller):
    async def unknown(self, thing: Undeclared) -> None: ...
    async def assumed(self, thing: Annotated[dict[str, int], Query()]) -> None: ...
    async def many(self, *things: int) -> None: ...
    async def unreadable(self, thing: "Nowhere") -> None: ...  # type: ignore[name-defined]  # noqa: F821


class NeedyController(Controller):
    def __init__(self, unit: Unit) -> None: ...

    async def index(self) -> None: ...


@pytest.mark.parametrize(
    ("action", "message"),
    [
        (
            WrongController.unknown,
            r"test_actions.py:\d+: WrongController.unknown has .* services.add\(…\) in init/dependencies.py\.$",
        ),
        (WrongController.assumed, r"WrongController.assumed has a parameter that FastAPI refuses: Query parameter 'thing'"),
        (WrongController.many, r"test_actions.py:\d+: WrongController.many takes \*things"),
        (WrongController.unreadable, r"test_actions.py:\d+: WrongController.unreadable has an annotation that cannot be read"),
        (NeedyController.index, r"test_actions.py:\d+: NeedyController.__init__ asks for unit"),
    ],
)
def test_a_parameter_that_cannot_be_filled_is_told_with_its_place(tmp_path: Path, action: Any, message: str) -> None:
    """Issue 2, bad input: named place."""
    services = Services()
    services.add(Unit, Unit, per_request=True)
    with pytest.raises(ConfigurationError, match=message):
        Site(tmp_path, lambda routes: routes.get("/", action), services=services)


def test_fields_typed_as_secrets_are_known() -> None:
    """They are not shown again."""

    class Key(BaseModel):
        number: int
        shown_once: SecretStr
        parent: "Key | None" = None

    class Login(BaseModel):
        name: str
        word: SecretStr
        other: SecretStr | None = None
        keys: Annotated[list[Key] | None, "of the door"] = None

    class LoginController(Controller):
        async def create(self, form: Login, key: Annotated[SecretStr, Query()], page: int = 1) -> None: ...

    assert secret_fields(LoginController.create) == {"word", "other", "key", "shown_once"}
