"""The routes of an application as rows, and which of them answers a request, in words for a coding agent."""

from pydantic import BaseModel, Field

from lazyapp.developing import route_table
from lazyapp.developing.application import Application

_MORE = {
    "mcp": " list_mcp tells what they offer.",
    "panel": " This server stands beside it, at /_lazy/mcp.",
}


class Route(BaseModel):
    """One route."""

    methods: list[str]
    path: str
    name: str = Field("", description="What path_for calls it.")
    action: str = Field(description="controller#action, or the function of a router.")
    place: str = Field("", description="File and line of the action.")


class Answering(BaseModel):
    """What answers a request."""

    answered_by: route_table.Kind
    route: Route | None = Field(None, description="The route; where nothing answers for its methods, one that has the path.")
    hint: str = ""


def rows(app: Application, grep: str = "") -> list[Route]:
    """Every route, in the order in which they are tried; or those that have a word in them."""
    word = grep.lower()
    return [
        _route(row) for row in route_table.rows(app) if word in " ".join([*row.methods, row.path, row.name, row.action]).lower()
    ]


def answering(app: Application, method: str, path: str) -> Answering:
    """Which route answers `METHOD path`, as the panel's table finds it.

    Args:
        app: whose.
        method: as `GET`, in any case; HEAD is asked of GET's.
        path: with its query or without, or a whole address.
    """
    found = route_table.who_answers(app, route_table.rows(app), method.upper(), route_table.asked_path(path))
    route = _route(found.row) if found.row is not None else None
    hint = "" if found.kind in ("page", "router") else found.sentence + _MORE.get(found.kind, "")
    return Answering(answered_by=found.kind, route=route, hint=hint)


def _route(row: route_table.Row) -> Route:
    return Route(methods=list(row.methods), path=row.path, name=row.name, action=row.action, place=row.place)
