"""`lazyapp.scaffold`: a new application, whole or not at all."""

import os
import re
import resource
import shutil
import socket
import stat
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

import httpx2
import pytest

from lazyapp.errors import ConfigurationError
from lazyapp.scaffold import check_name, create
from tests.lazyapp.tiny_app import environment, serving

SKELETON = ["pyproject.toml", "README.md", ".gitignore", "bin/serve", "bin/test", "bin/setup", "tests/test_pages.py", "init/app.py"]

WITH_LAZYAPP = f"{Path(sys.executable).parent}:{os.environ['PATH']}"


def everything_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_new_application_is_the_example_with_its_own_name(tmp_path: Path) -> None:
    """Issue: the repository's own app/ and init/, renamed, with what surrounds them."""
    files = create("my-shop", tmp_path / "my-shop")
    assert {Path(name) for name in SKELETON} <= set(files)
    root = tmp_path / "my-shop"
    assert 'name="my-shop"' in (root / "init" / "app.py").read_text()
    assert (root / "app" / "mcps" / "admin_mcp" / "__init__.py").exists()
    assert Path("app/migrations/0001_make_accounts.py") in files
    assert "claude mcp add --transport http my-shop " in (root / "README.md").read_text()
    project = tomllib.loads((root / "pyproject.toml").read_text())
    assert project["project"]["name"] == "my-shop"
    assert project["tool"]["lazyapp"]["app"] == "init.app:app"
    assert everything_in(tmp_path) == ["my-shop"]


def test_no_placeholder_and_no_byte_code_is_left(tmp_path: Path) -> None:
    """A reader of the new application finds nothing of how it was made."""
    for file in create("shop", tmp_path / "shop"):
        assert "__pycache__" not in file.parts
        assert file.suffix != ".tpl"
        if file.suffix in {".py", ".toml", ".md", ""}:
            assert "{{ name }}" not in (tmp_path / "shop" / file).read_text()


def test_the_scripts_run_and_the_rest_does_not(tmp_path: Path) -> None:
    """Modes follow the umask, as if a person had made the files."""
    create("shop", tmp_path / "shop")
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "shop").rglob("*") if path.is_file()}
    mask = os.umask(0)
    os.umask(mask)
    assert modes["serve"] == modes["test"] == modes["setup"] == 0o777 & ~mask
    assert modes["pyproject.toml"] == 0o666 & ~mask
    assert stat.S_IMODE((tmp_path / "shop").stat().st_mode) == 0o777 & ~mask


def test_an_empty_folder_is_filled_and_stays_the_same_folder(tmp_path: Path) -> None:
    """`lazyapp new shop --dir .`: the shell that stands in it must not lose it."""
    inode = tmp_path.stat().st_ino
    create("shop", tmp_path)
    assert tmp_path.stat().st_ino == inode
    assert (tmp_path / "init" / "app.py").exists()


def test_a_folder_with_something_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "mine.txt").touch()
    with pytest.raises(ConfigurationError, match="exists and is not empty; choose another name"):
        create("shop", tmp_path / "shop")
    assert everything_in(tmp_path / "shop") == ["mine.txt"]


def test_a_failure_leaves_nothing_half_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is built beside its place and moved there when it is complete."""

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "chmod", full)  # what is done last
    with pytest.raises(ConfigurationError, match="cannot be written: No space left on device"):
        create("shop", tmp_path / "shop")
    monkeypatch.undo()
    assert everything_in(tmp_path) == []


def test_a_disk_that_fills_up_meanwhile_is_told_by_its_reason(tmp_path: Path) -> None:
    """write(2), EFBIG: like ENOSPC it comes with no name of a file, and copytree gathers it for each."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        with pytest.raises(ConfigurationError) as refused:
            create("full", tmp_path / "full")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert re.match(rf"{tmp_path}/full cannot be written: .*File too large.*; say another place with --dir\.$", str(refused.value))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["shop", "my-shop", "my_shop", "shop2"])
def test_a_slug_is_a_name(name: str) -> None:
    check_name(name)


@pytest.mark.parametrize("name", ["", "Shop", "2shop", "my shop", "my--shop", "shop-", "../shop", "s" * 51, "élan"])
def test_anything_else_is_no_name(name: str) -> None:
    with pytest.raises(ConfigurationError, match="cannot be a name; use small letters"):
        check_name(name)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("class", "grammar"),
        ("match", "grammar"),
        ("email", "library"),
        ("lazyapp", "framework"),
        ("fastapi", "needs"),
        ("argon2_cffi", "needs"),
        ("pytest", "needs"),
    ],
)
def test_a_name_that_is_taken_is_refused_with_another_one(name: str, reason: str) -> None:
    with pytest.raises(ConfigurationError, match=f"{reason}; choose another, such as"):
        check_name(name)


def test_the_scripts_are_portable_shell(tmp_path: Path) -> None:
    """They run under the plainest shell that the machine has."""
    create("shop", tmp_path / "shop")
    for script in ("serve", "test", "setup"):
        subprocess.run([shutil.which("dash") or "sh", "-n", tmp_path / "shop" / "bin" / script], check=True)


