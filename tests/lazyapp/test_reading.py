"""FastAPI's routes read what they are sent as actions do."""

from pathlib import Path
from typing import Annotated, Any

import pytest
from fastapi import APIRouter, Depends, Request
from fastapi.routing import APIRoute
from fastapi.testclient import TestClient
from pydantic import BaseModel

import lazyapp
from lazymcp.function import MOST_LISTED

Handler = Any
JSON = {"Content-Type": "application/json", "Accept": "application/json"}


class Note(BaseModel):
    text: str
    numbers: list[int] = []


def note_of(note: Note) -> Note:
    return note


class Shouting(APIRoute):
    """A class of the application's own, as FastAPI's documentation shows."""

    def get_route_handler(self) -> Handler:
        read = super().get_route_handler()

        async def handler(request: Request) -> Any:
            answer = await read(request)
            answer.headers["x-shouting"] = "yes"
            return answer

        return handler


def router(**options: Any) -> APIRouter:
    made = APIRouter(**options)

    @made.post("/notes")
    async def create(note: Note) -> Note:
        return note

    @made.post("/free")
    async def free(note: dict[str, Any]) -> dict[str, Any]:
        return note

    @made.post("/depends")
    async def depends(note: Annotated[Note, Depends(note_of)]) -> Note:
        return note

    return made


def own(app: lazyapp.App) -> str:
    @app.post("/notes")
    async def create(note: Note) -> Note:
        return note

    @app.post("/free")
    async def free(note: dict[str, Any]) -> dict[str, Any]:
        return note

    @app.post("/depends")
    async def depends(note: Annotated[Note, Depends(note_of)]) -> Note:
        return note

    return ""


def included(app: lazyapp.App) -> str:
    app.include_router(router(), prefix="/api")
    return "/api"


def within_another(app: lazyapp.App) -> str:
    outer = APIRouter(prefix="/outer")
    outer.include_router(router(), prefix="/inner")
    app.include_router(outer)
    return "/outer/inner"


def of_a_class_of_its_own(app: lazyapp.App) -> str:
    app.include_router(router(route_class=Shouting), prefix="/loud")
    return "/loud"


def filled_later(app: lazyapp.App) -> str:
    late = APIRouter()
    app.include_router(late, prefix="/late")
    for route in router().routes:
        assert isinstance(route, APIRoute)
        late.add_api_route(route.path, route.endpoint, methods=["POST"])
    return "/late"


def guarded(app: lazyapp.App) -> str:
    app.include_router(router(), prefix="/guarded", dependencies=[Depends(note_of)])
    return "/guarded"


def drawn(routes: lazyapp.Routes) -> None:
    routes.include(router(), prefix="/drawn")


@pytest.fixture(params=[own, included, within_another, of_a_class_of_its_own, filled_later, guarded, drawn])
def client(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    settings = lazyapp.Settings(env="test", root=tmp_path)
    app = lazyapp.App(lazyapp.Config(name="reading", drawer=drawn), settings=settings)
    prefix = "/drawn" if request.param is drawn else request.param(app)
    app.openapi()  # as a start does, which looks at every route before one is asked for
    with TestClient(app, base_url=f"http://localhost{prefix}", headers=JSON) as found:
        yield found


@pytest.mark.parametrize(
    "body", [b'{"text":"\\ud800"}', b'{"text":NaN}', b'{"text":"a","x":1e999}', '{"text":"a"}'.encode("utf-16")]
)
def test_what_is_no_json_is_refused(client: TestClient, body: bytes) -> None:
    """RFC 8259, sections 6, 8.1 and 8.2. The same bytes would make what no answer can say: a 500."""
    for path in ("notes", "free", "depends"):
        assert client.post(path, content=body).status_code == 422


def test_what_is_json_is_read(client: TestClient) -> None:
    """RFC 8259, section 8.1."""
    for path in ("notes", "depends"):
        answer = client.post(path, content='{"text":"ä😀","numbers":[1]}'.encode())
        assert (answer.status_code, answer.json()) == (200, {"text": "ä😀", "numbers": [1]})


def test_many_mistakes_are_counted(client: TestClient) -> None:
    """CWE-400: what a body costs must not be told by how wrong it is."""
    for path in ("notes", "depends"):
        answer = client.post(path, json={"text": "a", "numbers": ["x"] * (MOST_LISTED + 1)})
        assert answer.status_code == 422
        assert "1001 values are not as expected." in answer.text
        assert len(answer.content) < 2_000


def test_a_class_of_its_own_still_answers(tmp_path: Path) -> None:
    """https://fastapi.tiangolo.com/how-to/custom-request-and-route/"""
    app = lazyapp.App(lazyapp.Config(name="reading"), settings=lazyapp.Settings(env="test", root=tmp_path))
    prefix = of_a_class_of_its_own(app)
    with TestClient(app, base_url="http://localhost", headers=JSON) as client:
        assert client.post(f"{prefix}/notes", json={"text": "a"}).headers["x-shouting"] == "yes"


def test_a_router_may_be_included_twice(tmp_path: Path) -> None:
    both = router()
    app = lazyapp.App(lazyapp.Config(name="reading"), settings=lazyapp.Settings(env="test", root=tmp_path))
    app.include_router(both, prefix="/a")
    app.include_router(both, prefix="/b")
    with TestClient(app, base_url="http://localhost", headers=JSON) as client:
        for path in ("/a/notes", "/b/notes"):
            assert client.post(path, content=b'{"text":"\\ud800"}').status_code == 422
            assert client.post(path, json={"text": "a"}).status_code == 200
