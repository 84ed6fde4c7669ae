"""What an action's result stands for: its view, JSON, or the response that it is already.

A dict holds the variables of a view and never becomes JSON by itself, for a view may be given what no client should read. Data that
may be read as such is a model, a dataclass or a list, and is written as the action's return annotation declares it: what a subclass
or a looser object has beside the declared fields stays here.
"""

import types
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, Union, get_args, get_origin

from fastapi import HTTPException
from fastapi.responses import Response
from pydantic import BaseModel, TypeAdapter
from pydantic_core import to_json

from lazyapp.accept import choose
from lazyapp.controller import Controller

Writer = Callable[[Any], bytes]

_HTML, _JSON = "text/html", "application/json"


def answer(controller: Controller, result: Any, write: Writer = to_json) -> Response:
    """The response that an action's result stands for.

    Args:
        controller: whose action returned it.
        result: what it returned.
        write: makes JSON of it.

    Raises:
        TypeError: the result is nothing that can be answered; the message names the action.
        HTTPException: 406, the client takes neither what the action has nor anything like it.
    """
    if isinstance(result, Response):
        return result
    if type(result) is dict or result is None or isinstance(result, Mapping):
        # Rendered first: what is wrong with a view is told in more kinds than the view has.
        response = controller.rendered(result or {})
        for name, value in controller._page.request.scope["headers"]:
            # Measured: a page is to cost no call more than it must, and nearly all that ask for one say so. `in` would first try to
            # read its bytes as a number, and make an exception of it.
            if name == b"accept" and value.find(b"html") < 0 and value.find(b"*/*") < 0:
                _offered(controller, _HTML)
        return response
    page = controller._page
    if not (isinstance(result, BaseModel | list | tuple) or is_dataclass(result)):
        raise TypeError(
            f"{type(controller).__name__}.{page.action} returned {type(result).__name__}; return None or a dict for its view, "
            "a model, a dataclass or a list for JSON, or a Response"
        )
    variables = _variables(result)
    has_view = variables is not None and page.site.views.exists(f"{page.folder}/{page.action}")
    kind = _offered(controller, _JSON, _HTML) if has_view else _offered(controller, _JSON)
    response = controller.rendered(variables or {}) if kind == _HTML else Response(write(result), media_type=_JSON)
    response.headers.append("vary", "accept")
    return response


def data_of(annotation: Any) -> Any:
    """The part of a return annotation that promises JSON: a model, a dataclass, a list or a union of them; None when there is none.

    `Account | Response` promises an `Account`.
    """
    if get_origin(annotation) not in (Union, types.UnionType):
        return annotation if _is_data(annotation) else None
    parts = tuple(each for each in get_args(annotation) if not (each is types.NoneType or _is(each, Response)))
    return Union[parts] if parts and all(_is_data(each) for each in parts) else None  # noqa: UP007  # made of values


def writer(data: Any) -> Writer:
    """Makes JSON of what an action returns, as `data_of` its annotation says."""
    if data is None:
        return to_json
    adapter: TypeAdapter[Any] = TypeAdapter(data)
    return lambda result: adapter.dump_json(result, by_alias=True, warnings="error")


def _is_data(annotation: Any) -> bool:
    kind = get_origin(annotation) or annotation
    return _is(kind, BaseModel, list, tuple) or (isinstance(kind, type) and is_dataclass(kind))


def _is(kind: Any, *bases: type[Any]) -> bool:
    return isinstance(kind, type) and issubclass(kind, bases)


def _offered(controller: Controller, *kinds: str) -> str:
    """Which of the kinds that an action can answer the client takes; the first for one that takes several alike.

    Only a GET can be refused: whatever else was asked for has been done by now, and its answer had better be told.
    """
    page = controller._page
    chosen = choose(page.request.scope, kinds)
    if chosen or page.request.method != "GET" or page.failed is not None:
        return chosen or kinds[0]
    raise HTTPException(406, f"This address answers {' or '.join(sorted(kinds))}.", {"vary": "accept"})


def _variables(result: Any) -> dict[str, Any] | None:
    """What a view is given of a result; None for a list, which has no names."""
    if isinstance(result, BaseModel):
        return dict(result)
    if is_dataclass(result):
        return {field.name: getattr(result, field.name) for field in fields(result)}
    return None
