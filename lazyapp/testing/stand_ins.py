"""Stand-ins for an application's services, for the starts of one test."""

import inspect
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

from lazyapp.errors import ConfigurationError
from lazyapp.services import Services


@contextmanager
def overridden(services: Services, stand_ins: Mapping[type[Any], Any]) -> Iterator[None]:
    """Open other things for declared services, in starts within the block.

    Args:
        services: the application's.
        stand_ins: by type: an object, which is used as it is and closed by whoever made it, or a class or function that makes one,
            as in `Services.add`. A stand-in answers no ping.

    Raises:
        ConfigurationError: a type is not declared.
    """
    before = services.declared
    for kind in stand_ins:
        if kind not in before:
            names = ", ".join(service.name for service in before.values()) or "none"
            raise ConfigurationError(
                f"{kind.__name__} is no declared service, so nothing can stand in for it; the services are {names}."
            )
    given = {kind: replace(before[kind], factory=_factory(value), ping=None) for kind, value in stand_ins.items()}
    with services.replaced(given):
        yield


def _factory(value: Any) -> Any:
    return value if inspect.isroutine(value) or inspect.isclass(value) else partial(_as_it_is, value)


def _as_it_is(value: Any) -> Iterator[Any]:
    # A generator, because what one yields is neither awaited nor entered.
    yield value
