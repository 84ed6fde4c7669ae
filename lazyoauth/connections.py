"""Connections: the logins of applications as a person sees them, to look at and to end.

Nothing is decided by this list: whether a login goes on is for the store of families alone to say. Who loses the list loses a page,
and the memory of what was agreed to; so no login waits long for it, and none fails because of it.

State: the list, of which a row is written with the first token of a login, touched by a refresh at most once a minute, and removed
when the login is seen to have ended. This process also remembers which rows it touched in that minute.
"""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from lazyoauth.lifetimes import Clock
from lazyoauth.records import Client, Code
from lazyoauth.redirects import host_of
from lazyoauth.refresh import Families

logger = logging.getLogger("lazyoauth")

TOUCH_EVERY_S = 60.0
REMEMBERED = 16_384
# The client waits for its tokens meanwhile, and has no use for this.
WRITE_TIMEOUT_S = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Connection:
    """One login of an application.

    Attributes:
        family_id: the login.
        client_name: what the client called itself then; may claim anything.
        redirect_host: where the answer went.
        created_at: the first token, Unix seconds.
        last_used_at: the newest refresh, to the minute.
    """

    family_id: str
    user_id: str
    client_id: str
    client_name: str
    redirect_host: str
    scope: str
    resource: str
    created_at: float
    last_used_at: float


def connection_of(code: Code, client: Client, now: float) -> Connection:
    """The login that a code begins."""
    return Connection(
        family_id=code.grant.family_id,
        user_id=code.grant.user_id,
        client_id=client.id,
        client_name=client.name,
        redirect_host=host_of(code.redirect_uri),
        scope=code.grant.scope,
        resource=code.grant.resource,
        created_at=now,
        last_used_at=now,
    )


class Connections(Protocol):
    """Where connections are kept."""

    async def add(self, connection: Connection) -> None:
        """Keep a new one; one that is there already stays as it is."""
        ...

    async def touch(self, family_id: str, when: float) -> None:
        """It was used then."""
        ...

    async def of_user(self, user_id: str) -> Sequence[Connection]:
        """Those of one user, the last used first."""
        ...

    async def all(self) -> Sequence[Connection]:
        """All of them, the last used first."""
        ...

    async def remove(self, family_id: str) -> None:
        """Forget one; nothing happens if it is not there."""
        ...

    async def purge(self, before: float) -> int:
        """Forget those that were created before this time, and say how many."""
        ...


class MemoryConnections:
    """`Connections` in a dictionary. Another process knows nothing of them, a restart forgets them."""

    def __init__(self) -> None:
        self._connections: dict[str, Connection] = {}

    async def add(self, connection: Connection) -> None:
        """Keep a new one."""
        self._connections.setdefault(connection.family_id, connection)

    async def touch(self, family_id: str, when: float) -> None:
        """It was used then."""
        if found := self._connections.get(family_id):
            self._connections[family_id] = replace(found, last_used_at=max(when, found.last_used_at))

    async def of_user(self, user_id: str) -> Sequence[Connection]:
        """Those of one user."""
        return [connection for connection in await self.all() if connection.user_id == user_id]

    async def all(self) -> Sequence[Connection]:
        """All of them."""
        return sorted(self._connections.values(), key=lambda one: (-one.last_used_at, one.family_id))

    async def remove(self, family_id: str) -> None:
        """Forget one."""
        self._connections.pop(family_id, None)

    async def purge(self, before: float) -> int:
        """Forget the old."""
        old = [one.family_id for one in self._connections.values() if one.created_at < before]
        for family_id in old:
            del self._connections[family_id]
        return len(old)


class LivingConnections:
    """The connections whose logins go on, as the rest of the package sees them."""

    def __init__(self, store: Connections, families: Families, now: Clock) -> None:
        self._store = store
        self._families = families
        self._now = now
        self._touched: OrderedDict[str, float] = OrderedDict()

    async def begin(self, connection: Connection) -> None:
        """Note a new login. Whatever goes wrong is logged, and that is all."""
        self._remember(connection.family_id)
        await _try(self._store.add(connection))

    async def touch(self, family_id: str) -> None:
        """Note that a login was used just now, at most once a minute. Whatever goes wrong is logged, and that is all."""
        if self._touched.get(family_id, 0.0) + TOUCH_EVERY_S <= self._now():
            self._remember(family_id)
            await _try(self._store.touch(family_id, self._now()))

    async def forget(self, family_id: str) -> None:
        """Note that a login has ended. Whatever goes wrong is logged, and that is all: what ended is not shown in any case."""
        self._touched.pop(family_id, None)
        await _try(self._store.remove(family_id))

    async def of_user(self, user_id: str) -> Sequence[Connection]:
        """Those of one user, the last used first.

        Raises:
            TemporarilyUnavailable: the store of families is away.
        """
        living = []
        for connection in await self._store.of_user(user_id):
            if await self._families.is_active(connection.family_id):
                living.append(connection)
            else:
                await self.forget(connection.family_id)
        return living

    async def purge(self, before: float) -> None:
        """Forget logins that were created before this time. Whatever goes wrong is logged, and that is all."""
        # No client waits for it, and a long list takes longer than a row.
        await _try(self._store.purge(before), somebody_waits=False)

    def _remember(self, family_id: str) -> None:
        self._touched[family_id] = self._now()
        self._touched.move_to_end(family_id)
        if len(self._touched) > REMEMBERED:
            self._touched.popitem(last=False)


async def _try(write: Awaitable[object], *, somebody_waits: bool = True) -> None:
    try:
        async with asyncio.timeout(WRITE_TIMEOUT_S if somebody_waits else None):
            await write
    except Exception as error:
        # The kind alone: a statement's parameters are people's names.
        logger.warning("a connection could not be noted: %s", type(error).__name__)
