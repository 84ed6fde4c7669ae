"""Which names an application may have: those that can be a folder, a distribution and a word in a client's list of servers."""

import keyword
import re
import sys
from importlib.metadata import PackageNotFoundError, requires

from lazyapp.errors import ConfigurationError

SLUG = re.compile(r"[a-z][a-z0-9]*([_-][a-z0-9]+)*")
MAX_LENGTH = 50
TOOLS = frozenset({"mypy", "pytest", "ruff"})
OURS = frozenset({"app", "init", "lazyapp", "lazymcp", "lazyauth", "lazyoauth", "lazyview", "tests"})


def check_name(name: str) -> None:
    """Accept a name such as `shop` or `my-shop`.

    Raises:
        ConfigurationError: it is malformed, or taken by Python, by us or by what we need.
    """
    if not SLUG.fullmatch(name) or len(name) > MAX_LENGTH:
        raise ConfigurationError(
            f"{name!r} cannot be a name; use small letters, digits and single hyphens, such as `lazyapp new my-shop`."
        )
    module = name.replace("-", "_")
    if keyword.iskeyword(module) or keyword.issoftkeyword(module):
        raise ConfigurationError(f"{name!r} is a word of Python's grammar; choose another, such as `lazyapp new {name}-app`.")
    if module in sys.stdlib_module_names:
        raise ConfigurationError(f"{name!r} is a module of Python's library; choose another, such as `lazyapp new {name}-app`.")
    if module in OURS:
        raise ConfigurationError(f"{name!r} is taken by the framework; choose another, such as `lazyapp new my-{name}`.")
    if name.replace("_", "-") in _needed():
        raise ConfigurationError(
            f"{name!r} is a package that the application needs; choose another, such as `lazyapp new {name}-app`."
        )


def _needed() -> frozenset[str]:
    """The distributions of which an installer would find two of one name: what lazyapp needs, and what its tests do."""
    try:
        lines = requires("lazyapp") or []
    except PackageNotFoundError:  # run from its source, without having been installed
        lines = []
    found = (re.match(r"[\w.-]+", line) for line in lines if "extra ==" not in line)
    return TOOLS | {re.sub(r"[-_.]+", "-", match[0]).lower() for match in found if match}
