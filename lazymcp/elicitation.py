"""Questions to the user: a form that the client draws, or a page that the client opens. MCP 2026-07-28, client/elicitation."""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Final, TypeVar

from pydantic import TypeAdapter, ValidationError
from pydantic.errors import PydanticUserError

from lazymcp.adapter import adapter_of
from lazymcp.asking import ELICIT, NEEDS, Ask, Question, Unreadable
from lazymcp.errors import Declined, InvalidParams
from lazymcp.form_answer import fit
from lazymcp.form_schema import check_form, form_schema

__all__ = ["form", "visit"]

T = TypeVar("T")

_SECURE: Final = re.compile(r"https://[^/?#@\s\\]+([/?#]\S*)?", re.IGNORECASE)
_LOOPBACK: Final = re.compile(r"http://(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?([/?#]\S*)?", re.IGNORECASE)


def form(model: type[T], message: str, *, requested_schema: Mapping[str, Any] | None = None) -> Ask[T]:
    """A form to fill in; the answer is an instance of the model.

    Args:
        model: a pydantic model, dataclass or TypedDict whose fields are text, numbers, bools, dates and choices; or `dict`.
        message: why it is asked, for the user.
        requested_schema: the form, in place of the one that the model gives; a `dict` as model is checked by it alone.

    Raises:
        TypeError: a field that no form can hold.
    """
    kind: Any = model
    schema, validate = _compile(kind) if requested_schema is None else _given(model, requested_schema)

    def read(result: Any) -> T:
        content = _content(result)
        try:
            value: T = validate(fit(schema, content))
        except ValidationError as problem:
            raise Unreadable(_reasons(problem)) from problem
        return value

    return Ask(Question(ELICIT, {"message": message, "requestedSchema": schema}), NEEDS["form"], read)


def visit(url: str, message: str) -> Ask[None]:
    """A page to open. The answer tells only that the user agreed to open it; what was done there, the page's own server knows.

    Args:
        url: https, or http on this machine; nothing in it may let whoever holds it act for the user.
        message: why, for the user.

    Raises:
        ValueError: the URL is not one of these.
    """
    if not (_SECURE.fullmatch(url) or _LOOPBACK.fullmatch(url)):
        raise ValueError(f"a page that a user is sent to must be https, or http on a loopback host, without credentials: {url!r}")
    return Ask(Question(ELICIT, {"mode": "url", "message": message, "url": url}), NEEDS["url"], _agreed)


def _agreed(result: Any) -> None:
    _accept(result)


def _accept(result: Any) -> Mapping[str, Any]:
    """The result, if the user accepted.

    Raises:
        Declined: with what the user did instead.
        InvalidParams: it is no answer to an elicitation.
    """
    action = result.get("action") if isinstance(result, Mapping) else None
    if action in ("decline", "cancel"):
        raise Declined(action)
    if action != "accept":
        raise InvalidParams('the answer to elicitation/create must have an action: "accept", "decline" or "cancel"')
    accepted: Mapping[str, Any] = result
    return accepted


def _content(result: Any) -> Mapping[str, Any]:
    content = _accept(result).get("content")
    if content is None:
        return {}
    if not isinstance(content, Mapping):
        raise InvalidParams("the content of an accepted form must be an object")
    return content


@lru_cache(maxsize=256)
def _compile(model: Any) -> tuple[dict[str, Any], Callable[[dict[str, Any]], Any]]:
    adapter = _adapter(model)
    return form_schema(adapter, getattr(model, "__name__", repr(model))), adapter.validator.validate_python


def _given(model: type[Any], schema: Mapping[str, Any]) -> tuple[dict[str, Any], Callable[[dict[str, Any]], Any]]:
    check_form(schema, "requested_schema")
    return dict(schema), (dict if model is dict else _adapter(model).validator.validate_python)


def _adapter(model: type[Any]) -> TypeAdapter[Any]:
    if model is dict:
        raise TypeError("dict says nothing about the form: give requested_schema, or write a pydantic model")
    try:
        return adapter_of(model)
    except PydanticUserError as problem:
        raise TypeError(f"{model!r} cannot be a form: {str(problem).partition(chr(10))[0]}") from problem


def _reasons(problem: ValidationError) -> str:
    """What the model says against the values, without repeating them."""
    told = []
    for error in problem.errors(include_url=False, include_input=False, include_context=False):
        place = ".".join(str(part) for part in error["loc"])
        told.append(f"{place}: {error['msg']}" if place else error["msg"])
    return "; ".join(told)
