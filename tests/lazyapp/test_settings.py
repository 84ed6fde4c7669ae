"""Settings: the environment read once, wrong values refused in a sentence that names the variable."""

import datetime as dt
from pathlib import Path

import pytest

from lazyapp.errors import ConfigurationError
from lazyapp.settings import Settings

NAMES = (
    "LAZYAPP_ENV",
    "ADDR",
    "PORT",
    "PUBLIC_URL",
    "SECRET_KEY",
    "SECRET_KEY_FALLBACKS",
    "SIGNING_KEY_VERSION",
    "DATABASE_URL",
    "ALLOWED_HOSTS",
    "WEB_CONCURRENCY",
    "LAZYAPP_REFRESH",
    "LAZYAPP_TIME_ZONE",
)


@pytest.fixture(autouse=True)
def clean(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)


def load(monkeypatch: pytest.MonkeyPatch, folder: Path, **values: str) -> Settings:
    for name, value in values.items():
        monkeypatch.setenv(name, value)
    return Settings.load(folder)


def test_a_bare_environment_is_production_on_loopback(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    settings = load(monkeypatch, tmp_path)
    assert (settings.env, settings.addr, settings.port, settings.workers) == ("production", "127.0.0.1", 3000, 1)
    assert settings.public_url == "http://localhost:3000"
    assert settings.is_loopback


@pytest.mark.parametrize(
    ("addr", "host", "port"),
    [("0.0.0.0:8080", "0.0.0.0", 8080), (":9000", "127.0.0.1", 9000), ("[::1]:7000", "::1", 7000), ("::1", "::1", 3000)],
)
def test_addr_may_carry_the_port(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, addr: str, host: str, port: int) -> None:
    settings = load(monkeypatch, tmp_path, ADDR=addr)
    assert (settings.addr, settings.port) == (host, port)


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+asyncpg"])
def test_the_usual_postgresql_addresses_are_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, scheme: str) -> None:
    settings = load(monkeypatch, tmp_path, DATABASE_URL=f"{scheme}://ada:pw@db/shop")
    assert settings.database_url is not None
    assert settings.database_url.get_secret_value() == "postgresql+asyncpg://ada:pw@db/shop"


@pytest.mark.parametrize(
    "url",
    [
        "https://example.com/",
        "https://example.com/x",
        "example.com",
        "https://u@example.com",
        "ftp://a.b",
        "https://a?b",
        "https://a b",
        "https://é.com",
        "https://Example.com",
        "https://a:b",
    ],
)
def test_a_public_url_that_is_no_origin_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, url: str) -> None:
    """RFC 8414 section 3.3: the issuer is compared byte for byte, so it is refused rather than mended."""
    with pytest.raises(ConfigurationError, match=r"^PUBLIC_URL must be an origin"):
        load(monkeypatch, tmp_path, PUBLIC_URL=url)


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("SECRET_KEY", "short", r"^SECRET_KEY must be 32 bytes or more"),
        ("SECRET_KEY_FALLBACKS", "short," + "x" * 40, r"^SECRET_KEY_FALLBACKS must be 32 bytes or more"),
        ("SIGNING_KEY_VERSION", "0", r"^SIGNING_KEY_VERSION must be greater than or equal to 1"),
        ("SIGNING_KEY_VERSION", "two", r"^SIGNING_KEY_VERSION must be a whole number\.$"),
        ("ALLOWED_HOSTS", "example.com:8443", r"^ALLOWED_HOSTS names hosts without scheme and port"),
        ("ALLOWED_HOSTS", "[2001:db8::1]:3000", r"^ALLOWED_HOSTS names hosts without scheme and port"),
        ("ALLOWED_HOSTS", "https://example.com", r"^ALLOWED_HOSTS names hosts without scheme and port"),
        ("PORT", "eighty", r"^PORT must be a whole number\.$"),
        ("PORT", "70000", r"^PORT must be less than or equal to 65535"),
        ("LAZYAPP_ENV", "staging", r"^LAZYAPP_ENV must be 'development', 'production' or 'test'"),
        ("LAZYAPP_TIME_ZONE", "Berlin", r"^LAZYAPP_TIME_ZONE is a name such as Europe/Berlin"),
        ("LAZYAPP_TIME_ZONE", "../../etc/passwd", r"^LAZYAPP_TIME_ZONE is a name such as Europe/Berlin"),
        ("LAZYAPP_TIME_ZONE", "Europe", r"^LAZYAPP_TIME_ZONE is a name such as Europe/Berlin"),
        ("WEB_CONCURRENCY", "0", r"^WEB_CONCURRENCY must be greater than or equal to 1"),
    ],
)
def test_a_wrong_value_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str, value: str, sentence: str) -> None:
    with pytest.raises(ConfigurationError, match=sentence):
        load(monkeypatch, tmp_path, **{name: value})


def test_no_secret_shows_in_an_error_or_a_repr(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    key = "k" * 40
    assert key not in repr(load(monkeypatch, tmp_path, SECRET_KEY=key, DATABASE_URL="postgres://a:hunter2hunter2@h/d"))
    assert "hunter2" not in repr(Settings.load(tmp_path))
    with pytest.raises(ConfigurationError) as refused:
        load(monkeypatch, tmp_path, SECRET_KEY="hunter2")
    assert "hunter2" not in str(refused.value)


def test_a_file_that_is_no_text_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigurationError, match=r"\.env .*is not text in UTF-8"):
        load(monkeypatch, tmp_path)


def test_env_files_fill_what_the_environment_leaves_out(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("PORT=4000\nADDR=127.0.0.2\n")
    (tmp_path / ".env.development").write_text("PORT=5000\n")
    assert load(monkeypatch, tmp_path, LAZYAPP_ENV="development").port == 5000
    assert load(monkeypatch, tmp_path, PORT="6000").port == 6000
    assert Settings.load(tmp_path).addr == "127.0.0.2"


def test_loopback_names_are_hosts_only_where_only_they_are_served(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    public = load(
        monkeypatch, tmp_path, PUBLIC_URL="https://example.com", ADDR="0.0.0.0", ALLOWED_HOSTS="www.example.com, api.example.com"
    )
    assert public.hosts == ("example.com", "www.example.com", "api.example.com")
    assert not public.is_loopback
    assert "localhost" in load(monkeypatch, tmp_path, LAZYAPP_ENV="development").hosts


def test_the_time_zone_is_a_name_and_utc_when_none_is_given(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Issue: time formatting."""
    assert load(monkeypatch, tmp_path).zone is dt.UTC
    assert str(load(monkeypatch, tmp_path, LAZYAPP_TIME_ZONE="Europe/Berlin").zone) == "Europe/Berlin"


@pytest.mark.parametrize(("given", "name"), [(None, "admin"), ("", "admin"), ("  ", "admin"), ("ada", "ada"), (" ada ", "ada")])
def test_the_first_user_has_one_name_everywhere(given: str | None, name: str) -> None:
    """docs/users.md: the banner, a command and the login mean the same one; `lazyauth.bootstrap_users` takes blanks away."""
    assert Settings(env="test", default_user=given).first_user == name
