"""A body with more mistakes than anybody reads."""

from pathlib import Path
from typing import Annotated, Any

from fastapi import Depends
from pydantic import BaseModel

import lazyapp
from lazyapp.many_errors import MOST_LISTED
from tests.lazyapp.site import Site


class Numbers(BaseModel):
    numbers: list[int]


def from_body(numbers: Numbers) -> int:
    return sum(numbers.numbers)


class SumsController(lazyapp.Controller):
    async def create(self, numbers: Numbers) -> Numbers:
        return numbers

    async def update(self, total: Annotated[int, Depends(from_body)]) -> list[int]:
        return [total]


def draw(routes: lazyapp.Routes) -> None:
    routes.post("/sums", SumsController.create)
    routes.post("/total", SumsController.update)


def send(folder: Path, count: int, path: str = "/sums") -> dict[str, Any]:
    client = Site(folder, draw).client()
    answer = client.post(path, json={"numbers": ["x"] * count}, headers={"Accept": "application/json"})
    assert answer.status_code == 422
    found: dict[str, Any] = answer.json()
    return found


def test_few_are_listed(tmp_path: Path) -> None:
    assert send(tmp_path, 2)["errors"] == {"numbers.0": "Give a whole number.", "numbers.1": "Give a whole number."}


def test_many_are_counted(tmp_path: Path) -> None:
    """CWE-400: what a body costs must not be told by how wrong it is. A dependency's body counts too."""
    for path in ("/sums", "/total"):
        assert send(tmp_path, MOST_LISTED + 1, path)["errors"] == {"form": "1001 values are not as expected."}
