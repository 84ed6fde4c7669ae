"""lazymcp as a package: what importing it costs, and what it does not bring along."""

import subprocess
import sys

import pytest


def loaded(code: str) -> set[str]:
    """The modules of a fresh process that ran this code."""
    done = subprocess.run([sys.executable, "-c", f"{code}\nimport sys; print(*sys.modules)"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split())


@pytest.fixture(scope="module")
def imported():
    return loaded("import lazymcp")


def test_importing_it_brings_in_no_web_framework_and_no_cipher(imported):
    """Design, section 8: what is heavy is imported in the module that needs it."""
    heavy = {"fastapi", "starlette", "sqlalchemy", "authlib", "jinja2", "argon2", "cryptography", "yaml", "httpx", "anyio"}
    assert imported & heavy == set()


def test_importing_it_brings_in_nothing_for_what_is_rare(imported):
    """Design, section 9: importing costs at most 0.3 of the official SDK; benchmarks measure it, this keeps what was won."""
    assert imported & {"importlib.resources", "mimetypes", "json", "pkgutil", "difflib", "tempfile"} == set()


def test_each_transport_is_loaded_by_who_serves_with_it(imported):
    """A local process needs no HTTP, a web process none of stdio."""
    assert imported & {"lazymcp.http", "lazymcp.stdio", "lazymcp.exchange", "lazymcp.lines"} == set()
    web = loaded("import lazymcp; lazymcp.Scope().asgi()")
    assert "lazymcp.http" in web
    assert "lazymcp.stdio" not in web
    files = "open(os.devnull, 'rb'), open(os.devnull, 'wb')"
    local = loaded(f"import asyncio, os, lazymcp; asyncio.run(lazymcp.Scope().serve_stdio({files}))")
    assert "lazymcp.stdio" in local
    assert "lazymcp.http" not in local
