"""What runs before an action."""

import threading
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Annotated, Any

import pytest
from fastapi import Depends, Form, Response
from starlette.testclient import TestClient

from lazyapp.before import before_action, steps_before
from lazyapp.controller import Controller, actions_of
from lazyapp.errors import ConfigurationError
from lazyapp.routes import Routes
from lazyapp.services import Services
from tests.lazyapp.site import Site


class Accounts:
    names = ("ada", "alan", "grace")


class BaseController(Controller):
    def __init__(self) -> None:
        self.log: list[str] = []

    @before_action
    async def first(self) -> None:
        self.log.append("first")

    @before_action(except_for=["open"])
    def guard(self, key: str = "") -> Response | None:
        self.log.append(f"guard in main {threading.current_thread() is threading.main_thread()}")
        return None if key == "letmein" else Response("who are you?", 403)


class AccountsController(BaseController):
    @before_action(only=["show", "update"])
    async def find(self, id: int, accounts: Accounts, half: int = Depends(lambda: 21)) -> None:
        self.account = accounts.names[id]
        self.log.append(f"find {half}")

    async def first(self) -> None:
        """Overrides a method that runs before, and is left out therefore: it has no mark of its own."""

    async def show(self, id: int) -> list[str]:
        return [self.account, *self.log]

    async def update(self, id: int, accounts: Accounts, word: Annotated[str, Form(min_length=3)]) -> list[str]:
        return [self.account, word]

    async def edit(self, id: int) -> Response:
        return Response("the form")

    async def open(self) -> list[str]:
        return self.log


class OddController(Controller):
    @before_action
    async def wrong(self) -> dict[str, int]:
        return {"a": 1}

    async def index(self) -> None: ...


def draw(routes: Routes) -> None:
    routes.resources("accounts", AccountsController)
    routes.get("/open", AccountsController.open)
    routes.get("/odd", OddController.index)


@pytest.fixture
async def client(tmp_path: Path) -> AsyncIterator[TestClient]:
    services = Services()
    services.add(Accounts, Accounts)
    site = Site(tmp_path, draw, services=services)
    async with services.opened():
        yield site.client(headers={"accept": "*/*"})


def test_methods_run_before_the_action_with_its_kinds_of_parameters(client: TestClient) -> None:
    """Design, section 3: `before_action`; a base class's first, services and FastAPI's parameters, async and not."""
    assert client.get("/accounts/1?key=letmein").json() == ["alan", "guard in main False", "find 21"]


def test_a_response_is_the_answer_in_the_actions_place(client: TestClient) -> None:
    """The action does not run, nor what stands between."""
    answer = client.get("/accounts/1")
    assert (answer.status_code, answer.text) == (403, "who are you?")


def test_only_and_except_for_choose_the_actions(client: TestClient) -> None:
    """`open` is left alone by the guard, and `find` runs before two actions only."""
    assert client.get("/open").json() == []


def test_a_form_that_fails_runs_nothing_before_the_action_and_shows_its_page(client: TestClient) -> None:
    """Parameters are read first, all of them; then the form's page is an action like any other, guarded like any other."""
    assert client.put("/accounts/1?key=letmein", data={"word": "tea"}).json() == ["alan", "tea"]
    answer = client.put("/accounts/1?key=letmein", data={"word": "x"})
    assert (answer.status_code, answer.text) == (403, "who are you?")


def test_what_is_no_response_is_told(client: TestClient, caplog: pytest.LogCaptureFixture) -> None:
    """Issue 2, bad input."""
    assert client.get("/odd").status_code == 500
    assert "OddController.wrong returned dict; return None or a Response" in caplog.text


def test_they_are_no_actions() -> None:
    """A method that a route could reach would be an open door."""
    assert actions_of(AccountsController) == ["edit", "first", "open", "show", "update"]
    assert [method.__name__ for method in steps_before(AccountsController, "show")] == ["guard", "find"]
    with pytest.raises(ConfigurationError, match="is no action"):
        Routes().get("/guard", AccountsController.guard)


class MisnamedController(Controller):
    @before_action(only=["shwo"])
    async def find(self) -> None: ...

    async def show(self) -> None: ...


class QuarrelController(Controller):
    @before_action
    async def find(self, id: int) -> None: ...

    async def show(self, id: str) -> None: ...


@pytest.mark.parametrize(
    ("action", "message"),
    [
        (MisnamedController.show, r"test_before.py:\d+: MisnamedController.find names 'shwo', which is no action of Misnamed"),
        (QuarrelController.show, r"test_before.py:\d+: QuarrelController.find takes id: int, and QuarrelController.show"),
    ],
)
def test_a_mistake_is_told_when_the_application_is_made(tmp_path: Path, action: Any, message: str) -> None:
    """Issue 2, bad input: named place."""
    with pytest.raises(ConfigurationError, match=message):
        Site(tmp_path, lambda routes: routes.get("/{id}", action))
