"""Node and the TypeScript SDK's server packages, in a folder of their own between runs; None where npm cannot fetch them."""

import hashlib
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import pytest

from tests.flows.node import find_node

PACKAGES = ("@modelcontextprotocol/server@2.4.0", "@modelcontextprotocol/node@2.1.2", "zod@4.2.1")
SCRIPT = Path(__file__).parent / "typescript" / "server.mjs"


@cache
def typescript_server() -> list[str] | None:
    """The command that runs the TypeScript contestant."""
    try:
        node, npm = find_node()
    except pytest.skip.Exception:
        return None
    folder = Path(tempfile.gettempdir()) / f"lazyapp-benchmarks-{hashlib.sha256(' '.join(PACKAGES).encode()).hexdigest()[:12]}"
    if not (folder / "node_modules").exists():
        folder.mkdir(exist_ok=True)
        (folder / "package.json").write_text('{"private": true}')
        flags = ["--no-save", "--no-package-lock", "--no-audit", "--no-fund", "--ignore-scripts"]
        if subprocess.run([*npm, "install", *flags, *PACKAGES], cwd=folder, capture_output=True, check=False).returncode:
            shutil.rmtree(folder)
            return None
    shutil.copy(SCRIPT, folder)  # next to node_modules, where Node looks for imports
    return [node, str(folder / SCRIPT.name)]
