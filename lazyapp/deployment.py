"""What production would refuse here and now, all of it at once; and what it would let pass, although somebody should know.

A start ends at the first refusal. Here it is tried with what is missing made up, on this machine alone, so that the rest is judged
too. No database is migrated by it, and nothing is listened on.
"""

import secrets
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from pydantic import SecretStr

from lazyapp.errors import ConfigurationError, StartupError
from lazyapp.refusals import Facts, refusals
from lazyapp.settings import LOOPBACK, Settings
from lazyapp.startup import started
from lazyapp.steps.auth import has_first_user
from lazyapp.steps.beginning import Plan

SHORT_PASSWORD = 16

Remedy = Callable[[Settings, Path], dict[str, object]]


@dataclass(frozen=True, slots=True)
class Findings:
    """What an examination came to.

    Args:
        refusals: why a start would be refused, each with what to do.
        warnings: what is not refused.
        failure: why the start could not be tried to its end; there may be more refusals then.
    """

    refusals: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    failure: str | None = None


def _made_up_secret(settings: Settings, folder: Path) -> dict[str, object]:
    return {"secret_key": SecretStr(secrets.token_hex(32))}


def _made_up_database(settings: Settings, folder: Path) -> dict[str, object]:
    return {"database_url": SecretStr(f"sqlite+aiosqlite:///{folder / 'app.db'}"), "migrate": "auto"}


def _made_up_password(settings: Settings, folder: Path) -> dict[str, object]:
    return {"default_pass": SecretStr(secrets.token_hex(16))}


# By the setting that a refusal names.
_REMEDIES: Mapping[str, Remedy] = {
    "SECRET_KEY": _made_up_secret,
    "DATABASE_URL": _made_up_database,
    "LAZYAUTH_DEFAULT_PASS": _made_up_password,
}


async def examine(plan: Plan, settings: Settings, operations: int = 0) -> Findings:
    """Try a start in production.

    Args:
        plan: what would start.
        settings: those of production.
        operations: how many its OpenAPI document describes to whoever asks.
    """
    found = refusals(settings, Facts())
    failure = None
    with tempfile.TemporaryDirectory(prefix="lazyapp-check-") as folder:
        trial = settings.model_copy(update={"migrate": "off"} | _by_https(settings))
        for _ in range(len(_REMEDIES) + 1):
            try:
                async with started(plan, trial, refuse=found.extend):
                    break
            except StartupError as error:
                failure = str(error)
                break
            except ConfigurationError as error:
                found.append(str(error))
                named = [remedy for name, remedy in _REMEDIES.items() if str(error).startswith(name)]
                if not named:
                    failure = "the rest is judged when this is mended"
                    break
                trial = trial.model_copy(update=named[0](trial, Path(folder)))
    return Findings(tuple(dict.fromkeys(found)), tuple(warnings(plan, settings, operations)), failure)


def warnings(plan: Plan, settings: Settings, operations: int) -> list[str]:
    """What a start in production lets pass."""
    found: list[str] = []
    if plan.config.force_detail_errors:
        found.append("Config(force_detail_errors=True) shows every visitor the code around an error.")
    if has_first_user(plan.config) and settings.default_pass is not None:
        length = len(settings.default_pass.get_secret_value())
        if length < SHORT_PASSWORD:
            found.append(
                f"LAZYAUTH_DEFAULT_PASS has {length} characters, for a user who may use every module; {SHORT_PASSWORD} are better."
            )
    if settings.workers * settings.machines > 1 and settings.is_on_sqlite:
        found.append(
            "Several processes on SQLite write one after the other, and hear of each other's logins after seconds; use PostgreSQL."
        )
    if not settings.control_plane_addr:
        found.append("CONTROL_PLANE_ADDR is not set; nothing tells a load balancer or Kubernetes whether this process is ready.")
    if settings.public_url.startswith("https:") and not settings.forwarded_allow_ips:
        found.append("FORWARDED_ALLOW_IPS is not set; name the proxy's address, or every visitor counts as one.")
    if settings.forwarded_allow_ips.strip() == "*":
        found.append(
            "FORWARDED_ALLOW_IPS is *; whoever reaches this process without the proxy chooses the address that limits count."
        )
    if "off" in settings.oauth_limits:
        found.append("LAZYOAUTH_LIMITS turns a limit off; that is for load tests.")
    if operations:
        what = "an operation" if operations == 1 else f"{operations} operations"
        found.append(f"/docs and /openapi.json describe {what} to anybody; where they should not, let the proxy refuse them.")
    return found


def _by_https(settings: Settings) -> dict[str, object]:
    """The public address as it has to be, so that only the refusal of http speaks of it."""
    public = urlsplit(settings.public_url)
    if public.scheme == "https" or public.hostname in LOOPBACK:
        return {}
    return {"given_public_url": "https" + settings.public_url.removeprefix("http")}
