"""`Config` and the context that hooks are given."""

from pathlib import Path

import pytest

from lazyapp.config import AppContext, Config
from lazyapp.errors import ConfigurationError
from lazyapp.services import Services
from lazyapp.settings import Settings


def test_one_view_folder_or_several_the_first_winning(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    assert Config(name="shop", views=tmp_path).view_roots == (tmp_path,)
    assert Config(name="shop", views=[tmp_path / "own", tmp_path]).view_roots == (tmp_path / "own", tmp_path)
    assert Config(name="shop").view_roots == ()


@pytest.mark.parametrize("field", ["views", "public"])
def test_a_folder_that_does_not_exist_is_named(tmp_path: Path, field: str) -> None:
    with pytest.raises(ConfigurationError, match=r"Config names the folder .*missing, which does not exist"):
        Config(name="shop", **{field: tmp_path / "missing"})  # type: ignore[arg-type]


def test_an_application_has_a_name() -> None:
    with pytest.raises(ConfigurationError, match="is empty; name the application"):
        Config(name=" ")


@pytest.mark.parametrize(("name", "word"), [("example.com", "example"), ("My Shop!", "my-shop"), ("shop", "shop"), ("…", "app")])
def test_a_client_lists_the_application_under_one_word(name: str, word: str) -> None:
    """Design 7: what the banner and the home page say is to be typed in a shell."""
    assert Config(name=name).client_name == word


async def test_a_context_looks_services_up_by_type(tmp_path: Path) -> None:
    services = Services()
    services.add(Path, lambda: tmp_path)
    context = AppContext("shop", Settings(env="test"), services)
    with pytest.raises(LookupError, match="not open yet"):
        context.get(Path)
    async with services.opened():
        assert context.get(Path) == tmp_path
