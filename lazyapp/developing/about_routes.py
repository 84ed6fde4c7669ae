"""The routes of an application as rows, and which of them answers a request."""

from collections.abc import Sequence

from pydantic import BaseModel, Field

from lazyapp.developing.application import Application
from lazyapp.steps.mcp import MCP_PATH


class Route(BaseModel):
    """One route."""

    methods: list[str]
    path: str
    name: str = Field("", description="What path_for calls it.")
    action: str = Field(description="controller#action, or the function of a router.")
    place: str = Field("", description="File and line of the action.")


class Answering(BaseModel):
    """What answers a request."""

    answered_by: str = Field(description="page, router, mcp, oauth, public file or nothing.")
    route: Route | None = None
    hint: str = ""


def rows(app: Application, grep: str = "") -> list[Route]:
    """Every route, in the order in which they are tried; or those that have a word in them."""
    found = [
        Route(methods=list(row.methods), path=row.path, name=row.name, action=row.action, place=row.place)
        for row in app.drawn.rows()
    ]
    word = grep.lower()
    return [row for row in found if word in " ".join([*row.methods, row.path, row.name, row.action]).lower()]


def answering(app: Application, method: str, path: str) -> Answering:
    """Which route answers `METHOD path`.

    Args:
        app: whose.
        method: as `GET`; HEAD is asked of GET's.
        path: without its query; a slash at its end does not matter, as it does not to pages.
    """
    method = "GET" if method.upper() == "HEAD" else method.upper()
    path = path.partition("?")[0]
    bare = path.rstrip("/") or "/"
    if app.mcp is not None and bare == MCP_PATH:
        return Answering(answered_by="mcp", hint="The MCP modules; list_mcp tells what they offer.")
    if app.oauth is not None and (path in app.oauth.routes or path in app.oauth.resource_routes):
        return Answering(answered_by="oauth", hint="The authorization server.")
    if method == "GET" and _is_public(app, path):
        return Answering(answered_by="public file", hint=f"{path.lstrip('/')} in {app.config.public}.")
    at_path = [route for route in app.drawn if route.template.matches(bare)]
    drawn = next((route for route in at_path if method in route.methods), None)
    if drawn is not None:
        row = next(row for row in rows(app) if (row.path, row.action) == (drawn.path, drawn.action_name) and method in row.methods)
        return Answering(answered_by="page", route=row)
    if at_path:
        allowed = sorted({each for route in at_path for each in route.methods})
        return Answering(answered_by="nothing", hint=f"405: {bare} answers {', '.join(allowed)}.")
    routed = _of_routers(app, method, path)
    if routed is not None:
        return Answering(answered_by="router", route=routed)
    return Answering(answered_by="nothing", hint="404: no route and no public file has this path.")


def _of_routers(app: Application, method: str, path: str) -> Route | None:
    """FastAPI's routers have their own templates; these are compared piece by piece."""
    drawn = {route.path for route in app.drawn}
    routed = (row for row in rows(app) if row.path not in drawn and method in row.methods)
    return next((row for row in routed if _fits(row.path.split("/"), path.split("/"))), None)


def _fits(template: Sequence[str], path: Sequence[str]) -> bool:
    for position, piece in enumerate(template):
        if piece.startswith("{") and piece.endswith(":path}"):
            return len(path) > position
        if position >= len(path) or not (piece == path[position] or (piece.startswith("{") and path[position])):
            return False
    return len(template) == len(path)


def _is_public(app: Application, path: str) -> bool:
    folder = app.config.public
    if folder is None or any(part.startswith(".") for part in path.split("/")):
        return False
    file = (folder / path.lstrip("/")).resolve()
    return path != "/" and file.is_relative_to(folder.resolve()) and file.is_file()
