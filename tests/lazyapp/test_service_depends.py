"""lazyapp/service_depends.py: services as FastAPI's dependencies. What actions and tools make of them is tested there."""

from collections.abc import AsyncIterator
from typing import Annotated, Any, Literal

import pytest
from fastapi import Depends, FastAPI
from starlette.testclient import TestClient

from lazyapp.service_depends import Providers
from lazyapp.services import Services

LOG: list[str] = []


class Shelf:
    pass


class Unit:
    pass


async def begin(shelf: Shelf) -> AsyncIterator[Unit]:
    LOG.append("begin")
    yield Unit()
    LOG.append("end")


@pytest.fixture
def services() -> Services:
    LOG.clear()
    services = Services()
    services.add(Shelf, Shelf)
    services.add(Unit, begin, per_request=True)
    return services


def client(services: Services, scope: Literal["function", "request"]) -> TestClient:
    """An application that asks for the same services twice, once of itself and once in a dependency."""
    providers = Providers(services, scope)
    app = FastAPI(lifespan=lambda app: services.opened())
    shelf, unit = Depends(providers.of(Shelf)), Depends(providers.of(Unit))

    def inner(shelf: Annotated[Any, shelf], unit: Annotated[Any, unit]) -> list[Any]:
        return [shelf, unit]

    @app.get("/")
    def page(shelf: Annotated[Any, shelf], unit: Annotated[Any, unit], before: Annotated[list[Any], Depends(inner)]) -> list[bool]:
        LOG.append("page")
        return [shelf is before[0], unit is before[1], isinstance(shelf, Shelf), isinstance(unit, Unit)]

    return TestClient(app)


@pytest.mark.parametrize("scope", ["function", "request"])
def test_a_service_is_one_and_the_same_in_a_request(services: Services, scope: Literal["function", "request"]) -> None:
    """FastAPI, "Sub-dependencies": one that is asked for several times is called once, if it is the same function."""
    with client(services, scope) as browser:
        assert browser.get("/").json() == [True] * 4
        assert LOG == ["begin", "page", "end"]
        browser.get("/")
    assert LOG == ["begin", "page", "end"] * 2


def test_the_dependency_of_a_type_is_one_function(services: Services) -> None:
    providers = Providers(services, "function")
    assert providers.of(Unit) is providers.of(Unit)
    assert providers.of(Unit) is not providers.of(Shelf)
