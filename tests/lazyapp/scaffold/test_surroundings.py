"""What stands around the code of a new application: AGENTS.md, the image, continuous integration. Each is true."""

import os
import re
import shlex
import socket
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
import yaml

from lazyapp.scaffold import Shape, create
from lazyapp.settings import Settings
from tests.lazyapp.tiny_app import environment, serving

WITH_LAZYAPP = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
CODE = re.compile(r"`([^`\n]+)`")


@pytest.fixture(params=list(Shape), ids=lambda shape: shape.name.lower())
def shop(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    create("shop", tmp_path / "shop", request.param)
    return tmp_path / "shop"


@pytest.fixture
def whole(tmp_path: Path) -> Path:
    create("shop", tmp_path / "shop")
    return tmp_path / "shop"


def console(text: str) -> list[str]:
    """The commands of a document, without what is remarked behind them."""
    return [line.partition("  #")[0].strip() for line in re.findall(r"^\$ (.+)$", text, re.MULTILINE)]


def test_agents_md_is_short_and_each_of_its_paths_is_there(shop: Path) -> None:
    """docs/new.md: at most 60 lines, every command and path in it checked by a test."""
    text = (shop / "AGENTS.md").read_text()
    assert len(text.splitlines()) <= 60
    named = [word for word in CODE.findall(text) if re.fullmatch(r"\.?[\w*-]+(/[\w.*-]*)+|\.?[\w-]+\.(md|py|toml|example)", word)]
    assert len(named) >= 10
    assert [word for word in named if not list(shop.glob(word.removesuffix("/")))] == []


def test_every_page_of_markdown_names_files_that_are_there(shop: Path) -> None:
    """README.md too."""
    text = (shop / "README.md").read_text()
    named = [word for word in CODE.findall(text) if re.match(r"(app|init|tests|bin)/", word)]
    assert named
    assert [word for word in named if not list(shop.glob(word.removesuffix("/")))] == []


def test_every_command_of_agents_md_does_what_it_says(whole: Path) -> None:
    """docs/new.md; `bin/serve` and the whole of `bin/test` have tests of their own."""
    typed = console((whole / "AGENTS.md").read_text())
    others = {command: shlex.split(command) for command in typed if command not in {"bin/serve", "bin/test"}}
    assert {"bin/serve", "bin/test"} < set(typed)
    assert len(others) >= 4
    for command, words in others.items():
        variables = environment(PATH=WITH_LAZYAPP)
        done = subprocess.run(words, cwd=whole, env=variables, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
        assert done.stdout, command


def test_what_agents_md_says_about_mending_works(whole: Path) -> None:
    (whole / "app" / "services" / "late.py").write_text('import sys\n"""Nothing."""\nx = [ 1 ]\n')
    text = (whole / "AGENTS.md").read_text()
    for command in ("ruff format .", "ruff check --fix ."):
        assert f"`{command}`" in text
        subprocess.run(command.split(), cwd=whole, env=environment(PATH=WITH_LAZYAPP), capture_output=True, check=False)
    assert "x = [1]" in (whole / "app" / "services" / "late.py").read_text()


def test_continuous_integration_runs_bin_test_on_the_pythons_that_are_supported(shop: Path) -> None:
    """docs/new.md: the scaffold's own CI file; `bin/test` itself is run in test_cuts.py."""
    job = yaml.safe_load((shop / ".github" / "workflows" / "ci.yml").read_text())["jobs"]["test"]
    assert [step["run"] for step in job["steps"] if "run" in step] == ["bin/test"]
    [setup] = [step for step in job["steps"] if "setup-python" in step.get("uses", "")]
    assert setup["with"]["python-version"] == "${{ matrix.python }}"
    oldest = tomllib.loads((shop / "pyproject.toml").read_text())["project"]["requires-python"]
    assert f">={job['strategy']['matrix']['python'][0]}" == oldest


def instructions(dockerfile: str) -> Iterator[tuple[str, str]]:
    """Each instruction of a Dockerfile with what follows it."""
    for line in re.sub(r"\\\n\s*", "", dockerfile).splitlines():
        word, _, rest = line.partition(" ")
        if word.isupper():
            yield word, rest


def test_the_image_takes_in_nothing_but_the_application(whole: Path) -> None:
    """No secret, no database, no .venv: what is not named is left out."""
    rules = [line for line in (whole / ".dockerignore").read_text().splitlines() if line and not line.startswith("#")]
    assert rules[0] == "*"
    copied = [rest.split()[0] for word, rest in instructions((whole / "Dockerfile").read_text()) if word == "COPY"]
    assert sorted(copied) == sorted(rule.removeprefix("!") for rule in rules if rule.startswith("!"))


def test_the_image_names_what_the_application_needs(whole: Path) -> None:
    """The line that builds it, as the shell of the image runs it; what pip then installs needs a network."""
    [line] = [rest for word, rest in instructions((whole / "Dockerfile").read_text()) if word == "RUN" and "tomllib" in rest]
    listing, install = line.split(" && ")
    said = subprocess.run(["sh", "-c", listing.partition(" > ")[0]], cwd=whole, capture_output=True, text=True, check=True)
    project = tomllib.loads((whole / "pyproject.toml").read_text())["project"]
    assert said.stdout.split() == project["dependencies"]
    assert install.startswith("pip install -r ")


def test_the_image_serves_as_nobody_and_tells_of_its_health(whole: Path, postgres_url: str) -> None:
    """docs/new.md: non-root, health check; the command and the check are run as the image has them."""
    found = list(instructions((whole / "Dockerfile").read_text()))
    words = [word for word, _ in found]
    assert words.index("USER") < words.index("CMD")
    assert dict(found)["USER"] not in {"root", "0"}
    [check] = [yaml.safe_load(rest.partition(" CMD ")[2]) for word, rest in found if word == "HEALTHCHECK"]
    [served] = [yaml.safe_load(rest) for word, rest in found if word == "CMD"]
    assert "--production" in served
    with socket.create_server(("127.0.0.1", 0)) as one, socket.create_server(("127.0.0.1", 0)) as two:
        port, control = one.getsockname()[1], two.getsockname()[1]
    variables = {
        "PATH": WITH_LAZYAPP,
        "CONTROL_PLANE_ADDR": f"0.0.0.0:{control}",
        "PORT": str(port),
        "SECRET_KEY": "0123456789abcdef" * 4,
        "LAZYAUTH_DEFAULT_PASS": "correct horse battery staple",
        "PUBLIC_URL": "https://shop.example",
        "DATABASE_URL": postgres_url,
        "LAZYAPP_MIGRATE": "auto",
        "DRAIN_DELAY_S": "0",
    }
    assert subprocess.run(check, env=environment(**variables), capture_output=True, check=False).returncode != 0
    with serving(whole, command=served, **variables) as server:
        assert server.wait_until_up() == "https://shop.example"
        subprocess.run(check, env=environment(**variables), capture_output=True, check=True)
        answer = httpx2.get(f"http://127.0.0.1:{port}/", headers={"host": "shop.example"})
        assert answer.status_code == 200
        assert server.end() == 0


def test_the_example_of_settings_names_settings(shop: Path) -> None:
    """A name that lazyapp does not read would be a promise that nobody keeps."""
    named = re.findall(r"^# ([A-Z_]+)=", (shop / ".env.example").read_text(), re.MULTILINE)
    known = {str(field.validation_alias) for field in Settings.model_fields.values()}
    assert named
    assert set(named) <= known


def test_the_image_is_asked_for_what_the_readme_hands_over(whole: Path) -> None:
    """Every variable that production asks for is passed on by the line that runs the image."""
    text = (whole / "README.md").read_text()
    exported = re.findall(r"^\$ export ([A-Z_]+)=", text, re.MULTILINE)
    [line] = [command for command in console(text) if command.startswith("docker run")]
    words = shlex.split(line)
    assert [words[place + 1] for place, word in enumerate(words) if word == "-e"] == exported
