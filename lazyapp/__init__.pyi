"""lazyapp: a full-stack web framework in which pages, AI clients and their login are one application."""

from lazyapp.app import App
from lazyapp.before import before_action
from lazyapp.config import AppContext, Config
from lazyapp.controller import Controller, require_login
from lazyapp.database import create_tables
from lazyapp.errors import ConfigurationError, LazyappError, StartupError
from lazyapp.forms import InvalidForm
from lazyapp.request_ids import request_id
from lazyapp.routes import Routes
from lazyapp.services import Services
from lazyapp.sessions import SessionOptions
from lazyapp.settings import Settings
from lazyapp.steps.auth import first_user
from lazyapp.version import __version__

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