def test_the_scripts_find_the_lazyapp_that_is_installed(tmp_path: Path) -> None:
    """`lazyapp new shop && cd shop && bin/serve` needs no network where lazyapp is already there."""
    create("shop", tmp_path / "shop")
    variables = environment(PATH=WITH_LAZYAPP)

    def said(*command: str) -> str:
        result = subprocess.run(command, cwd=tmp_path / "shop", env=variables, capture_output=True, text=True, check=True)
        return result.stdout.strip()

    python = said("bin/setup", "pytest")
    assert said(python, "-m", "lazyapp", "--version").startswith("lazyapp ")
    assert said("bin/serve", "--help").startswith("Usage: lazyapp serve")
    assert not (tmp_path / "shop" / ".venv").exists()


def script_in(folder: Path, *command: str, path: str) -> subprocess.CompletedProcess[str]:
    """What a script of the application says where nothing can be installed: there is no network, and PATH is this one alone."""
    closed = {"PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": os.devnull, "UV_OFFLINE": "1", "PATH": path}
    variables = {name: value for name, value in environment(**closed).items() if name != "PYTHONPATH"}
    return subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True, check=False)


def bare_path(folder: Path) -> str:
    """A PATH whose `python3` has nothing installed, as that of a person who made the application from a checkout."""
    python = folder / "bare" / "bin" / "python3"
    venv.create(folder / "bare")
    return f"{python.parent}:/usr/bin:/bin"


def test_the_python_that_made_it_is_used_where_lazyapp_is_not_on_the_path(tmp_path: Path) -> None:
    """`lazyapp new` printed `cd shop && bin/serve`, so that is what must work, without a network."""
    create("shop", tmp_path / "shop")
    path = bare_path(tmp_path)
    for wanted in ((), ("pytest",)):
        found = script_in(tmp_path / "shop", "bin/setup", *wanted, path=path)
        assert (found.returncode, found.stdout, found.stderr) == (0, f"{sys.executable}\n", "")
    assert script_in(tmp_path / "shop", "bin/serve", "--help", path=path).stdout.startswith("Usage: lazyapp serve")
    assert not (tmp_path / "shop" / ".venv").exists()


def test_an_installation_that_fails_ends_with_what_to_do_and_leaves_no_venv(tmp_path: Path) -> None:
    """Half a `.venv` would be preferred from then on."""
    create("shop", tmp_path / "shop")
    path = bare_path(tmp_path)
    lacking = script_in(tmp_path / "shop", "bin/setup", "no_such_module", path=path)
    assert (lacking.returncode, lacking.stdout) == (1, "")
    making, sentence, said, *log = lacking.stderr.splitlines()
    assert making == "Making .venv and installing what pyproject.toml asks for ..."
    assert sentence == (
        "What pyproject.toml asks for could not be installed; when there is a network, run this again, "
        f"or install no_such_module for {sys.executable}, which has lazyapp."
    )
    assert said == "The installer said at last:"
    # Its own words come below the sentence, set apart.
    assert 0 < len(log) <= 12
    assert all(line.startswith("  ") for line in log)
    assert not (tmp_path / "shop" / ".venv").exists()


def test_a_venv_of_ones_own_is_left_alone(tmp_path: Path) -> None:
    """What somebody else has made is nobody's to remove, and does not hide a Python that has everything."""
    create("shop", tmp_path / "shop")
    path = bare_path(tmp_path)
    venv.create(tmp_path / "shop" / ".venv", system_site_packages=True)  # for its pip
    assert script_in(tmp_path / "shop", "bin/setup", path=path).stdout == f"{sys.executable}\n"
    (tmp_path / "shop" / ".lazyapp" / "python").write_text("/gone/python\n")
    gone = script_in(tmp_path / "shop", "bin/serve", path=path)
    assert gone.returncode == 1
    assert gone.stderr.splitlines()[1].endswith("could not be installed; when there is a network, run this again.")
    assert (tmp_path / "shop" / ".venv" / "bin" / "python").exists()


def test_the_recipe_for_production_is_started_as_written(tmp_path: Path, postgres_url: str) -> None:
    """Its lines go to a shell as they are; only the host of the database and the address to listen on are this machine's."""
    create("shop", tmp_path / "shop")
    recipe = (tmp_path / "shop" / "README.md").read_text().partition("## In production")[2].partition("Make the first two")[0]
    *exports, start = re.findall(r"^\$ (.+)$", recipe, re.MULTILINE)
    assert start == "bin/serve --production --host 0.0.0.0"
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    script = "\n".join([*exports, f"export DATABASE_URL='{postgres_url}'", f"exec bin/serve --production --port {port}"])
    with serving(tmp_path / "shop", command=["sh", "-euc", script], PATH=WITH_LAZYAPP) as server:
        assert server.wait_until_up() == "https://shop.example"
        with httpx2.Client(base_url=f"http://127.0.0.1:{port}", headers={"host": "shop.example"}) as client:
            assert client.get("/").status_code == 200
            assert client.get("/.well-known/oauth-authorization-server").json()["issuer"] == "https://shop.example"
        assert server.end() == 0
