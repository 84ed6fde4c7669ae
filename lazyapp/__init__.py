"""lazyapp: a full-stack web framework in which pages, AI clients and their login are one application.

The names are imported when first used, so that `lazyapp --help` and the pytest plugin load no web framework; `__init__.pyi` tells
type checkers the same list.
"""

from lazyauth.lazy_names import imported_when_used as _imported_when_used

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
    "before_action": "before",
    "create_tables": "database",
    "first_user": "steps.auth",
    "request_id": "request_ids",
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
    "before_action",
    "create_tables",
    "first_user",
    "request_id",
    "require_login",
]

__getattr__ = _imported_when_used(__name__, _HOMES)
