"""A body with more mistakes than anybody reads is told so in one sentence.

pydantic makes an error of each wrong value, and a list of them all costs ten microseconds a value, on the event loop: measured, two
megabytes of wrong numbers held up every other request for eighteen seconds. How many there are it tells at once.
"""

from typing import Any

from fastapi.dependencies.models import Dependant
from pydantic import TypeAdapter, ValidationError
from pydantic_core import InitErrorDetails, PydanticCustomError

from lazymcp.function import MOST_LISTED


def count_many(dependant: Dependant) -> None:
    """Let the bodies that a route reads be judged so. Leans on where FastAPI's fields keep what validates them."""
    for field in dependant.body_params:
        if not isinstance(field._type_adapter, _Counting):
            field._type_adapter = _Counting(field._type_adapter)  # type: ignore[assignment]  # has all of its names
    for each in dependant.dependencies:
        count_many(each)


class _Counting:
    """A type adapter in all but that."""

    def __init__(self, adapter: TypeAdapter[Any]) -> None:
        self._adapter = adapter

    def __getattr__(self, name: str) -> Any:
        return getattr(self._adapter, name)

    def validate_python(self, value: Any, **options: Any) -> Any:
        try:
            return self._adapter.validate_python(value, **options)
        except ValidationError as error:
            if (count := error.error_count()) <= MOST_LISTED:
                raise
            told = PydanticCustomError("too_many_errors", "{count} values are not as expected.", {"count": count})
            raise ValidationError.from_exception_data(error.title, [InitErrorDetails(type=told, loc=(), input=None)]) from None
