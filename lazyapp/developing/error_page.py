"""`/_lazy/errors/<id>`: one error, as a page, as Markdown and as JSON; the id is the one that a page or a model was told."""

import json
from collections.abc import Callable, Mapping
from typing import Any, Final

from lazyapp.accept import choose
from lazyapp.developing.asked import answer
from lazyapp.developing.door import Scope, Send
from lazyapp.developing.memory import ERRORS, Failure, Memory
from lazyapp.developing.shown import moment, plain
from lazyapp.error_pages import KEPT_UNDER

Render = Callable[[str, Mapping[str, Any]], str]

KINDS: Final = {
    "page": "A page failed",
    "tool": "A tool failed",
    "resource": "A resource could not be read",
    "prompt": "A prompt could not be made",
    "work": "Something failed beside the requests",
}

_FORMS: Final = ("text/html", "text/markdown", "application/json")
_VARY: Final = {"vary": "accept"}
_GONE: Final = "No error is known by this id. The last {} are kept, in the process that had them, until it ends or is reloaded."


async def error_page(memory: Memory, scope: Scope, send: Send, render: Render) -> None:
    """Answer in the form that is asked for.

    Args:
        render: makes a page of a view's name and variables.
    """
    form = choose(scope, _FORMS) or _FORMS[0]
    failure = memory.failure(scope["path"].removeprefix(KEPT_UNDER))
    status = 404 if failure is None else 200
    if form == "application/json":
        text = json.dumps({"error": _GONE.format(ERRORS)} if failure is None else as_json(failure), indent=2)
    elif form == "text/markdown":
        text = f"{_GONE.format(ERRORS)}\n" if failure is None else as_markdown(failure)
    elif failure is None:
        text = render("gone", {"path": scope["path"], "sentence": _GONE.format(ERRORS)})
    else:
        text = render(
            "error", {"path": scope["path"], "failure": failure, "heading": KINDS[failure.kind], "markdown": as_markdown(failure)}
        )
    await answer(scope, send, text, status=status, media_type=form, more=_VARY)


def as_markdown(failure: Failure) -> str:
    """The error for an issue, or for whoever helps: its place, the arguments of the call, the way there."""
    head = f"{KINDS[failure.kind]}: {failure.what} · {moment(failure.time)} · error {failure.id}\n"
    arguments = f"\nArguments:\n\n```json\n{failure.arguments}\n```\n" if failure.arguments else ""
    return plain(f"{head}\n{failure.report.as_markdown()}{arguments}")


def as_json(failure: Failure) -> dict[str, Any]:
    """The error for a program."""
    return {
        "id": failure.id,
        "time": moment(failure.time),
        "kind": failure.kind,
        "what": failure.what,
        "request": failure.report.request.strip(),
        "request_id": failure.request_id,
        "arguments": failure.arguments,
        "exception": failure.report.as_json(),
    }
