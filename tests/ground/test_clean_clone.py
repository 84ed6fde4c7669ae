"""`bin/serve` in a clean clone, as a newcomer runs it: with Python alone, and with uv."""

import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import httpx2
import pytest

from tests.conftest import NOTHING_MAY_BE_SKIPPED

ROOT = Path(__file__).parents[2]
UV = Path(sys.executable).parent / "uv"


@pytest.mark.slow
@pytest.mark.parametrize("has_uv", [False, True], ids=["pip", "uv"])
def test_a_clean_clone_serves_its_page(tmp_path: Path, has_uv: bool) -> None:
    """The README, "Two minutes". It installs from the package index, so only `bin/test --all` runs it."""
    if not NOTHING_MAY_BE_SKIPPED:
        pytest.skip("does not apply: runs under bin/test --all only")
    clone, extra = tmp_path / "my clone", tmp_path / "path"
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
    extra.mkdir()
    if has_uv:
        (extra / "uv").symlink_to(UV)
    others = [folder for folder in os.environ["PATH"].split(os.pathsep) if not shutil.which("uv", path=folder)]
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("LAZY", "COVERAGE", "PYTEST", "VIRTUAL_ENV"))}
    process = subprocess.Popen(
        [clone / "bin" / "serve", "--port", "0", "--no-reload"],
        cwd="/",
        env=kept | {"PATH": os.pathsep.join([str(extra), *others])},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        assert process.stdout is not None
        said: list[str] = []
        for line in process.stdout:
            said.append(line)
            if found := re.search(r"Pages +(http://\S+)", line):
                assert "It runs." in httpx2.get(found[1]).text
                break
        else:
            pytest.fail("".join(said))
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        assert process.wait(30) == 0
        process.stdout.close() if process.stdout else None
