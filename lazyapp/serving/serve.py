"""What `lazyapp serve` decides before anything runs: environment, address, number of processes, and the password of the run.

It imports nothing of the application; the serving processes inherit what is written into the environment here.
"""

import os
import socket
from collections.abc import Mapping
from dataclasses import dataclass, field

from lazyapp.errors import ConfigurationError
from lazyapp.location import Location
from lazyapp.serving.banner import Run
from lazyapp.serving.failures import DECIDED
from lazyapp.serving.link import Grace, grace_for
from lazyapp.serving.listening import LOOPBACK_NAMES, listen, listen_for_control, port_of
from lazyapp.serving.passphrase import one_run_password
from lazyapp.settings import Settings
from lazyapp.version import __version__


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What the command line asks for; None leaves it to the environment."""

    host: str | None = None
    port: int | None = None
    production: bool = False
    workers: int | None = None
    reload: bool = True
    refresh: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What will be served, decided: every process of the run gets the same.

    `warning` is for whoever runs it, once; `environment` is what was decided, for processes that were started before it was.
    """

    location: Location
    run: Run
    sockets: list[socket.socket] = field(repr=False)
    reload: bool
    grace: Grace
    control_sockets: list[socket.socket] = field(default_factory=list, repr=False)
    warning: str | None = None
    refresh: bool = True
    environment: Mapping[str, str] = field(default_factory=dict)


def decide(location: Location, wish: Wish) -> Plan:
    """Read the settings, bind the sockets, and write both into the environment that the serving processes inherit.

    Raises:
        ConfigurationError: a setting is wrong, or the address cannot be bound.
    """
    env = "production" if wish.production else os.environ.get("LAZYAPP_ENV") or "development"
    os.environ["LAZYAPP_ENV"] = env
    if wish.host is not None:
        os.environ["ADDR"] = wish.host
    if wish.port is not None:
        os.environ["PORT"] = str(wish.port)
    if wish.workers is not None:
        os.environ["WEB_CONCURRENCY"] = str(wish.workers)
    if not wish.refresh:
        os.environ["LAZYAPP_REFRESH"] = "off"
    settings = Settings.load(location.root)
    if env != "production" and (wish.workers or 1) > 1:
        raise ConfigurationError(f"Several workers need production; run `lazyapp serve --production --workers {wish.workers}`.")
    workers = settings.workers if env == "production" else 1
    sockets = listen(settings.addr, settings.port)
    os.environ |= {"ADDR": settings.addr, "PORT": str(port_of(sockets)), "WEB_CONCURRENCY": str(workers)}
    origin = settings.given_public_url or f"http://{_shown_host(settings.addr)}:{port_of(sockets)}"
    if env != "production":
        os.environ["PUBLIC_URL"] = origin  # served at another address than loopback, links and issuer must not name localhost
    password = one_run_password() if env == "development" and settings.default_pass is None else None
    run = Run(version=__version__, env=env, target=location.target, origin=origin, workers=workers, password=password)
    is_reloading = wish.reload and env != "production"
    return Plan(
        location=location,
        run=run,
        sockets=sockets,
        reload=is_reloading,
        grace=grace_for(settings),
        control_sockets=listen_for_control(settings.control_plane_addr) if settings.control_plane_addr else [],
        warning=_warning(run, settings),
        refresh=settings.refresh,
        environment={name: os.environ[name] for name in (*DECIDED, "LAZYAPP_REFRESH") if name in os.environ},
    )


def _warning(run: Run, settings: Settings) -> str | None:
    # This server speaks plain HTTP: where the public address is https, a proxy stands in front.
    if run.env == "production" and run.origin.startswith("https:") and not settings.forwarded_allow_ips:
        return "Set FORWARDED_ALLOW_IPS to the proxy's address, or every visitor counts as one."
    return None


def _shown_host(addr: str) -> str:
    if addr in LOOPBACK_NAMES or addr in {"0.0.0.0", "::", ""}:  # noqa: S104  # compared, not bound
        return "localhost"
    return f"[{addr}]" if ":" in addr else addr
