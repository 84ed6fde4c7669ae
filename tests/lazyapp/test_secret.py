"""The one secret: given, or kept beside the application in development."""

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from pydantic import SecretStr

from lazyapp.errors import ConfigurationError
from lazyapp.secret import read_secret
from lazyapp.settings import Settings

KEY = "k" * 40


def test_the_given_key_is_used(tmp_path: Path) -> None:
    secret = read_secret(Settings(secret_key=SecretStr(KEY), secret_key_fallbacks=(SecretStr("f" * 40),), root=tmp_path))
    assert (secret.current, secret.fallbacks) == (KEY, ("f" * 40,))
    assert KEY not in repr(secret)


def test_production_without_a_key_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="SECRET_KEY is not set"):
        read_secret(Settings(env="production", root=tmp_path))


def test_development_keeps_a_key_only_its_owner_can_read(tmp_path: Path) -> None:
    settings = Settings(env="development", root=tmp_path)
    first = read_secret(settings)
    assert first == read_secret(settings)
    path = tmp_path / ".lazyapp" / "secret"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [entry.name for entry in path.parent.iterdir()] == ["secret"]


def test_two_starts_at_once_agree_on_the_key(tmp_path: Path) -> None:
    settings = Settings(env="development", root=tmp_path)
    with ThreadPoolExecutor(8) as pool:
        keys = set(pool.map(lambda _: read_secret(settings).current, range(40)))
    assert len(keys) == 1


def test_a_folder_or_file_that_cannot_be_used_says_what_to_do(tmp_path: Path) -> None:
    settings = Settings(env="development", root=tmp_path)
    (tmp_path / ".lazyapp").write_text("a file")
    with pytest.raises(ConfigurationError, match=r"\.lazyapp cannot be made"):
        read_secret(settings)
    (tmp_path / ".lazyapp").unlink()
    (tmp_path / ".lazyapp" / "secret").mkdir(parents=True)
    with pytest.raises(ConfigurationError, match=r"secret cannot be used \(IsADirectoryError\)"):
        read_secret(settings)


def test_a_damaged_key_file_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / ".lazyapp").mkdir()
    (tmp_path / ".lazyapp" / "secret").write_text("")
    with pytest.raises(ConfigurationError, match="is damaged; delete it"):
        read_secret(Settings(env="development", root=tmp_path))
