"""The pytest plugin: tests of an application run under LAZYAPP_ENV=test and import its own `app` and `init`.

It is loaded by every pytest run on a machine that has lazyapp, so it imports nothing of the framework and changes nothing where no
application stands, the variable aside.
"""

import os

import pytest

from lazyapp import location


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Before any conftest can import `init.app`."""
    os.environ.setdefault("LAZYAPP_ENV", "test")
    here = location.find(early_config.rootpath)
    if here is not None:
        location.make_importable(here.root)
        os.environ.setdefault("LAZYAPP_ROOT", str(here.root))
