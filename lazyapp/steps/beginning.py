"""What every step of a start is given, how it calls the application's hooks, and how its failure is named."""

import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import lazyoauth
from lazyapp.config import AppContext, Config
from lazyapp.errors import ConfigurationError, LazyappError, StartupError
from lazyapp.secret import Secret
from lazyapp.services import Services
from lazyapp.settings import Settings
from lazyview import Views


@dataclass(frozen=True, slots=True)
class Plan:
    """What is known before a start: the composition, its services and its views, and what tests put in a dependency's place."""

    config: Config
    services: Services
    views: Views
    version: str
    overrides: Callable[[], Mapping[Callable[..., Any], Callable[..., Any]]] = dict


@dataclass(frozen=True, slots=True)
class Beginning:
    """One start of a plan."""

    plan: Plan
    settings: Settings
    secret: Secret

    @property
    def context(self) -> AppContext:
        """What hooks are handed."""
        return AppContext(self.plan.config.name, self.settings, self.plan.services)


async def called(hook: Callable[..., Any], *arguments: Any) -> Any:
    """What a hook answers, be it a coroutine function or not."""
    answer = hook(*arguments)
    return await answer if inspect.isawaitable(answer) else answer


@contextmanager
def step(name: str) -> Iterator[None]:
    """A failure inside carries the step's name; what lazyapp itself raises says enough.

    Raises:
        ConfigurationError: the authorization server does not take its configuration.
        StartupError: anything else.
    """
    try:
        yield
    except LazyappError:
        raise
    except lazyoauth.ConfigError as error:
        raise ConfigurationError(str(error)) from error
    except Exception as error:
        raise StartupError(name, str(error) or type(error).__name__) from error
