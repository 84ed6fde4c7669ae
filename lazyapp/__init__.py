"""lazyapp: a full-stack web framework in which pages, AI clients and their login are one application.

The names are imported when first used, so that `lazyapp --help` and the pytest plugin load no web framework; `__init__.pyi` tells
type checkers the same list.
"""

from importlib import import_module
from typing import Any

_HOMES = {
    "App": "app",
    "AppContext": "config",
    "Config": "config",
    "ConfigurationError": "errors",
    "Controller": "controller",
    "InvalidForm": "forms",
    "LazyappError": "errors",
    "Routes": "routes",
    "Services": "services",
    "SessionOptions": "sessions",
    "Settings": "settings",
    "StartupError": "errors",
    "__version__": "version",
    "create_tables": "database",
    "require_login": "controller",
}

__all__ = [
    "App",
    "AppContext",
    "Config",
    "ConfigurationError",
    "Controller",
    "InvalidForm",
    "LazyappError",
    "Routes",
    "Services",
    "SessionOptions",
    "Settings",
    "StartupError",
    "__version__",
    "create_tables",
    "require_login",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'lazyapp' has no attribute {name!r}")
    value = getattr(import_module(f"lazyapp.{_HOMES[name]}"), name)
    globals()[name] = value
    return value
