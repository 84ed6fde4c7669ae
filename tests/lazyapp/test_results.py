"""What an action's result stands for."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import pytest
from fastapi import Form, Response
from pydantic import BaseModel, Field

from lazyapp.controller import Controller
from lazyapp.errors import ConfigurationError
from lazyapp.results import data_of
from lazyapp.routes import Routes
from tests.lazyapp.site import Site

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


class Account(BaseModel):
    email: str = Field(serialization_alias="e-mail")


class Stored(Account):
    digest: str


@dataclass
class Pair:
    left: int
    right: int


class AccountsController(Controller):
    async def index(self) -> dict[str, Any]:
        return {"secret": "of the view"}

    async def show(self, id: int) -> Account:
        return Stored(email=f"{id}@x", digest="never told")

    async def update(self, id: int) -> Account | Response:
        return Stored(email=f"{id}@x", digest="never told")

    async def all(self) -> list[Account]:
        return [Stored(email="ada@x", digest="never told")]

    async def pair(self) -> Pair:
        return Pair(1, 2)

    async def other(self) -> Account:
        return [{"digest": "never told"}]  # type: ignore[return-value]


def draw(routes: Routes) -> None:
    routes.resources("accounts", AccountsController, param="id:int")
    for action in ("all", "pair", "other"):
        routes.get(f"/{action}", getattr(AccountsController, action))


FILES = {
    "views/accounts/index.html.j2": "list {{ secret }}",
    "views/accounts/show.html.j2": "account {{ email }}",
    "views/accounts/pair.html.j2": "{{ left }} and {{ right }}",
    "views/error.html.j2": "{{ status }}: {{ message }}",
}


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path, draw, FILES)


@pytest.mark.parametrize(
    ("accept", "kind"),
    [
        (BROWSER, "text/html"),
        ("text/html", "text/html"),
        ("*/*", "application/json"),
        ("", "application/json"),
        ("application/json", "application/json"),
        ("text/*", "text/html"),
        ("application/json;q=0.4, text/html;q=0.5", "text/html"),
        ("text/html;q=0, */*", "application/json"),
        ("application/json;q=0, */*;q=0.1", "text/html"),
    ],
)
def test_a_model_with_a_view_is_what_the_client_takes_best(site: Site, accept: str, kind: str) -> None:
    """RFC 9110, 12.5.1; design, section 3."""
    answer = site.client().get("/accounts/7", headers={"accept": accept})
    assert (answer.status_code, answer.headers["content-type"].partition(";")[0]) == (200, kind)
    assert answer.headers["vary"] == "accept"
    assert "7@x" in answer.text


@pytest.mark.parametrize(
    ("path", "accept", "sentence"),
    [
        ("/accounts/7", "image/png", "This address answers application/json or text/html."),
        ("/accounts", "application/json", "This address answers text/html."),
        ("/all", "text/html", "This address answers application/json."),
    ],
)
def test_who_takes_nothing_of_it_is_told_what_there_is(site: Site, path: str, accept: str, sentence: str) -> None:
    """RFC 9110, 15.5.7. The variables of a view are not for every client to read, so a dict is never JSON."""
    answer = site.client().get(path, headers={"accept": accept})
    assert answer.status_code == 406
    assert sentence in answer.text
    assert answer.headers["vary"] == "accept"


def test_what_was_done_is_told_whatever_the_client_takes(site: Site) -> None:
    """RFC 9110, 15.5.7: a server may send another representation; after a change that is the better answer."""
    answer = site.client().put("/accounts/7", headers={"accept": "image/png"})
    assert (answer.status_code, answer.json()) == (200, {"e-mail": "7@x"})


def test_json_is_what_the_annotation_declares(site: Site) -> None:
    """What a subclass has besides stays here, as with FastAPI's response models."""
    client = site.client(headers={"accept": "*/*"})
    assert client.get("/accounts/7").json() == {"e-mail": "7@x"}
    assert client.get("/all").json() == [{"e-mail": "ada@x"}]


