"""Names of a package that are imported when they are first used, so that nobody waits for what they do not use.

It knows no package, this one included; it stands here because every package that has such names may import it.
"""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def imported_when_used(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """The `__getattr__` of a package; what it has once found becomes an attribute, so it is asked once. PEP 562.

    Args:
        package: its name.
        homes: the module of the package by each name that stands in it.
    """

    def find(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(f"{package}.{homes[name]}"), name)
        setattr(sys.modules[package], name, value)
        return value

    return find
