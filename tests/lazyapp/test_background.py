"""Work that is done after the answer."""

from pathlib import Path
from typing import Any

import pytest
from fastapi import BackgroundTasks, Depends, Response

from lazyapp.background import left_behind
from lazyapp.controller import Controller
from lazyapp.current import current
from lazyapp.routes import Routes
from tests.lazyapp.site import Site

LOG: list[str] = []


def send_mail(to: str, *, subject: str) -> None:
    LOG.append(f"{to}: {subject}")


async def write_down(word: str) -> None:
    here = current.get()
    LOG.append(f"{word} {here.path if here else 'nowhere'}")


async def fail() -> None:
    raise RuntimeError("the mail server is away")


def leave(tasks: BackgroundTasks) -> None:
    tasks.add_task(LOG.append, "a dependency's")


class Caller:
    async def __call__(self) -> None:
        LOG.append("called")


class MailController(Controller):
    async def index(self) -> dict[str, Any]:
        self.background(send_mail, "ada@x", subject="hello")
        self.background(write_down, "written at")
        return {}

    async def broken(self) -> Response:
        self.background(fail)
        self.background(lambda: LOG.append("still done"))
        return Response("fine")

    async def both(self, tasks: BackgroundTasks, asked: None = Depends(leave)) -> Response:
        tasks.add_task(LOG.append, "fastapi's")
        self.background(Caller())
        return Response("fine")

    async def fails(self) -> None:
        self.background(LOG.append, "never")
        raise RuntimeError("no")


def draw(routes: Routes) -> None:
    routes.root(MailController.index)
    for action in ("broken", "both", "fails"):
        routes.get(f"/{action}", getattr(MailController, action))


@pytest.fixture
def site(tmp_path: Path) -> Site:
    LOG.clear()
    return Site(tmp_path, draw, {"views/mail/index.html.j2": "sent"})


def test_work_is_done_after_the_answer_in_order_and_knows_its_request(site: Site) -> None:
    """docs/controllers.md: the work is done when the answer was sent, in order."""
    assert site.client().get("/").text.endswith("sent")
    assert LOG == ["ada@x: hello", "written at /"]


def test_work_that_fails_is_logged_under_the_requests_id_and_keeps_none_of_the_rest(
    site: Site, caplog: pytest.LogCaptureFixture
) -> None:
    """docs/controllers.md: one piece that fails is logged with the request's id."""
    assert site.client().get("/broken", headers={"x-request-id": "0123456789"}).text == "fine"
    assert LOG == ["still done"]
    assert "request 0123456789: fail failed after its answer" in caplog.text
    assert "the mail server is away" in caplog.text


def test_fastapis_own_tasks_are_done_too(site: Site) -> None:
    """FastAPI's `BackgroundTasks`."""
    assert site.client().get("/both").status_code == 200
    assert LOG == ["a dependency's", "fastapi's", "called"]


def test_an_action_that_fails_leaves_nothing_to_do(site: Site) -> None:
    """What it announced has not happened."""
    assert site.client().get("/fails").status_code == 500
    assert LOG == []


async def test_outside_a_request_it_is_logged_without_an_id(caplog: pytest.LogCaptureFixture) -> None:
    """A test that runs a response by itself."""
    response = left_behind(Response(), [fail])
    assert response.background is not None
    await response.background()
    assert "request none: fail failed" in caplog.text