def test_a_dataclass_has_a_view_too(site: Site) -> None:
    """It has names, as a model has."""
    assert site.client().get("/pair").text.endswith("1 and 2")
    assert site.client().get("/pair", headers={"accept": "*/*"}).json() == {"left": 1, "right": 2}


def test_a_result_that_is_not_what_was_promised_is_an_error_of_ours(site: Site, caplog: pytest.LogCaptureFixture) -> None:
    """Nothing undeclared leaves."""
    answer = site.client().get("/other", headers={"accept": "*/*"})
    assert answer.status_code == 500
    assert "never told" not in answer.text
    assert "Expected `Account`" in caplog.text


def test_a_path_that_ends_in_json_is_the_page_for_who_takes_only_json(site: Site) -> None:
    """The address of a page for a program that cannot set headers."""
    client = site.client()
    answer = client.get("/accounts/7.json", headers={"accept": BROWSER})
    assert (answer.status_code, answer.json()) == (200, {"e-mail": "7@x"})
    assert client.get("/accounts.json").json()["status"] == 406
    assert client.delete("/accounts.json").json()["status"] == 405
    assert client.get("/nowhere.json").status_code == 404


def test_actions_that_promise_data_are_in_the_openapi_document(site: Site) -> None:
    """FastAPI at home: each with its schema; pages are not there."""
    paths = site.client().get("/openapi.json").json()["paths"]
    assert {path: sorted(methods) for path, methods in paths.items()} == {
        "/accounts/{id}": ["get", "patch", "put"],
        "/all": ["get"],
        "/pair": ["get"],
        "/other": ["get"],
    }
    schema = paths["/accounts/{id}"]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
    assert schema == {"$ref": "#/components/schemas/Account"}
    assert paths["/accounts/{id}"]["get"]["tags"] == ["accounts"]
    assert paths["/accounts/{id}"]["get"]["responses"].keys() == {"200", "default"}
    assert list(paths["/all"]["get"]["responses"]["default"]["content"]) == ["application/problem+json", "text/html"]


class Draft(BaseModel):
    size: int


class DraftsController(Controller):
    async def index(self) -> list[Draft]:
        return []

    async def create(self, form: Annotated[Draft, Form()]) -> Draft:
        return form


def test_a_form_that_fails_is_never_answered_with_data(tmp_path: Path) -> None:
    """Design, section 3, "A form that fails": what shows it again is a page; a list in its place would look like success."""
    client = Site(tmp_path, lambda routes: routes.resources("drafts", DraftsController), FILES).client()
    for accept, kind in ((BROWSER, "text/html; charset=utf-8"), ("application/json", "application/problem+json")):
        answer = client.post("/drafts", data={"size": "large"}, headers={"accept": accept})
        assert (answer.status_code, answer.headers["content-type"]) == (422, kind)


@pytest.mark.parametrize(
    ("annotation", "data"),
    [
        (Account, Account),
        (list[Account], list[Account]),
        (tuple[int, ...], tuple[int, ...]),
        (Account | None, Account),
        (Account | Pair | Response, Account | Pair),
        (Response, None),
        (dict[str, Any], None),
        (None, None),
        (Account | dict[str, int], None),
        (Any, None),
        ("str", None),
    ],
)
def test_what_an_annotation_promises(annotation: Any, data: Any) -> None:
    """Redirects and pages beside it promise nothing."""
    assert data_of(annotation) == data


class Opaque: ...


class OpaqueController(Controller):
    async def index(self) -> list[Opaque]:
        return []


def test_a_promise_that_cannot_become_json_is_told_with_its_place(tmp_path: Path) -> None:
    """Issue 2, bad input: named place."""
    with pytest.raises(ConfigurationError, match=r"test_results.py:\d+: OpaqueController.index returns what cannot become JSON"):
        Site(tmp_path, lambda routes: routes.root(OpaqueController.index))
