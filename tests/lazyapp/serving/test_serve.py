"""What `lazyapp serve` decides before anything runs."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from lazyapp.errors import ConfigurationError
from lazyapp.location import Location
from lazyapp.serving.serve import Plan, Wish, decide

NAMES = (
    "LAZYAPP_ENV",
    "ADDR",
    "PORT",
    "PUBLIC_URL",
    "WEB_CONCURRENCY",
    "LAZYAUTH_DEFAULT_PASS",
    "LAZYAPP_ROOT",
    "FORWARDED_ALLOW_IPS",
    "LAZYAPP_REFRESH",
)


@pytest.fixture
def decided(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Plan]]:
    """Decide for an application in an empty environment; sockets and variables are gone afterwards."""
    for name in NAMES:
        monkeypatch.setenv(name, "")  # so that what `decide` writes is undone
        monkeypatch.delenv(name)
    plans: list[Plan] = []

    def decided(wish: Wish, **variables: str) -> Plan:
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        plans.append(decide(Location(tmp_path), wish))
        return plans[-1]

    yield decided
    for plan in plans:
        for listener in plan.sockets:
            listener.close()


def test_development_is_the_default_and_gets_a_password(decided: Callable[..., Plan]) -> None:
    plan = decided(Wish(port=0))
    assert (plan.run.env, plan.reload, plan.run.workers) == ("development", True, 1)
    assert plan.run.password is not None
    assert "LAZYAUTH_DEFAULT_PASS" not in os.environ  # only a process that knows the application may set it


def test_the_processes_inherit_the_address_that_was_bound(decided: Callable[..., Plan]) -> None:
    plan = decided(Wish(host="127.0.0.1", port=0))
    port = plan.sockets[0].getsockname()[1]
    assert port != 0
    assert (os.environ["ADDR"], os.environ["PORT"]) == ("127.0.0.1", str(port))
    assert plan.run.origin == f"http://localhost:{port}"


def test_the_command_line_wins_over_the_environment(decided: Callable[..., Plan]) -> None:
    plan = decided(Wish(host="127.0.0.1", port=0), ADDR="192.0.2.1", PORT="1")
    assert plan.sockets[0].getsockname()[0] == "127.0.0.1"


def test_a_password_that_is_set_is_kept(decided: Callable[..., Plan]) -> None:
    assert decided(Wish(port=0), LAZYAUTH_DEFAULT_PASS="correct-horse").run.password is None


def test_a_password_in_the_env_file_counts_as_set(decided: Callable[..., Plan], tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("LAZYAUTH_DEFAULT_PASS=correct-horse\n")
    assert decided(Wish(port=0)).run.password is None


@pytest.mark.parametrize(("wish", "env"), [(Wish(port=0, production=True), "development"), (Wish(port=0), "production")])
def test_production_comes_from_the_flag_or_the_environment(decided: Callable[..., Plan], wish: Wish, env: str) -> None:
    plan = decided(wish, LAZYAPP_ENV=env, PUBLIC_URL="https://shop.example", WEB_CONCURRENCY="3")
    assert (plan.run.env, plan.reload, plan.run.password, plan.run.workers) == ("production", False, None, 3)
    assert plan.run.origin == "https://shop.example"
    assert os.environ["LAZYAPP_ENV"] == "production"


@pytest.mark.parametrize(
    ("wish", "variables", "warns"),
    [
        (Wish(port=0, production=True), {"PUBLIC_URL": "https://shop.example"}, True),
        (Wish(port=0, production=True), {"PUBLIC_URL": "https://shop.example", "FORWARDED_ALLOW_IPS": "10.0.0.1"}, False),
        (Wish(port=0, production=True), {"PUBLIC_URL": "http://localhost:3000"}, False),
        (Wish(port=0), {"PUBLIC_URL": "https://shop.example"}, False),
    ],
)
def test_behind_a_proxy_that_is_not_named_there_is_a_warning(
    decided: Callable[..., Plan], wish: Wish, variables: dict[str, str], warns: bool
) -> None:
    """Limits count by address, and every visitor would have the proxy's."""
    warning = decided(wish, **variables).warning
    assert ("FORWARDED_ALLOW_IPS" in str(warning)) is warns


def test_several_workers_need_production(decided: Callable[..., Plan]) -> None:
    """Design 7: production is needed for --workers above 1."""
    with pytest.raises(ConfigurationError, match="run `lazyapp serve --production --workers 2`"):
        decided(Wish(port=0, workers=2))


def test_a_number_of_workers_for_production_does_not_concern_development(decided: Callable[..., Plan]) -> None:
    assert decided(Wish(port=0), WEB_CONCURRENCY="4").run.workers == 1
    assert os.environ["WEB_CONCURRENCY"] == "1"


def test_a_wrong_setting_is_refused_before_anything_is_bound(decided: Callable[..., Plan]) -> None:
    with pytest.raises(ConfigurationError, match="PORT"):
        decided(Wish(), PORT="many")


def test_open_pages_are_left_alone_when_that_is_wished(decided: Callable[..., Plan]) -> None:
    """docs/development.md: by the command line or by the environment; processes that were started before are told."""
    plan = decided(Wish(port=0))
    assert plan.refresh
    assert plan.environment["PORT"] == os.environ["PORT"]
    assert not decided(Wish(port=0), LAZYAPP_REFRESH="off").refresh
    plan = decided(Wish(port=0, refresh=False), LAZYAPP_REFRESH="on")
    assert not plan.refresh
    assert plan.environment["LAZYAPP_REFRESH"] == "off"
