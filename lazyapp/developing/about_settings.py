"""What an application is and how it is set, secrets masked, for a coding agent."""

import platform
from typing import Any

from pydantic import BaseModel, Field, SecretStr

from lazyapp.database import shown_url
from lazyapp.developing.application import Application
from lazyapp.secret_words import MASK, is_secret, without_passwords
from lazyapp.served_at import origin_of
from lazyapp.settings import Settings
from lazyapp.steps.mcp import MCP_PATH
from lazyapp.version import __version__


class Description(BaseModel):
    """An application in short."""

    name: str
    folder: str
    env: str
    url: str
    mcp_url: str = Field(description="Where AI clients connect; empty without MCP modules.")
    login: bool = Field(description="Whether AI clients log in with the application's users (OAuth).")
    database: str
    modules: list[str] = Field(description="The MCP modules.")
    lazyapp: str
    python: str
    ready: dict[str, Any] = Field(description="What /readyz says: what is open, and what is wrong with it.")


class Setting(BaseModel):
    """One setting."""

    variable: str
    value: str = Field(description="Masked where it is a secret; empty where nothing is set.")
    is_set: bool = Field(description="Whether it was given, by the environment or a .env file.")


async def describe(app: Application) -> Description:
    """The application in short."""
    settings = app.settings
    return Description(
        name=app.config.name,
        folder=str(settings.root),
        env=settings.env,
        url=origin_of(settings),
        mcp_url=origin_of(settings) + MCP_PATH if app.mcp is not None else "",
        login=app.oauth is not None,
        database="sqlite" if settings.is_on_sqlite else "postgresql",
        modules=[f"{row.name} ({row.tools} tools)" for row in app.mcp.summary()] if app.mcp is not None else [],
        lazyapp=__version__,
        python=platform.python_version(),
        ready=dict(await app.readiness()),
    )


def settings(found: Settings) -> list[Setting]:
    """Every setting by its variable, in alphabetical order."""
    fields = type(found).model_fields
    rows = [
        Setting(
            variable=str(field.validation_alias), value=_shown(name, getattr(found, name)), is_set=name in found.model_fields_set
        )
        for name, field in fields.items()
    ]
    return sorted(rows, key=lambda row: row.variable)


def _shown(name: str, value: Any) -> str:
    if value is None or value in ("", ()):
        return ""
    if isinstance(value, SecretStr):
        return shown_url(value.get_secret_value()) if name == "database_url" else MASK
    if isinstance(value, tuple):
        return ", ".join(_shown(name, each) for each in value)
    return MASK if is_secret(name) else without_passwords(str(value))
