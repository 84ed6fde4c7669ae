"""What a process may import before it knows which application it will serve: the framework, and the libraries it is made of.

Nothing of the application, and no library that only the application uses: those may look at the environment when they are imported,
and the application may first have set it. So a process that was started ahead of need behaves like one that was not.
"""

import importlib
import logging
import sys
from collections.abc import Iterable

OWN = ("lazyapp", "lazymcp", "lazyauth", "lazyoauth", "lazyview")
#: Import names of what pyproject.toml says that the framework needs.
LIBRARIES = (
    *("aiosqlite", "alembic", "argon2", "asyncpg", "authlib", "cryptography", "fastapi", "httpx2", "itsdangerous", "jinja2"),
    *(
        "joserfc",
        "limits",
        "markdown_it",
        "pydantic",
        "pydantic_settings",
        "python_multipart",
        "sqlalchemy",
        "starlette",
        "uvicorn",
        "yaml",
    ),
)
# Without which nothing is served.
FIRST = ("lazyapp.app", "lazyapp.serving.worker", "lazyapp.serving.protocol", "uvloop")


def imported() -> tuple[str, ...]:
    """What this process has imported of the framework and its libraries, in the order in which it did."""
    known = frozenset((*OWN, *LIBRARIES))
    return tuple(name for name in sys.modules if name.partition(".")[0] in known)


def import_ahead(names: Iterable[str]) -> None:
    """Import these; what cannot be is left to whoever needs it, who says why."""
    for name in names:
        try:
            importlib.import_module(name)
        except Exception as error:
            logging.getLogger(__name__).debug("%s was not imported ahead: %s", name, error)
