"""lazymcp/signature.py: what a signature says, and what may not stand in it. How it becomes a schema is test_function.py's."""

import functools
from typing import Annotated

import pytest
from fastapi import Depends

from lazymcp import Context, RegistrationError
from lazymcp.signature import is_context, plain_function, read_signature


def test_annotations_are_evaluated_and_what_is_filled_is_left_out():
    def fn(a: "int", b: Annotated[str, Depends(str)], ctx: "Context | None" = None) -> "str": ...

    parameters, returns = read_signature(fn, "here", filled={"b"})
    assert list(parameters) == ["a", "ctx"]
    assert (parameters["a"].annotation, returns) == (int, str)
    assert is_context(parameters["ctx"].annotation)


def test_what_nobody_fills_is_refused():
    """A client could choose its value otherwise."""

    def fn(b: Annotated[str, Depends(str)]) -> str: ...

    with pytest.raises(RegistrationError, match="marked with FastAPI's Depends"):
        read_signature(fn, "here")


@pytest.mark.parametrize(
    ("fn", "reason"),
    [
        (lambda *names: None, "name each argument"),
        (eval("lambda a, /: None"), "arguments come by name"),
        (eval("lambda ctx: None"), "ctx has no type"),
        (eval("lambda self, a: None"), "not bound"),
    ],
)
def test_what_cannot_be_called_by_name_is_refused(fn, reason):
    with pytest.raises(RegistrationError, match=reason):
        read_signature(fn, "here")


def test_the_function_under_partials_and_decorators_counts():
    def fn(a: int) -> int: ...

    @functools.wraps(fn)
    def decorated(*values):
        return fn(*values)

    assert plain_function(functools.partial(decorated, 1)) is fn

    class Callable:
        def __call__(self, a: int) -> int: ...

    assert plain_function(Callable()) is Callable.__call__
