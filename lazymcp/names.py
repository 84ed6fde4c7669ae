"""Names: how classes and methods get theirs on the wire, which ones are allowed, and where a thing was written."""

import functools
import inspect
import logging
import re
from pathlib import Path
from typing import Any

from lazymcp.errors import RegistrationError

__all__ = ["check_name", "item_name", "module_name", "warn_of_length", "where"]

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,63}")
# Clients put the server's name in front: Cursor drops what is longer than 60 together, and with `mcp__server__` Claude Code fails
# beyond 64. https://github.com/PostHog/posthog/pull/51483, https://github.com/cloudflare/skills/issues/11
_ROOMY = 48

logger = logging.getLogger(__name__)


def module_name(cls_name: str) -> str:
    """The module a class publishes: `AdminMCP` is `admin`, `UserAccountsMCP` is `user_accounts`.

    A run of capitals is one word: `HTTPServerMCP` is `httpserver`. The name may come out empty (`MCP`); the caller decides.
    """
    name = cls_name.strip()
    for ending in ("MCP", "_mcp", "-mcp"):
        if name.endswith(ending):
            name = name.removesuffix(ending)
            break
    return _snake(name)


def item_name(method_name: str, suffix: str) -> str:
    """The tool, resource, prompt, skill or app a method exports: `user_count_tool` less `_tool` is `user_count`."""
    return _snake(method_name.removesuffix(suffix))


def check_name(name: str) -> None:
    """Refuse a name that a client may refuse.

    Raises:
        RegistrationError: the name is not 1 to 64 of ASCII letters, digits, `_`, `.` and `-`, or begins with no letter and no `_`.

    SEP-986 allows more (128, and `/`); the language models' own interfaces allow only this.
    """
    if not _NAME.fullmatch(name):
        raise RegistrationError(
            f"the name {name!r} must be 1 to 64 of the characters A-Z a-z 0-9 _ . - and begin with a letter or _"
        )


def warn_of_length(name: str, place: str) -> None:
    """Say in the log that some clients will not see a tool, because its name leaves little room for the server's."""
    if len(name) > _ROOMY:
        logger.warning(
            "%s: the name %s has %d characters; clients that put the server's name in front may drop the tool, so keep to %d",
            *(place, name, len(name), _ROOMY),
        )


def where(obj: Any) -> str:
    """The file and line that define a function, method or class: `app/mcps/admin_mcp/__init__.py:31`.

    The path is relative to the working directory when it lies below. What has no source is named instead: `builtins.len`.
    """
    while isinstance(obj, functools.partial):
        obj = obj.func
    obj = inspect.unwrap(obj)
    if not (inspect.isroutine(obj) or inspect.isclass(obj)):
        obj = type(obj)
    try:
        file = Path(inspect.getsourcefile(obj) or "")
        # For a function this reads no file; for a class there is no other way before Python 3.13.
        line = obj.__code__.co_firstlineno if hasattr(obj, "__code__") else inspect.findsource(obj)[1] + 1
    except (OSError, TypeError):
        return f"{getattr(obj, '__module__', None) or '?'}.{getattr(obj, '__qualname__', None) or repr(obj)}"
    here = Path.cwd()
    return f"{file.relative_to(here) if file.is_relative_to(here) else file}:{line}"


def _snake(name: str) -> str:
    return _HUMP.sub("_", name).lower().strip("_-").replace("-", "_")
