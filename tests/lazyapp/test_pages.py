"""From a request to a controller's action, its view, and back; a form that fails."""

from pathlib import Path
from typing import Annotated, Any

from fastapi import Form, Response
from pydantic import BaseModel, Field

from lazyapp.controller import Controller
from lazyapp.routes import Routes
from tests.lazyapp.site import Site


class AccountForm(BaseModel):
    email: str = Field(min_length=3)
    age: int = 0


class AccountsController(Controller):
    async def index(self, active: bool | None = None) -> dict[str, Any]:
        return {"accounts": ["ada"], "active": active}

    async def create(self, form: Annotated[AccountForm, Form()]) -> Response:
        self.flash(f"{form.email} added")
        return self.redirect_to("accounts")


def draw(routes: Routes) -> None:
    routes.resources("accounts", AccountsController)


FILES = {
    "views/accounts/index.html.j2": "{% for f in flash() %}<p>{{ f.message }}</p>{% endfor %}{{ accounts|join }} {{ active }}"
    "<input value='{{ form_values.email }}'>{{ form_errors.email }}",
}


def test_a_route_reaches_an_action_that_renders_its_view(tmp_path: Path) -> None:
    """Design, section 1: a page, down and up."""
    page = Site(tmp_path, draw, FILES).client().get("/accounts?active=true")
    assert page.status_code == 200
    assert "ada True" in page.text
    assert page.headers["content-type"] == "text/html; charset=utf-8"


def test_a_form_redirects_and_the_next_page_shows_its_flash_once(tmp_path: Path) -> None:
    """Design, section 2: flash and redirect_to with 303."""
    client = Site(tmp_path, draw, FILES).client()
    answer = client.post("/accounts", data={"email": "bob@x"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/accounts")
    assert "<p>bob@x added</p>" in client.get("/accounts").text
    assert "added" not in client.get("/accounts").text


def test_a_form_that_fails_is_shown_again_with_what_was_typed(tmp_path: Path) -> None:
    """Design, section 3: status 422, values kept and errors by field."""
    page = Site(tmp_path, draw, FILES).client().post("/accounts", data={"email": "b<"})
    assert page.status_code == 422
    assert "value='b&lt;'" in page.text
    assert "Use at least 3 characters." in page.text
