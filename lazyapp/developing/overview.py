"""`/_lazy`: what the application is, on one page."""

import platform
import re
from typing import Any, Final
from urllib.parse import urlsplit

import lazymcp
from lazyapp.developing.application import Application
from lazyapp.developing.memory import Memory
from lazyapp.developing.route_table import rows
from lazyapp.steps.migrations import asks_for_database

_FEW: Final = 5
_DRIVER: Final = re.compile(r"\+.*")


def overview(app: Application, memory: Memory) -> dict[str, Any]:
    """What the page shows."""
    settings, scope = app.settings, app.mcp
    listed = rows(app)
    return {
        "env": settings.env,
        "url": settings.public_url,
        "root": str(settings.root),
        "python": platform.python_version(),
        "database": _database(app),
        "has_oauth": app.oauth is not None,
        "docs": app.docs_url,
        "openapi": app.openapi_url,
        "counts": [
            ("/_lazy/routes", len([row for row in listed if row.needs_login is not None]), "page"),
            *([("/_lazy/mcp", len(scope.entries("tool")), "tool")] if scope else []),
            ("/_lazy/services", len(app.services.declared), "service"),
            ("/_lazy/requests", len(memory.requests), "request"),
            ("/_lazy/errors", len(memory.errors), "error"),
        ],
        "modules": scope.summary() if scope else [],
        "widgets": _shown_by_a_widget(scope) if scope else [],
        "errors": list(reversed(memory.errors.copy()))[:_FEW],
        "requests": list(reversed(memory.requests.copy()))[:_FEW],
    }


def _shown_by_a_widget(scope: lazymcp.Scope) -> list[str]:
    """The names of the tools whose results a page inside the client shows. SEP-1865, "Tool metadata"."""
    return [row.name for row, entry in scope.entries("tool") if ((entry.get("_meta") or {}).get("ui") or {}).get("resourceUri")]


def _database(app: Application) -> str:
    """The kind of database and its name or file, without who signs in there."""
    given = app.settings.database_url
    if given is None:
        return "SQLite under .lazyapp/" if asks_for_database(app.config, app.settings, app.services) else "none"
    parts = urlsplit(given.get_secret_value())
    # SQLite's address has no host: sqlite:///notes.sqlite3, and four slashes before a path from the root.
    return f"{_DRIVER.sub('', parts.scheme)}, {f'{parts.hostname}{parts.path}' if parts.hostname else parts.path[1:]}"
