"""The world outside, as documents are asked of it: which names and addresses, with which certificates, for how long.

Values only; `outbound` asks. It is loaded by the first document that a client names, for its HTTP client takes long to load.
"""

import asyncio
import socket
import ssl
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from lazyoauth.addresses import is_public
from lazyoauth.errors import TemporarilyUnavailable

TOTAL_S = 5.0
RESOLVERS = 8

Resolve = Callable[[str], Awaitable[Sequence[str]]]


class FetchFailed(TemporarilyUnavailable):
    """No document came. A stranger hears the same words for every cause, or he would learn what our network looks like.

    Attributes:
        detail: the cause, for the log.
        is_answer: the host itself said so; otherwise it may be well again in a minute.
    """

    def __init__(self, reason: str, *, is_answer: bool = False) -> None:
        super().__init__("a document that the client publishes cannot be read now", detail=reason, retry_after_s=30)
        self.is_answer = is_answer


class Answer(NamedTuple):
    """A document, and for how many seconds its host lets it be kept; None when it does not say."""

    value: Any
    max_age_s: float | None


class Resolver:
    """The system's name service, in threads of its own: a name whose servers are silent holds one for many seconds, and the event
    loop's own threads, in which passwords are checked, must not wait for that."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(RESOLVERS, "resolve")

    async def __call__(self, host: str) -> Sequence[str]:
        """The addresses of a name, the system's favourite first."""
        loop = asyncio.get_running_loop()
        found = await loop.run_in_executor(self._threads, lambda: socket.getaddrinfo(host, 443, type=socket.SOCK_STREAM))
        return list(dict.fromkeys(str(address[0]) for *_, address in found))


@dataclass(frozen=True, slots=True)
class Network:
    """The world that is asked.

    Attributes:
        resolve: the addresses of a name.
        allows: whether an address may be connected to.
        tls: how certificates are checked; None takes the usual authorities.
        port: where hosts answer.
        timeout_s: for everything together, so that a slow drip gains nothing.
        instead: for tests, URL prefixes and the base that is asked in their place, whatever its address is.
    """

    resolve: Resolve = field(default_factory=Resolver)
    allows: Callable[[str], bool] = is_public
    tls: ssl.SSLContext | None = None
    port: int = 443
    timeout_s: float = TOTAL_S
    instead: Mapping[str, str] = field(default_factory=dict)
