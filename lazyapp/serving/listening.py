"""The sockets an application is served on, bound once and handed to every serving process, so a restart refuses no connection."""

import contextlib
import errno
import socket
from collections.abc import Sequence

from lazyapp.errors import ConfigurationError

BACKLOG = 2048
# A browser asked for localhost tries ::1 first or second as it likes; whoever serves one loopback name serves both.
LOOPBACK_NAMES = frozenset({"127.0.0.1", "localhost"})
PORTS_TO_TRY = 20


def listen(addr: str, port: int) -> list[socket.socket]:
    """Listening sockets for an address: one, or both loopback ones for 127.0.0.1 and localhost (where IPv6 exists).

    Args:
        addr: an address of this machine, or a name that resolves to it.
        port: 0 picks a free one; the sockets agree on it.

    Raises:
        ConfigurationError: the port is in use, reserved, or the address is not ours; the sentence says what to type.
    """
    hosts = ["127.0.0.1", "::1"] if addr in LOOPBACK_NAMES else [addr]
    for attempt in range(PORTS_TO_TRY):
        try:
            return _listen_on_all(hosts, port)
        except OSError as error:
            if port == 0 and error.errno == errno.EADDRINUSE and attempt + 1 < PORTS_TO_TRY:
                continue  # the port that was free on one loopback address is taken on the other
            raise ConfigurationError(_sentence(error, addr, port)) from error
    raise AssertionError("unreachable")


def listen_for_control(addr: str) -> list[socket.socket]:
    """The listening socket of the control plane.

    Args:
        addr: `host:port`; settings have checked its form.

    Raises:
        ConfigurationError: it cannot be had.
    """
    host, _, port = addr.rpartition(":")
    try:
        return [_listen_on(host.strip("[]"), int(port))]
    except OSError as error:
        why = "is in use" if error.errno == errno.EADDRINUSE else f"cannot be listened on ({error.strerror})"
        raise ConfigurationError(f"CONTROL_PLANE_ADDR {addr} {why}; name another, such as 127.0.0.1:9090.") from error


def port_of(sockets: Sequence[socket.socket]) -> int:
    """The port that these sockets share."""
    return int(sockets[0].getsockname()[1])


def _listen_on_all(hosts: Sequence[str], port: int) -> list[socket.socket]:
    sockets: list[socket.socket] = []
    try:
        for host in hosts:
            try:
                sockets.append(_listen_on(host, port))
            except OSError as error:
                if not sockets or error.errno not in {errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT}:
                    raise
            port = port or port_of(sockets)
    except OSError:
        for bound in sockets:
            bound.close()
        raise
    return sockets


def _listen_on(host: str, port: int) -> socket.socket:
    family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
    bound = socket.socket(family, kind, protocol)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(address)
        bound.listen(BACKLOG)
    except OSError:
        bound.close()
        raise
    return bound


def _sentence(error: OSError, addr: str, port: int) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"Port {port} is in use; stop what serves there, or run `lazyapp serve --port {_free_port(addr, port)}`."
    if error.errno == errno.EACCES:
        return f"Port {port} is reserved on this machine; run `lazyapp serve --port {_free_port(addr, 8000)}`."
    return f"{addr} is no address of this machine; use --host 127.0.0.1 for this machine only, or --host 0.0.0.0 for the network."


def _free_port(addr: str, beside: int) -> int:
    for port in range(beside + 1, min(beside + PORTS_TO_TRY, 65536)):
        with contextlib.suppress(OSError):
            for bound in _listen_on_all(["127.0.0.1", "::1"] if addr in LOOPBACK_NAMES else [addr], port):
                bound.close()
            return port
    return 0
