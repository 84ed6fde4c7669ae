"""`bin/setup`, `bin/serve`, `bin/test`: on a machine with only Python, from any folder; one sentence when something is missing."""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
#: What the scripts may take for granted on any Unix.
BASICS = ("sh", "dirname", "cat", "cksum", "rm", "mkdir", "mktemp", "sed", "tail")


@dataclass
class Checkout:
    """A folder with the scripts, and a PATH that has the basics and what a test adds."""

    folder: Path
    path: Path

    def run(self, script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        environment = {"PATH": str(self.path), "HOME": str(self.path), "TMPDIR": str(self.path)}
        command = [self.folder / "bin" / script, *arguments]
        return subprocess.run(command, env=environment, cwd="/", capture_output=True, text=True, check=False)

    def program(self, place: Path, script: str) -> None:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(f"#!/bin/sh\n{script}\n")
        place.chmod(0o755)

    def have_venv(self, tools: Sequence[str] = ()) -> None:
        """A .venv that is made and installed, whose tools say how they were called, and from where."""
        for tool in ("python", "lazyapp", *tools):
            self.program(self.folder / ".venv/bin" / tool, f'echo "{tool}($PWD):$LAZYAPP_TEST_ALL:$*"')
        self.program(self.path / "uv", "exit 0")
        assert self.run("setup", "dev").returncode == 0
        (self.path / "uv").unlink()


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    folder, path = tmp_path / "my shop", tmp_path / "path"
    shutil.copytree(ROOT / "bin", folder / "bin")
    for name in ("pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, folder)
    path.mkdir()
    for name in BASICS:
        (path / name).symlink_to(shutil.which(name) or name)
    return Checkout(folder, path)


def test_without_python_the_reader_learns_what_to_install(checkout):
    done = checkout.run("serve")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("lazyapp needs Python 3.11 or newer")
    assert len(done.stderr.splitlines()) <= 2


def test_an_old_python_is_no_python(checkout):
    checkout.program(checkout.path / "python3", "exit 1")
    assert "lazyapp needs Python 3.11 or newer" in checkout.run("serve").stderr


def test_a_python_without_its_venv_module_is_named_with_the_package_to_install(checkout):
    """Debian's python3 comes without it."""
    checkout.program(checkout.path / "python3", 'case "$2" in *ensurepip*) exit 1;; esac')
    done = checkout.run("test")
    assert done.returncode == 1
    assert "python3 has no venv module; install it (on Debian and Ubuntu: apt install python3-venv)" in done.stderr


def test_pip_installs_the_application_within_the_constraints(checkout):
    log = checkout.path / "log"
    checkout.program(checkout.folder / ".venv/bin/python", f'echo "$*" >>"{log}"')
    done = checkout.run("setup", "dev")
    assert done.returncode == 0, done.stderr
    assert log.read_text().splitlines()[-1] == "-m pip install -qq --disable-pip-version-check -c constraints.txt -e .[dev]"


def test_uv_is_preferred_and_heeds_the_constraints_too(checkout):
    log = checkout.path / "log"
    checkout.program(checkout.path / "uv", f'mkdir -p .venv; echo "$*" >>"{log}"')
    assert checkout.run("setup").returncode == 0
    venv, install = log.read_text().splitlines()
    assert venv.startswith("venv ")
    assert install.endswith("-c constraints.txt -e .")


@pytest.mark.parametrize("changed", ["pyproject.toml", "constraints.txt"])
def test_it_installs_again_only_when_what_it_installs_changed(checkout, changed):
    log = checkout.path / "log"
    checkout.have_venv()
    checkout.program(checkout.path / "uv", f'echo "$*" >>"{log}"')
    assert checkout.run("setup", "dev").returncode == 0
    assert checkout.run("setup").returncode == 0, "what tests need includes what serving needs"
    assert not log.exists()
    (checkout.folder / changed).write_text("# changed\n")
    assert checkout.run("setup", "dev").returncode == 0
    assert len(log.read_text().splitlines()) == 1, "installed, into the .venv that was there"


def test_a_failed_install_is_tried_again(checkout):
    checkout.program(checkout.path / "uv", '[ "$1" = venv ]')
    assert checkout.run("setup").returncode == 1
    assert checkout.run("setup").returncode == 1
    assert not list((checkout.folder / ".venv").glob("installed*"))


def test_serve_passes_its_options_on_and_stands_in_the_application(checkout):
    checkout.have_venv()
    done = checkout.run("serve", "--port", "0", "two words")
    assert done.stdout == f"lazyapp({checkout.folder})::serve --port 0 two words\n"


def test_arguments_of_test_go_to_pytest_and_nothing_else_runs(checkout):
    checkout.have_venv()
    done = checkout.run("test", "tests/lazyview", "-k", "x")
    assert done.stdout == f"python({checkout.folder})::-m pytest tests/lazyview -k x\n"


def test_all_forbids_skips(checkout):
    checkout.have_venv()
    done = checkout.run("test", "--all", "-k", "x")
    assert done.stdout == f"python({checkout.folder}):1:-m pytest -k x\n"


def test_every_check_runs_and_one_failure_fails_the_run(checkout):
    checkout.have_venv(["ruff", "lint-imports", "pytest"])
    checkout.program(checkout.folder / ".venv/bin/mypy", "exit 1")
    done = checkout.run("test")
    assert done.returncode == 1
    summary = done.stdout.splitlines()[-5:]
    assert [line.split()[0] for line in summary] == ["ok", "ok", "FAILED", "ok", "ok"]
    assert summary[-1].split()[1] == "pytest"


@pytest.mark.parametrize(("given", "outcome"), [("0", "2 skipped"), ("1", "1 failed, 1 skipped")])
def test_a_skip_fails_where_nothing_may_be_skipped(tmp_path, given, outcome):
    """Design, section 10: `bin/test --all` fails on any such skip."""
    (tmp_path / "conftest.py").write_text("from tests.conftest import pytest_make_collect_report, pytest_runtest_makereport\n")
    (tmp_path / "test_it.py").write_text(
        "import pytest\n"
        "def test_lacking(): pytest.skip('no Node here')\n"
        "def test_elsewhere(): pytest.skip('does not apply: only on another system')\n"
    )
    environment = os.environ | {"LAZYAPP_TEST_ALL": given, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "pytest", "-q", tmp_path, "--rootdir", tmp_path]
    done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert outcome in done.stdout.splitlines()[-1]
