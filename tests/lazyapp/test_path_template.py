"""Paths with parameters."""

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from starlette.routing import compile_path

from lazyapp.path_template import PathTemplate, singular


@pytest.mark.parametrize(
    ("template", "params", "path"),
    [
        ("/", {}, "/"),
        ("/accounts/{id}", {"id": 7}, "/accounts/7"),
        ("/accounts/{id}/edit", {"id": "a b/c?d#e%f"}, "/accounts/a%20b%2Fc%3Fd%23e%25f/edit"),
        ("/accounts/{id:int}/{tab}", {"id": 7, "tab": "é"}, "/accounts/7/%C3%A9"),
        ("/files/{rest:path}", {"rest": "a/b c"}, "/files/a/b%20c"),
        ("/accounts", {"active": True, "tag": ["x", "y"], "page": None, "q": "a&b"}, "/accounts?active=true&tag=x&tag=y&q=a%26b"),
    ],
)
def test_parameters_are_percent_encoded_and_the_rest_is_the_query(template: str, params: dict[str, Any], path: str) -> None:
    """RFC 3986, 2.1."""
    assert PathTemplate(template).fill(params) == path


@pytest.mark.parametrize("value", ["", ".", "..", None])
def test_a_value_that_would_name_another_path_is_refused(value: str | None) -> None:
    """RFC 3986, 5.2.4."""
    with pytest.raises(ValueError, match="id="):
        PathTemplate("/accounts/{id}").fill({"id": value})


def test_a_path_parameter_with_dot_segments_is_refused() -> None:
    """RFC 3986, 5.2.4."""
    with pytest.raises(ValueError, match="cannot stand in a path"):
        PathTemplate("/files/{rest:path}").fill({"rest": "a/../../b"})


def test_a_missing_parameter_is_named() -> None:
    """Issue 2: clear errors."""
    with pytest.raises(LookupError, match="id"):
        PathTemplate("/accounts/{id}").fill({})


@pytest.mark.parametrize("text", ["/a/{id", "/a/{}", "/a/{id:nothing}", "/a/{id}/{id}", "/a/{1}", "/a/{é}"])
def test_a_path_that_cannot_be_used_is_refused(text: str) -> None:
    """Issue 2: bad input."""
    with pytest.raises(ValueError, match="the path"):
        PathTemplate(text)


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(lambda value: value not in (".", "..")))
def test_any_value_fills_one_segment(value: str) -> None:
    """RFC 3986, 3.3."""
    path = PathTemplate("/a/{id}/b").fill({"id": value})
    assert path.count("/") == 3
    assert path.isascii()


def test_templates_that_differ_in_parameter_names_have_one_shape() -> None:
    """Issue 2: the same request cannot be drawn twice."""
    assert PathTemplate("/a/{id}").shape == PathTemplate("/a/{name}").shape
    assert PathTemplate("/a/{id}").shape == PathTemplate("/a/{id:str}").shape
    assert PathTemplate("/a/{id}").shape != PathTemplate("/a/{id:path}").shape


UUID = "c9bf9e57-1685-4c89-bafb-ff5af830be8a"
TEMPLATES = [
    "/",
    "/a.b",
    "/a/{id}",
    "/a/{id:str}/e",
    "/{id:int}",
    "/{n:float}/",
    "/u/{u:uuid}",
    "/f/{rest:path}",
    "/{a}-{b}.{c:int}",
]
PIECES = st.sampled_from(
    ["/", "a", "b", ".", "-", "1", "23", "1.5", "f", "u", "e", UUID, UUID.replace("-", ""), "é", "\n", "{", ":"]
)


@given(st.sampled_from(TEMPLATES), st.lists(PIECES, max_size=8))
@example("/a.b", ["/", "a", "-", "b"])
@example("/u/{u:uuid}", ["/", "u", "/", UUID])
@example("/{n:float}/", ["/", "1.5", "/"])
@example("/f/{rest:path}", ["/", "f", "/", "a", "/", "\n"])
@example("/{a}-{b}.{c}", ["/", "a", "-", "b", ".", "23"])
def test_the_same_paths_match_as_in_the_router(template: str, pieces: list[str]) -> None:
    """Design, section 3: 405 and its Allow say what the router, Starlette's, would answer."""
    path = "".join(pieces)
    assert PathTemplate(template).matches(path) == (compile_path(template)[0].match(path) is not None)


@pytest.mark.parametrize(
    ("plural", "one"),
    [
        ("accounts", "account"),
        ("categories", "category"),
        ("boxes", "box"),
        ("addresses", "address"),
        ("order_items", "order_item"),
        ("sales_people", "sales_person"),
        ("statuses", "status"),
        ("ties", "tie"),
        ("movies", "movie"),
        ("news", "news"),
        ("equipment", "equipment"),
        ("glass", "glass"),
    ],
)
def test_the_name_of_one(plural: str, one: str) -> None:
    """Design, section 3: Rails' resource routes."""
    assert singular(plural) == one
