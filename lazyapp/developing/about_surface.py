"""What an application offers to AI clients, and a call of one of its tools, for a coding agent."""

import asyncio
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, Field

import lazymcp
from lazyapp.developing.about_values import cut
from lazyapp.developing.application import Application
from lazyapp.developing.preview_call import ask
from lazyapp.developing.preview_people import Caller, signed_in
from lazyapp.steps.mcp import NO_MODULES
from lazymcp.scope import KINDS
from lazymcp.weight import tokens_of


class Item(BaseModel):
    """One thing that AI clients are offered."""

    kind: str
    name: str = Field(description="Its full name, or its URI.")
    description: str
    place: str = Field("", description="File and line where it is written.")
    tokens: int = Field(description="About what a model pays to be told of it.")


class Called(BaseModel):
    """What a tool answered."""

    is_error: bool
    text: str = Field("", description="What a model reads.")
    structured: Any = Field(None, description="What programs read.")
    ms: float
    error_id: str = Field("", description="For read_error, where it failed.")
    messages: list[Any] = Field([], description="Progress, log lines and questions on the way.")


def items(scope: lazymcp.Scope | None, module: str = "") -> list[Item]:
    """Everything that a scope publishes, kind by kind; of one module if it is named."""
    return [
        Item(
            kind=row.kind,
            name=row.name,
            description=row.description.partition("\n")[0],
            place=row.place,
            tokens=tokens_of(told),
        )
        for row, told in _entries(scope)
        if not module or row.module == module
    ]


def entry(scope: lazymcp.Scope | None, name: str) -> dict[str, Any]:
    """One item as clients are sent it.

    Raises:
        LookupError: there is none of this name.
    """
    for row, told in _entries(scope):
        if name in (row.name, row.name.replace(".", "_")):
            return dict(told)
    raise LookupError(f"Nothing is called {name!r}; list_mcp tells what there is.")


async def call(app: Application, tool: str, arguments: Mapping[str, Any], user: str) -> Called:
    """Call a tool as an AI client does that this user has let in.

    Args:
        app: whose tool.
        tool: its name.
        arguments: of the call.
        user: the id; "" is the first user. Where no login protects `/mcp` nobody is signed in.

    Raises:
        LookupError: there is no such tool.
        UnknownCaller: there is no such user.
    """
    if app.mcp is None:
        raise LookupError(NO_MODULES)
    known = {row.name: told for row, told in app.mcp.entries("tool")}
    name = next((each for each in known if tool in (each, each.replace(".", "_"))), None)
    if name is None:
        raise LookupError(f"There is no tool {tool!r}; there are {', '.join(known) or 'none'}.")
    caller = await signed_in(app, Caller(user or app.settings.first_user))
    host = f"localhost:{app.settings.port}".encode()
    with caller:
        answer = await ask(
            app.mcp.asgi(),
            "tools/call",
            {"name": name, "arguments": dict(arguments)},
            known[name]["inputSchema"],
            host=host,
            receive=_stays,
        )
    return _told(answer)


async def _stays() -> Any:
    await asyncio.Event().wait()


def _told(answer: Any) -> Called:
    failed, result = answer.message.get("error"), answer.message.get("result", {})
    before = [each.get("params", {}) for each in answer.before]
    if failed is not None:
        return Called(is_error=True, text=str(failed.get("message")), ms=answer.took_ms, error_id=answer.failure, messages=before)
    if asked := result.get("inputRequests"):
        text = "It asks its user something, which is not answered here; what it asks is in messages."
        return Called(is_error=False, text=text, ms=answer.took_ms, messages=[*before, *asked.values()])
    texts = [block["text"] for block in result.get("content", ()) if block.get("type") == "text"]
    others = [f"({block['type']})" for block in result.get("content", ()) if block.get("type") != "text"]
    return Called(
        is_error=bool(result.get("isError")),
        text=cut("\n".join([*texts, *others])),
        structured=result.get("structuredContent"),
        ms=round(answer.took_ms, 1),
        error_id=answer.failure,
        messages=before,
    )


def _entries(scope: lazymcp.Scope | None) -> Any:
    return [] if scope is None else [each for kind in KINDS for each in scope.entries(kind)]
