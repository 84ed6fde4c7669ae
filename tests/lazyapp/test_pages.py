"""From a request to a controller's action, its view, and back; a form that fails; what an address answers."""

from pathlib import Path
from typing import Annotated, Any

import pytest
from fastapi import APIRouter, Depends, Form, HTTPException, Response, UploadFile
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field, SecretStr

from lazyapp.controller import Controller
from lazyapp.errors import ConfigurationError
from lazyapp.forms import InvalidForm
from lazyapp.routes import Routes
from tests.lazyapp.site import Site


class AccountForm(BaseModel):
    email: str = Field(min_length=3)
    age: int = 0
    phrase: SecretStr = SecretStr("")


class AccountsController(Controller):
    async def index(self, active: bool | None = None) -> dict[str, Any]:
        return {"accounts": ["ada"], "active": active}

    async def create(self, form: Annotated[AccountForm, Form()]) -> Response:
        if form.email == "ada@x":
            raise InvalidForm(email="There is an account for this address.")
        self.flash(f"{form.email} added")
        return self.redirect_to("accounts")

    async def show(self, id: int) -> dict[str, Any]:
        if id == 404:
            raise HTTPException(404, "There is no account 404.")
        if id == 304:
            raise HTTPException(304, headers={"etag": '"x"'})
        return {"id": id}

    async def edit(self, id: int) -> dict[str, Any]:
        return {"id": id, "email": "stored@x"}

    async def update(self, id: int, form: Annotated[AccountForm, Form()]) -> Response:
        return self.redirect_to("account", id=id)

    async def delete(self, id: int, confirm: Annotated[str, Form()]) -> None:
        """Has no page of its own to show a form again."""


class NotesController(Controller):
    async def new(self, kind: str) -> None:
        """Needs what a failed form does not send."""

    async def create(self, text: Annotated[str, Form()]) -> None: ...


class UploadController(Controller):
    async def new(self) -> None: ...

    async def create(
        self,
        title: Annotated[str, Form(min_length=3)],
        picture: UploadFile,
        tags: Annotated[list[str], Form()] = [],  # noqa: B006
        is_public: Annotated[bool, Form()] = False,
    ) -> Response:
        return JSONResponse([title, picture.filename, tags, is_public])


class SearchController(Controller):
    async def find(self, word: Annotated[str, Form()]) -> None: ...


class OtherForm(BaseModel):
    text: str = Field(min_length=2)


class ThingsController(Controller):
    async def new(self) -> Response:
        return self.render(layout=None, hint="short")

    async def create(self, form: Annotated[OtherForm, Form()]) -> None: ...


api = APIRouter()


@api.post("/things")
async def make_thing(thing: OtherForm) -> OtherForm:
    return thing


@api.get("/things/{number}")
async def get_thing(number: int) -> int:
    raise HTTPException(404, "no thing")


def draw(routes: Routes) -> None:
    with routes.resources("accounts", AccountsController) as account:
        account.resources("notes", NotesController)
    routes.post("/search", SearchController.find)
    routes.resources("uploads", UploadController)
    routes.resources("things", ThingsController)
    routes.include(api, prefix="/api")


FILES = {
    "views/accounts/index.html.j2": "{% for f in flash() %}<p>{{ f.kind }} {{ f.message }}</p>{% endfor %}"
    "{{ accounts|join }} {{ active }}<input value='{{ form_values.email }}'>{{ form_errors.email }}{{ form_values.phrase }}",
    "views/accounts/show.html.j2": "account {{ id }}",
    "views/accounts/edit.html.j2": "edit {{ id }} {{ form_values.get('email', email) }} {{ form_errors.age }}",
    "views/things/new.html.j2": "{{ hint }}: {{ form_values.text }} {{ form_errors.text }}",
    "views/upload/new.html.j2": "{{ form_values.title }}|{{ form_values.tags }}|{{ form_values.is_public }}|"
    "{{ form_values.picture }}|{{ form_errors.title }}",
    "views/error.html.j2": "{{ status }} {{ title }}: {{ message }}",
}


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path, draw, FILES)


def test_a_route_reaches_an_action_that_renders_its_view(site: Site) -> None:
    """Design, section 1: a page, down and up."""
    page = site.client().get("/accounts?active=true")
    assert page.status_code == 200
    assert "ada True" in page.text
    assert page.headers["content-type"] == "text/html; charset=utf-8"


