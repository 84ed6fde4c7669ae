import importlib
import subprocess
import sys

import lazyauth


def test_the_public_names_are_sorted_and_all_there():
    """style, "Public names"."""
    assert lazyauth.__all__ == sorted(lazyauth.__all__, key=lambda name: (not name.isupper(), name))  # as ruff sorts them
    module = importlib.import_module("lazyauth")
    assert [name for name in lazyauth.__all__ if not hasattr(module, name)] == []


def test_importing_it_brings_in_no_web_framework():
    """design 8: lazymcp imports lazyauth and must stay light."""
    heavy = "{'fastapi', 'starlette', 'sqlalchemy', 'authlib', 'jinja2', 'pydantic'}"
    code = f"import sys, lazyauth; print({heavy} & set(sys.modules))"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "set()"
