"""Models inside a form's model."""

from pathlib import Path
from typing import Annotated, Any

import pytest
from fastapi import Form, Response
from pydantic import BaseModel, SecretStr

from lazyapp import Controller, Routes
from lazyapp.nested_forms import put_together, reads_nested
from tests.lazyapp.site import Site


class Phone(BaseModel):
    number: str
    is_mobile: bool = False


class Address(BaseModel):
    city: str
    tags: list[str] = []
    phone: Phone | None = None


class Person(BaseModel):
    name: str
    home: Address
    work: Address | None = None
    phones: list[Phone] = []
    secret: SecretStr = SecretStr("")


class PeopleController(Controller):
    """Says what it read."""

    async def index(self) -> dict[str, Any]:
        return {}

    async def create(self, form: Annotated[Person, Form()]) -> Response:
        return Response(form.model_dump_json())


def client(folder: Path) -> Any:
    view = {"views/people/index.html.j2": "{% for name in form_errors %}{{ name }}={{ form_errors[name] }};{% endfor %}"}
    return Site(folder, lambda routes: Routes.resources(routes, "people", PeopleController), view).client()


def test_dots_lead_into_models_and_numbers_into_lists(tmp_path: Path) -> None:
    """Issue: helpers for forms from pydantic models. The last of two values of one box counts."""
    sent = {
        "name": "Ada",
        "home.city": "London",
        "home.tags": "old",
        "home.phone.number": "1",
        "phones.10.number": "3",
        "phones.2.number": "2",
        "phones.2.is_mobile": ["false", "true"],
    }
    read = client(tmp_path).post("/people", data=sent).json()
    assert read["home"] == {"city": "London", "tags": ["old"], "phone": {"number": "1", "is_mobile": False}}
    assert read["phones"] == [{"number": "2", "is_mobile": True}, {"number": "3", "is_mobile": False}]
    assert read["work"] is None


def test_what_is_left_empty_was_left_out(tmp_path: Path) -> None:
    """Browsers send empty fields: an optional model of nothing else is not there, a required one lacks its fields."""
    answer = client(tmp_path).post("/people", data={"name": "Ada", "home.city": "", "work.city": ""})
    assert (answer.status_code, "home.city=Please fill this in.;" in answer.text, "work" in answer.text) == (422, True, False)


@pytest.mark.parametrize(
    "sent",
    [
        {"name": "Ada", "home": "x", "home.city": "y"},
        {"name": "Ada", "home.city": "y", "home.city.deeper": "z"},
        {"name": "Ada", f"home{'.home' * 10_000}": "x"},
        {"name": "Ada", "home.city": "x", f"phones.{'9' * 5000}.number": "x"},
        {"name": "Ada", "home.city": "x", "phones.٣.number": "x"},
        {"name": "Ada", "home..city": "x", "home.": "x", ".": "x", "phones.0": "x"},
    ],
)
def test_names_that_make_no_sense_are_wrong_and_nothing_worse(tmp_path: Path, sent: dict[str, str]) -> None:
    """Issue: Hypothesis and a corpus against forms: no 500."""
    assert client(tmp_path).post("/people", data=sent).status_code in (200, 422)


def test_names_that_lead_into_no_model_stay_what_they_are() -> None:
    """A model that allows more than its fields gets them as they came."""
    assert put_together(Person, {"a.b": "x", "name.b": "y"}) == {"a.b": "x", "name.b": "y"}
    assert put_together(Person, "text") == "text"


def test_only_forms_with_models_inside_are_read_so() -> None:
    """What FastAPI reads alone stays FastAPI's."""
    for annotation in (Person, Annotated[Phone, Form()], Annotated[Person, "note"], Annotated[int, Form()]):
        assert reads_nested(annotation) is annotation
