"""The application's one secret: SECRET_KEY, or in development a key made once and kept beside the application.

Everything that must stay private between requests is derived from it, each with a label of its own, by the package that needs it.
"""

import contextlib
import os
import secrets
import tempfile
from dataclasses import dataclass
from pathlib import Path

from lazyapp.errors import ConfigurationError
from lazyapp.settings import MAKE_A_KEY, MIN_SECRET_BYTES, Settings, make_folder


@dataclass(frozen=True, slots=True)
class Secret:
    """The current key and those that still verify while rotating."""

    current: str
    fallbacks: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"Secret({len(self.current)} characters, {len(self.fallbacks)} fallbacks)"


def read_secret(settings: Settings) -> Secret:
    """The secret of this run.

    Raises:
        ConfigurationError: SECRET_KEY is missing in production.
    """
    fallbacks = tuple(value.get_secret_value() for value in settings.secret_key_fallbacks)
    if settings.secret_key is not None:
        return Secret(settings.secret_key.get_secret_value(), fallbacks)
    if settings.env == "production":
        raise ConfigurationError(
            "SECRET_KEY is not set, and production needs one of 32 bytes or more that every process shares; "
            f"{MAKE_A_KEY} makes one."
        )
    if settings.env == "test":
        return Secret(secrets.token_hex(32), fallbacks)
    return Secret(_kept(settings.root / ".lazyapp" / "secret"), fallbacks)


def _kept(path: Path) -> str:
    make_folder(path.parent)
    try:
        if not path.exists():
            _write_once(path, secrets.token_hex(32))
        kept = path.read_text().strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(
            f"{path} cannot be used ({type(error).__name__}); set SECRET_KEY, or make the file readable or delete it."
        ) from None
    if len(kept) < MIN_SECRET_BYTES:
        raise ConfigurationError(f"{path} is damaged; delete it and start again, and everybody logs in once more.")
    return kept


def _write_once(path: Path, value: str) -> None:
    # A link appears whole or not at all: of two processes that start at once, both read the key of the one that came first.
    descriptor, draft = tempfile.mkstemp(dir=path.parent)  # mode 0600
    try:
        with os.fdopen(descriptor, "w") as file:
            file.write(value)
        with contextlib.suppress(FileExistsError):
            Path(path).hardlink_to(draft)
    finally:
        Path(draft).unlink()
