"""Pages that are answered before FastAPI's stack, and when they are not."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fastapi import Depends, FastAPI, HTTPException, Request, Response
from fastapi.responses import PlainTextResponse

from lazyapp.controller import Controller
from lazyapp.routes import Routes
from tests.lazyapp.site import Site


class OddError(Exception):
    """One that only the application knows."""


class HomeController(Controller):
    async def index(self) -> Response:
        frames = [name for name in self.request.scope if name.startswith("fastapi")]
        return Response(
            "stack" if frames else "direct", headers={"x-app": self.request.app.title, "x-url": str(self.request.url_for("root"))}
        )

    async def odd(self) -> None:
        raise OddError

    async def gone(self) -> None:
        raise HTTPException(410, "It was moved away.")

    async def asked(self, page: int = 1) -> Response:
        return await self.index()

    async def docs(self) -> Response:
        return Response("ours")


def draw(routes: Routes) -> None:
    routes.root(HomeController.index)
    routes.get("/odd", HomeController.odd)
    routes.get("/gone", HomeController.gone)
    routes.get("/asked", HomeController.asked)
    routes.get("/docs", HomeController.docs)


def added_middleware(app: FastAPI) -> None:
    @app.middleware("http")
    async def around(request: Request, call: Any) -> Any:
        return await call(request)


def added_handler_of_everything(app: FastAPI) -> None:
    @app.exception_handler(Exception)
    async def everything(request: Request, error: Exception) -> Response:
        return PlainTextResponse("mine", 500)


def added_root_path(app: FastAPI) -> None:
    app.root_path = "/sub"


def site(folder: Path, prepare: Callable[[FastAPI], None] = lambda app: None) -> Site:
    class Prepared(Site):
        def prepare(self) -> None:
            prepare(self.fastapi)

    return Prepared(folder, draw)


def test_a_page_that_takes_nothing_passes_the_stack_by(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Design, section 9: a page costs at most 1.2 times a bare function. Where nothing records spans, which other tests do."""
    monkeypatch.delitem(sys.modules, "opentelemetry.sdk", raising=False)
    answer = site(tmp_path).client().get("/")
    assert (answer.text, answer.headers["x-app"], answer.headers["x-url"]) == ("direct", "FastAPI", "http://testserver/")


def test_a_page_that_takes_a_parameter_goes_through_it(tmp_path: Path) -> None:
    """FastAPI reads the query."""
    assert site(tmp_path).client().get("/asked?page=2").text == "stack"


@pytest.mark.parametrize("prepare", [added_middleware, added_handler_of_everything, added_root_path])
def test_what_an_application_adds_around_its_pages_runs_around_them(tmp_path: Path, prepare: Callable[[FastAPI], None]) -> None:
    """Design, section 2: `App` is a FastAPI."""
    assert site(tmp_path, prepare).client().get("/").text == "stack"


def test_dependencies_of_the_whole_application_are_solved(tmp_path: Path) -> None:
    """`FastAPI(dependencies=…)`."""

    def refuse() -> None:
        raise HTTPException(418)

    site = Site(tmp_path, draw, fastapi_options={"dependencies": [Depends(refuse)]})
    assert site.client().get("/").status_code == 418


def test_the_applications_exception_handlers_answer_here_too(tmp_path: Path) -> None:
    """FastAPI's `exception_handler`."""

    def prepare(app: FastAPI) -> None:
        @app.exception_handler(OddError)
        async def odd(request: Request, error: OddError) -> Response:
            return PlainTextResponse("odd", 409)

    client = site(tmp_path, prepare).client()
    assert (client.get("/odd").status_code, client.get("/odd").text) == (409, "odd")
    assert client.get("/gone").status_code == 410
    assert "It was moved away." in client.get("/gone").text


def test_fastapis_own_paths_stay_its_own(tmp_path: Path) -> None:
    """What was added first is found first, here as there."""
    assert "swagger" in site(tmp_path).client().get("/docs").text
