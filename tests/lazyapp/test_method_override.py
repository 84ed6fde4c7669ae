"""PATCH, PUT and DELETE from a form."""

from pathlib import Path

import pytest
from fastapi import Request, Response

from lazyapp import Controller, Routes
from lazyapp.method_override import override
from tests.lazyapp.site import Site


class NotesController(Controller):
    """Says what was called."""

    async def index(self) -> None:
        """Here for `resources`."""

    async def create(self) -> Response:
        return Response("created")

    async def update(self, id: int, request: Request) -> Response:
        return Response(f"{request.method} {id} {request.url.query}")

    async def delete(self, id: int) -> Response:
        return Response(f"deleted {id}")


def draw(routes: Routes) -> None:
    routes.resources("notes", NotesController)


@pytest.mark.parametrize(
    ("action", "method", "expected"),
    [
        ("/a", "post", ("/a", "post")),
        ("/a", "GET", ("/a", "get")),
        ("/a", "Patch", ("/a?_method=patch", "post")),
        ("/a?b=1#c", "delete", ("/a?b=1&_method=delete#c", "post")),
    ],
)
def test_the_address_carries_the_method_that_a_form_cannot_send(action: str, method: str, expected: tuple[str, str]) -> None:
    """HTML, section 4.10.18.6: get and post."""
    assert override(action, method) == expected


def test_other_methods_are_refused() -> None:
    with pytest.raises(ValueError, match="TRACE"):
        override("/a", "TRACE")


def test_a_form_reaches_the_route_of_the_method_that_it_means(tmp_path: Path) -> None:
    """Design, section 3: update by PATCH and PUT, delete. The rest of the query stays as it was sent."""
    client = Site(tmp_path, draw).client()
    assert client.post("/notes/3?a=%2F&_method=patch&b", data={"x": "y"}).text == "PATCH 3 a=%2F&b"
    assert client.post("/notes/3?_method=PUT", data={"x": "y"}).text == "PUT 3 "
    files = {"file": ("a.txt", b"a")}
    assert client.post("/notes/3?_method=delete", files=files).text == "deleted 3"


@pytest.mark.parametrize("method", ["get", "post", "trace", "head", "%00", "", "patch"])
def test_only_what_the_path_answers_and_a_form_can_mean_is_believed(tmp_path: Path, method: str) -> None:
    """`/notes` has a POST; PATCH is for one note."""
    client = Site(tmp_path, draw).client()
    assert client.post(f"/notes?_method={method}", data={"x": "y"}).text == "created"


def test_only_posts_of_forms_are_believed(tmp_path: Path) -> None:
    """A program can say PATCH itself, and a GET must stay safe (RFC 9110, section 9.2.1)."""
    client = Site(tmp_path, draw).client()
    assert client.post("/notes/3?_method=delete", json={}).status_code == 405
    assert client.get("/notes/3?_method=delete").status_code == 405


def test_another_site_can_no_more_delete_than_post(tmp_path: Path) -> None:
    """The check of design, section 3, comes first."""
    client = Site(tmp_path, draw).client(headers={"sec-fetch-site": "cross-site"})
    assert client.post("/notes/3?_method=delete", data={"x": "y"}).status_code == 403
