"""Names that are imported when they are first used; that each package's list is right, tests/test_house.py looks at."""

import subprocess
import sys

import pytest

import lazyauth


def test_a_name_brings_its_module_and_no_other_and_is_found_once():
    """PEP 562: a module's `__getattr__` is asked for what the module has not."""
    lines = [
        "import sys, lazyauth",
        "assert 'lazyauth.errors' not in sys.modules",
        "found = lazyauth.InvalidCredentials",
        "assert vars(lazyauth)['InvalidCredentials'] is found",
        "print(*sorted(name for name in sys.modules if name.startswith('lazyauth.')))",
    ]
    done = subprocess.run([sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["lazyauth.errors", "lazyauth.lazy_names"]


def test_a_name_that_is_not_there_is_an_attribute_error_that_names_it():
    """`hasattr`, `from … import` and completion all rely on it."""
    with pytest.raises(AttributeError, match=r"^module 'lazyauth' has no attribute 'Lazy'$"):
        lazyauth.Lazy  # noqa: B018
    assert not hasattr(lazyauth, "Lazy")
