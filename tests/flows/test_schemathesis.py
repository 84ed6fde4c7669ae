"""Schemathesis reads the OpenAPI document and sends what it allows, and what it does not, to the whole application.

Pages stand in no OpenAPI document; here they do, so that their forms are asked too. Beside the example's own pages are actions and
a router with a parameter of each kind.
"""

import datetime as dt
import logging
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any
from uuid import UUID

import pytest
import requests
import schemathesis
from fastapi import APIRouter, Cookie, File, Form, Header, Query, UploadFile
from hypothesis import HealthCheck, given, settings, strategies
from pydantic import BaseModel, EmailStr, Field, SecretStr
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.python.asgi import get_client, shutdown_lifespans
from schemathesis.specs.openapi.checks import content_type_conformance, response_schema_conformance

import lazyapp
from init.app import app as example
from init.routes import draw as draw_example
from lazyapp.actions import PageRoute
from tests.flows.serving import PASSWORD, SECRET_KEY, USER

HOST = "http://testserver"
MIGRATIONS = Path(__file__).parents[2] / "app" / "migrations"
HERE = {"sec-fetch-site": "same-origin"}
EXAMPLES = 60
CONFORMS = [not_a_server_error, content_type_conformance, response_schema_conformance]


class Kind(StrEnum):
    PAPER = "paper"
    TAPE = "tape"


class Author(BaseModel):
    name: str = Field(min_length=1)
    born: dt.date | None = None


class Book(BaseModel):
    id: UUID | None = None
    title: str = Field(max_length=40)
    kind: Kind = Kind.PAPER
    price: Decimal = Field(Decimal(1), ge=0, max_digits=8, decimal_places=2)
    authors: list[Author] = []
    notes: dict[str, int] = {}


class Order(BaseModel):
    email: EmailStr
    count: int = Field(1, ge=1, le=99)
    gift: bool = False
    tags: list[str] = []
    when: dt.datetime | None = None


class BooksController(lazyapp.Controller):
    """One action for each way in."""

    async def index(
        self,
        kind: Kind | None = None,
        since: dt.date | None = None,
        tags: Annotated[list[str], Query()] = [],  # noqa: B006  (FastAPI copies it)
        trace: Annotated[str, Header()] = "",
        seen: Annotated[str, Cookie()] = "",
    ) -> list[Book]:
        return [Book(title=(trace + seen)[:40], kind=kind or Kind.TAPE, authors=[Author(name="ada", born=since)])]

    async def show(self, id: int) -> Book:
        return Book(title=str(id)[:40])

    async def update(self, id: int, book: Book) -> Book:
        return book

    async def create(self, form: Annotated[Order, Form()]) -> Order:
        return form

    async def cover(self, id: int, image: Annotated[UploadFile, File()], title: Annotated[str, Form()] = "") -> Book:
        return Book(title=f"{id} {image.size} {title}"[:40])


router = APIRouter()


@router.put("/books/{isbn}")
async def put_book(isbn: UUID, book: Book, dry: bool = False) -> Book:
    """Of FastAPI's own kind."""
    return book.model_copy(update={"id": isbn})


def draw(routes: lazyapp.Routes) -> None:
    draw_example(routes)
    routes.resources("books", BooksController)
    routes.post("/books/{id}/cover", BooksController.cover, name="cover")
    routes.include(router, prefix="/api")


@dataclass(frozen=True, slots=True)
class Asked:
    """The application as Schemathesis knows it, and somebody who is signed in to it.

    Args:
        schema: of all operations, pages included.
        session: goes to the application.
        headers: of somebody who is signed in.
        documented: the operations that are in the OpenAPI document as it comes; they must keep what it says.
    """

    schema: Any
    session: requests.Session
    headers: dict[str, str]
    documented: set[str]


def labels(schema: Any) -> set[str]:
    return {each.ok().label for each in schema.get_all_operations()}


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asked]:
    folder = tmp_path_factory.mktemp("schemathesis")
    app = lazyapp.App(
        replace(example.config, drawer=draw, migrations=MIGRATIONS),
        settings=lazyapp.Settings(
            env="test",
            root=folder,
            given_public_url=HOST,
            secret_key=SecretStr(SECRET_KEY),
            default_pass=SecretStr(PASSWORD),
            database_url=SecretStr(f"sqlite+aiosqlite:///{folder / 'test.sqlite3'}"),
        ),
    )
    documented = labels(schemathesis.openapi.from_dict(app.openapi()))
    app.openapi_schema = None
    for route in app.routes:
        if isinstance(route, PageRoute):
            route.include_in_schema = True
    logging.getLogger("lazyapp").setLevel(logging.CRITICAL)
    try:
        with get_client(app) as session:
            answer = session.post("/login", data={"username": USER, "password": PASSWORD}, headers=HERE, allow_redirects=False)
            assert answer.status_code == 303
            cookie = "; ".join(f"{name}={value}" for name, value in session.cookies.items())
            session.cookies.clear()
            schema = schemathesis.openapi.from_dict(app.openapi())
            schema.app = app
            yield Asked(schema, session, {"cookie": cookie, **HERE}, documented)
    finally:
        logging.getLogger("lazyapp").setLevel(logging.NOTSET)
        shutdown_lifespans()


def test_every_page_is_asked(asked: Asked):
    """The test before the tests: what is not in the document is not tried."""
    assert {
        "GET /",
        "GET /accounts",
        "POST /accounts",
        "POST /login",
        "POST /logout",
        "PUT /api/books/{isbn}",
    } <= labels(asked.schema)


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE])
@pytest.mark.parametrize("accept", ["text/html", "application/json"])
def test_nothing_that_is_sent_is_an_error_of_ours(asked: Asked, mode: GenerationMode, accept: str):
    """RFC 9110, sections 15.5 and 15.6: what a client sent wrong is told with 4xx; 5xx would be a fault of ours."""
    cases = asked.schema.as_strategy(generation_mode=mode)

    @settings(max_examples=EXAMPLES, derandomize=True, database=None, deadline=None, suppress_health_check=list(HealthCheck))
    @given(strategies.data())
    def ask(data: strategies.DataObject) -> None:
        case = data.draw(cases)
        response = case.call(HOST, asked.session, {**asked.headers, "accept": accept}, allow_redirects=False)
        case.validate_response(response, CONFORMS if case.operation.label in asked.documented else CONFORMS[:1])

    ask()