def test_a_form_redirects_and_the_next_page_shows_its_flash_once(site: Site) -> None:
    """Design, section 2: flash and redirect_to with 303."""
    client = site.client()
    answer = client.post("/accounts", data={"email": "bob@x"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/accounts")
    assert "<p>notice bob@x added</p>" in client.get("/accounts").text
    assert "added" not in client.get("/accounts").text


def test_a_form_that_fails_is_shown_again_with_what_was_typed(site: Site) -> None:
    """Design, section 3: status 422, values kept and errors by field; create has no `new` here, so `index` shows it."""
    page = site.client().post("/accounts?active=no", data={"email": "b<", "phrase": "hush"})
    assert page.status_code == 422
    assert "value='b&lt;'" in page.text
    assert "Use at least 3 characters." in page.text
    assert "ada None" in page.text
    assert "hush" not in page.text


def test_a_form_that_the_action_finds_wrong_is_shown_again_too(site: Site) -> None:
    """A rule that only the database knows."""
    page = site.client().post("/accounts", data={"email": "ada@x"})
    assert page.status_code == 422
    assert "value='ada@x'" in page.text
    assert "There is an account for this address." in page.text


def test_lists_and_boxes_are_kept_and_files_are_not(site: Site) -> None:
    """docs/forms.md, "When it fails". A browser lets no page fill in a file, and leaves out a box that is not checked."""
    client, file = site.client(), {"picture": ("cat.png", b"png")}
    fine = client.post("/uploads", data={"title": "cat", "tags": ["a", "b"], "is_public": "on"}, files=file)
    assert fine.json() == ["cat", "cat.png", ["a", "b"], True]
    page = client.post("/uploads", data={"title": "x", "tags": ["a", "b"], "is_public": "on"}, files=file)
    assert page.status_code == 422
    assert page.text.endswith("x|[&#39;a&#39;, &#39;b&#39;]|on||Use at least 3 characters.")
    assert client.post("/uploads", data={"title": "x"}, files=file).text.endswith("x||||Use at least 3 characters.")


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
def test_an_update_that_fails_shows_edit_of_the_same_one(site: Site, method: str) -> None:
    """Design, section 3."""
    client = site.client()
    assert client.get("/accounts/7/edit").text.endswith("edit 7 stored@x ")
    page = client.request(method, "/accounts/7", data={"email": "typed@x", "age": "old"})
    assert page.status_code == 422
    assert page.text.endswith("edit 7 typed@x Give a whole number.")
    assert client.request(method, "/accounts/7", data={"email": "typed@x"}).headers["location"] == "/accounts/7"


def test_new_may_render_by_itself_and_still_shows_the_failed_form_with_422(site: Site) -> None:
    """Issue 2: calls that sibling action for its variables."""
    page = site.client().post("/things", data={"text": "x"})
    assert (page.status_code, page.text) == (422, "short: x Use at least 2 characters.")


def test_a_form_without_a_page_to_show_it_is_an_error_page(site: Site) -> None:
    """The controller has neither new, edit nor index."""
    page = site.client().post("/search", data={})
    assert page.status_code == 422
    assert "422 Unprocessable" in page.text


def test_a_page_that_cannot_show_the_form_again_ends_in_an_error_page(site: Site) -> None:
    """`new` asks for a query parameter: one failure does not call for another."""
    page = site.client().post("/accounts/1/notes", data={})
    assert page.status_code == 422
    assert "422 Unprocessable" in page.text


def test_a_json_client_gets_problem_details_by_field(site: Site) -> None:
    """RFC 9457, 3."""
    for sent in (
        {"headers": {"accept": "application/json"}, "data": {"email": "b"}},
        {"headers": {"accept": "*/*"}, "json": {"email": 1}},
    ):
        answer = site.client().post("/accounts", **sent)
        assert answer.status_code == 422
        assert answer.headers["content-type"] == "application/problem+json"
        problem = answer.json()
        assert (problem["type"], problem["title"][:13], problem["status"]) == ("about:blank", "Unprocessable", 422)
        assert list(problem["errors"]) == ["email"]


def test_a_problem_names_its_occurrence(site: Site) -> None:
    """RFC 9457, 3.1.5 and 3.2: the address as a URI reference, and the id that the log has."""
    problem = site.client().get("/n%C3%B6where", headers={"accept": "application/json", "x-request-id": "0123456789"}).json()
    assert (problem["instance"], problem["request_id"], problem["status"]) == ("/n%C3%B6where", "0123456789", 404)


def test_a_path_whose_parameter_cannot_be_read_names_no_page(site: Site) -> None:
    """RFC 9110, 15.5.5."""
    page = site.client().get("/accounts/three")
    assert page.status_code == 404
    assert page.text.endswith("404 Not Found: There is no page at this address.")


@pytest.mark.parametrize("env", ["development", "production"])
def test_a_query_that_cannot_be_read_is_an_error_page_that_names_it(tmp_path: Path, env: str) -> None:
    """GET has no form to show again; it is the visitor's own input, which is not echoed."""
    client = Site(tmp_path, draw, FILES, env=env, security_options={"origin": "http://testserver"}).client()
    page = client.get("/accounts?active=perhaps")
    assert (page.status_code, page.text.partition(": ")[2]) == (422, "“active” is missing or wrong. Choose yes or no.")
    problem = client.get("/accounts?active=perhaps", headers={"accept": "application/json"})
    assert problem.json()["detail"] == "“active” is missing or wrong. Choose yes or no."
    assert problem.json()["errors"] == {"active": "Choose yes or no."}
    assert "perhaps" not in page.text + problem.text


@pytest.mark.parametrize(
    ("method", "path", "status", "words"),
    [
        ("GET", "/nowhere", 404, "404 Not Found: There is no page at this address."),
        ("GET", "/accounts/404", 404, "404 Not Found: There is no account 404."),
        ("DELETE", "/accounts", 405, "405 Method Not Allowed: This address does not take that kind of request."),
    ],
)
def test_errors_wear_the_applications_layout(site: Site, method: str, path: str, status: int, words: str) -> None:
    """Design, section 3: error pages."""
    page = site.client().request(method, path)
    assert (page.status_code, page.text) == (status, f"<!doctype html><title>{words[4:].partition(':')[0]}</title>{words}")


@pytest.mark.parametrize(
    ("path", "allow"),
    [("/accounts", "GET, HEAD, POST"), ("/accounts/7", "DELETE, GET, HEAD, PATCH, PUT"), ("/search", "POST")],
)
def test_405_names_every_method_of_the_address(site: Site, path: str, allow: str) -> None:
    """RFC 9110, 15.5.6."""
    answer = site.client().request("PROPFIND", path)
    assert (answer.status_code, answer.headers["allow"]) == (405, allow)


def test_options_tells_what_an_address_takes(site: Site) -> None:
    """RFC 9110, 9.3.7."""
    answer = site.client().options("/accounts")
    assert (answer.status_code, answer.headers["allow"], answer.content) == (204, "GET, HEAD, OPTIONS, POST", b"")
    assert site.client().options("/nowhere").status_code == 404


def test_a_status_without_a_page_passes(site: Site) -> None:
    """RFC 9110, 15.4.5: no body."""
    answer = site.client().get("/accounts/304")
    assert (answer.status_code, answer.headers["etag"], answer.content) == (304, '"x"', b"")


@pytest.mark.parametrize("accept", ["text/html", "application/json"])
def test_an_included_router_keeps_fastapis_behaviour(site: Site, accept: str) -> None:
    """Issue 2."""
    client = site.client(headers={"accept": accept})
    assert client.post("/api/things", json={"text": "fine"}).json() == {"text": "fine"}
    wrong = client.post("/api/things", json={"text": "x"})
    assert (wrong.status_code, wrong.json()["detail"][0]["loc"]) == (422, ["body", "text"])
    assert client.get("/api/things/1").json() == {"detail": "no thing"}
    assert client.put("/api/things").json() == {"detail": "Method Not Allowed"}


def test_only_included_routers_are_in_the_openapi_document(site: Site) -> None:
    """Pages are for people."""
    assert list(site.client().get("/openapi.json").json()["paths"]) == ["/api/things", "/api/things/{number}"]


def of_account(account_id: int) -> int:
    return account_id


class RemarksController(Controller):
    async def show(self, acount_id: int, id: int) -> None: ...
    async def edit(self, account: Annotated[int, Depends(of_account)], accounts_id: int, id: int) -> None: ...
    async def index(self, account_ids: int = 0) -> None: ...


def test_a_misspelt_parameter_of_the_path_is_told_at_the_start(tmp_path: Path) -> None:
    """To FastAPI it is one of the query that no request has: every page there would be a 422."""
    with pytest.raises(ConfigurationError, match=r"RemarksController.show takes 'acount_id', .* mean 'account_id'\?"):
        Site(tmp_path, lambda routes: routes.get("/accounts/{account_id}/notes/{id}", RemarksController.show))


@pytest.mark.parametrize("action", [RemarksController.edit, RemarksController.index])
def test_a_path_may_have_what_only_a_dependency_takes_or_nobody(tmp_path: Path, action: Any) -> None:
    Site(tmp_path, lambda routes: routes.get("/accounts/{account_id}/notes/{id}", action))
