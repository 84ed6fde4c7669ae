"""The environment, read once and checked: every variable of an application, with its default and its unit.

Lower packages read no environment and are handed what they need; `serving` passes it from one process to the next.
"""

import datetime as dt
import os
import re
from pathlib import Path
from typing import Annotated, Literal, Self
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from pydantic import Field, SecretStr, ValidationError, ValidationInfo, field_validator, model_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from lazyapp.errors import ConfigurationError

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
MIN_SECRET_BYTES = 32
MAKE_A_KEY = "`python -c 'import secrets; print(secrets.token_hex(32))'`"

# RFC 6454, section 6.2: scheme, host in ASCII, port; other spellings of the same origin would not compare equal.
ORIGIN = re.compile(r"https?://([a-z0-9.-]+|\[[0-9a-f:.]+\])(:[0-9]{1,5})?")

HOST_AND_PORT = re.compile(r"([A-Za-z0-9.-]+|\[[0-9a-fA-F:.]+\]):[0-9]{1,5}")

Env = Literal["development", "production", "test"]
Words = Annotated[tuple[str, ...], NoDecode]


class Settings(BaseSettings):
    """One process's settings.

    Every field is an environment variable (named in its alias); `.env` and `.env.<env>` files beside `init/` fill what the
    environment leaves out.
    """

    model_config = SettingsConfigDict(extra="ignore", frozen=True, populate_by_name=True, env_ignore_empty=False)

    env: Env = Field(default="production", validation_alias="LAZYAPP_ENV")
    addr: str = Field(default="127.0.0.1", validation_alias="ADDR", description="Listen address, `host` or `host:port`.")
    port: int = Field(default=3000, ge=0, le=65535, validation_alias="PORT")
    given_public_url: str = Field(default="", validation_alias="PUBLIC_URL")
    secret_key: SecretStr | None = Field(default=None, validation_alias="SECRET_KEY")
    secret_key_fallbacks: Annotated[tuple[SecretStr, ...], NoDecode] = Field(default=(), validation_alias="SECRET_KEY_FALLBACKS")
    signing_key_version: int = Field(default=1, ge=1, validation_alias="SIGNING_KEY_VERSION")
    database_url: SecretStr | None = Field(default=None, validation_alias="DATABASE_URL")
    database_pool_size: int | None = Field(default=None, ge=1, validation_alias="DATABASE_POOL_SIZE", description="Kept open.")
    database_max_overflow: int | None = Field(
        default=None, ge=0, validation_alias="DATABASE_MAX_OVERFLOW", description="Opened besides, while many are needed."
    )
    migrate: Literal["auto", "off", "up"] | None = Field(default=None, validation_alias="LAZYAPP_MIGRATE")
    default_user: str | None = Field(default=None, validation_alias="LAZYAUTH_DEFAULT_USER")
    default_pass: SecretStr | None = Field(default=None, validation_alias="LAZYAUTH_DEFAULT_PASS")
    oauth_limits: str = Field(default="", validation_alias="LAZYOAUTH_LIMITS")
    oauth_test_documents: str = Field(default="", validation_alias="LAZYOAUTH_TEST_DOCUMENTS")
    allowed_hosts: Words = Field(default=(), validation_alias="ALLOWED_HOSTS")
    workers: int = Field(default=1, ge=1, validation_alias="WEB_CONCURRENCY", description="Processes that serve this application.")
    machines: int = Field(default=1, ge=1, validation_alias="LAZYAPP_MACHINES", description="Machines that run such processes.")
    drain_delay_s: float | None = Field(default=None, ge=0, le=300, validation_alias="DRAIN_DELAY_S")
    shutdown_timeout_s: float | None = Field(default=None, ge=0, le=3600, validation_alias="SHUTDOWN_TIMEOUT_S")
    control_plane_addr: str = Field(default="", validation_alias="CONTROL_PLANE_ADDR", description="Own listener for health.")
    forwarded_allow_ips: str = Field(default="", validation_alias="FORWARDED_ALLOW_IPS", description="Proxies to believe.")
    log_format: Literal["text", "json"] = Field(default="text", validation_alias="LOG_FORMAT", description="Of `lazyapp serve`.")
    log_level: Literal["debug", "info", "warning", "error"] = Field(default="info", validation_alias="LOG_LEVEL")
    refresh: bool = Field(default=True, validation_alias="LAZYAPP_REFRESH", description="Open pages, in development.")
    time_zone: str = Field(default="UTC", validation_alias="LAZYAPP_TIME_ZONE", description="In which views show times.")
    root: Path = Field(default_factory=Path.cwd, validation_alias="LAZYAPP_ROOT", description="The folder where `init/` stands.")

    @classmethod
    def load(cls, root: Path | None = None) -> Self:
        """Read the environment, then the `.env` files of the application's folder.

        Raises:
            ConfigurationError: a variable has a value that cannot be used; the sentence names it.
        """
        folder = root or Path(os.environ.get("LAZYAPP_ROOT") or Path.cwd())
        env = os.environ.get("LAZYAPP_ENV") or "production"
        files = tuple(folder / name for name in (".env", f".env.{env}"))
        try:
            return cls(_env_file=files, root=folder)  # pydantic-settings' own arguments
        except ValidationError as error:
            raise ConfigurationError(_sentence(error)) from None
        except UnicodeDecodeError:
            raise ConfigurationError(f"{' or '.join(map(str, files))} is not text in UTF-8; write NAME=value lines.") from None

    @field_validator("log_format", "log_level", mode="before")
    @classmethod
    def _word(cls, value: object, info: ValidationInfo) -> object:
        words = value.strip().lower() if isinstance(value, str) else value
        return words or cls.model_fields[str(info.field_name)].default

    @field_validator("secret_key", "default_user", "migrate", "database_pool_size", "database_max_overflow", mode="before")
    @classmethod
    def _blank_is_unset(cls, value: object) -> object:
        return None if isinstance(value, str) and not value.strip() else value

    @field_validator("database_url", mode="before")
    @classmethod
    def _name_the_driver(cls, value: object) -> object:
        text = value.get_secret_value() if isinstance(value, SecretStr) else str(value or "")
        if not text.strip():
            return None
        scheme, separator, rest = text.strip().partition("://")
        return {"postgres": "postgresql+asyncpg", "postgresql": "postgresql+asyncpg", "sqlite": "sqlite+aiosqlite"}.get(
            scheme, scheme
        ) + (separator + rest)

    @field_validator("allowed_hosts", "secret_key_fallbacks", mode="before")
    @classmethod
    def _split_commas(cls, value: object) -> object:
        return tuple(part.strip() for part in value.split(",") if part.strip()) if isinstance(value, str) else value

    @field_validator("secret_key")
    @classmethod
    def _long_enough(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None:
            _check_length(value)
        return value

    @field_validator("secret_key_fallbacks")
    @classmethod
    def _each_long_enough(cls, values: tuple[SecretStr, ...]) -> tuple[SecretStr, ...]:
        for value in values:
            _check_length(value)
        return values

    @field_validator("allowed_hosts")
    @classmethod
    def _names_only(cls, values: tuple[str, ...]) -> tuple[str, ...]:
        for value in values:
            if "/" in value or (":" in value and not (value.startswith("[") and value.endswith("]"))):
                raise ValueError(f"names hosts without scheme and port, such as example.com or *.example.com, not {value!r}")
        return values

    @field_validator("control_plane_addr")
    @classmethod
    def _host_with_port(cls, value: str) -> str:
        if value and not HOST_AND_PORT.fullmatch(value):
            raise ValueError(f"is an address with a port such as 127.0.0.1:9090 or 0.0.0.0:9090, not {value!r}")
        return value

    @field_validator("given_public_url")
    @classmethod
    def _an_origin(cls, value: str) -> str:
        # The issuer is compared byte for byte by clients (RFC 8414 3.3), so this stays a string and is refused rather than mended.
        if value and not ORIGIN.fullmatch(value):
            raise ValueError(
                f"must be an origin in lower case such as https://example.com, without path or trailing slash, not {value!r}"
            )
        return value

    @field_validator("time_zone")
    @classmethod
    def _a_known_zone(cls, value: str) -> str:
        try:
            _zone(value)
        except (KeyError, ValueError, OSError):  # a folder of the database is a name too
            raise ValueError(f"is a name such as Europe/Berlin, which this machine must know, not {value!r}") from None
        return value

    @model_validator(mode="before")
    @classmethod
    def _split_addr(cls, values: dict[str, object]) -> dict[str, object]:
        addr = values.get("ADDR")
        if not isinstance(addr, str):
            return values
        host, port = _host_and_port(addr.strip())
        return values | {"ADDR": host or "127.0.0.1"} | ({"PORT": port} if port and "PORT" not in values else {})

    @property
    def public_url(self) -> str:
        """The origin of issuer and links, without a trailing slash: PUBLIC_URL, else the loopback address."""
        return self.given_public_url or f"http://localhost:{self.port}"

    @property
    def zone(self) -> dt.tzinfo:
        """The time zone of LAZYAPP_TIME_ZONE."""
        return _zone(self.time_zone)

    @property
    def first_user(self) -> str:
        """The name of the user that a run makes up where the application brings none, as `lazyauth.bootstrap_users` has it."""
        return (self.default_user or "").strip() or "admin"

    @property
    def migrates(self) -> bool:
        """Whether a start brings the database up to date itself: where nothing was said, outside production."""
        return self.migrate in ("auto", "up") if self.migrate is not None else self.env != "production"

    @property
    def is_on_sqlite(self) -> bool:
        """Whether the database is a file, as it is where DATABASE_URL says nothing."""
        return self.database_url is None or self.database_url.get_secret_value().startswith("sqlite")

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can reach the application: judged by PUBLIC_URL and ADDR."""
        return (urlsplit(self.public_url).hostname or "") in LOOPBACK and self.addr in LOOPBACK

    @property
    def hosts(self) -> tuple[str, ...]:
        """The host names that requests may name: the public one, ALLOWED_HOSTS, and the loopback names where they are served."""
        public = urlsplit(self.public_url).hostname or "localhost"
        local = ("localhost", "127.0.0.1", "[::1]") if self.env != "production" or self.is_loopback else ()
        return tuple(dict.fromkeys((public, *self.allowed_hosts, *local)))


def make_folder(folder: Path) -> None:
    """Make the folder that development keeps its secret and database in.

    Raises:
        ConfigurationError: it cannot be made.
    """
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise ConfigurationError(
            f"{folder} cannot be made ({error.strerror}); make room for it, or set SECRET_KEY and DATABASE_URL."
        ) from None


def _zone(name: str) -> dt.tzinfo:
    # A small machine may have no database of zones, and needs none for this one.
    return dt.UTC if name == "UTC" else ZoneInfo(name)


def _check_length(value: SecretStr) -> None:
    if len(value.get_secret_value().encode()) < MIN_SECRET_BYTES:
        raise ValueError(f"must be {MIN_SECRET_BYTES} bytes or more; {MAKE_A_KEY} makes one")


def _host_and_port(addr: str) -> tuple[str, str]:
    if addr.startswith("["):
        host, _, rest = addr[1:].partition("]")
        return host, rest.removeprefix(":")
    if addr.count(":") == 1:
        host, _, port = addr.partition(":")
        return host, port
    return addr, ""


def _sentence(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    name = str(first["loc"][0]) if first["loc"] else "The settings"
    if first["type"] == "int_parsing":
        return f"{name} must be a whole number."
    reason = str(first["msg"]).removeprefix("Value error, ").replace("Input should", "must")
    return f"{name} {reason[:1].lower()}{reason[1:]}."
