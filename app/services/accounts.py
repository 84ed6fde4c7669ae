"""The accounts: who they are, kept in the application's database."""

import re
from collections.abc import AsyncIterator
from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncEngine

# What the database should have. The migrations make it: change both together, `lazyapp db revision --autogenerate` compares them.
metadata = sa.MetaData()
table = sa.Table(
    "accounts",
    metadata,
    sa.Column("email", sa.String(254), primary_key=True),
    sa.Column("active", sa.Boolean, nullable=False),
)

EXAMPLES = [
    {"email": "ada@example.com", "active": True},
    {"email": "alan@example.com", "active": False},
    {"email": "grace@example.com", "active": True},
]


class EmailTaken(Exception):
    """There is an account of this e-mail address already."""


class AccountNotFound(LookupError):
    """There is no account of this e-mail address."""


@dataclass(frozen=True, slots=True)
class Account:
    """One account."""

    email: str
    active: bool


class Accounts:
    """Finds and adds accounts. An address is the same whether written in capitals or not."""

    def __init__(self, engine: AsyncEngine) -> None:
        self.engine = engine

    async def search(self, *, active: bool | None = None) -> list[Account]:
        """The accounts in order of their addresses: all of them, or only the active or the inactive ones."""
        query = sa.select(table).order_by(table.c.email)
        if active is not None:
            query = query.where(table.c.active == active)
        async with self.engine.connect() as connection:
            return [Account(row.email, row.active) for row in await connection.execute(query)]

    async def get(self, email: str) -> Account:
        """The account of an address.

        Raises:
            ValueError: this is no e-mail address.
            AccountNotFound: it has no account.
        """
        query = sa.select(table).where(table.c.email == canonical(email))
        async with self.engine.connect() as connection:
            row = (await connection.execute(query)).first()
        if row is None:
            raise AccountNotFound(f"There is no account for {email}.")
        return Account(row.email, row.active)

    async def add(self, email: str) -> Account:
        """Add an active account.

        Raises:
            ValueError: this is no e-mail address.
            EmailTaken: it has an account.
        """
        account = Account(canonical(email), active=True)
        try:
            async with self.engine.begin() as connection:
                await connection.execute(sa.insert(table).values(email=account.email, active=account.active))
        except IntegrityError as error:
            raise EmailTaken(f"There is already an account for {account.email}.") from error
        return account

    async def set_active(self, email: str, *, active: bool) -> Account:
        """Make an account active or inactive.

        Raises:
            ValueError: this is no e-mail address.
            AccountNotFound: it has no account.
        """
        account = Account(canonical(email), active)
        query = sa.update(table).where(table.c.email == account.email).values(active=active)
        async with self.engine.begin() as connection:
            changed = await connection.execute(query)
        if not changed.rowcount:
            raise AccountNotFound(f"There is no account for {email}.")
        return account

    async def ping(self) -> None:
        """Fail when the database does not answer."""
        async with self.engine.connect() as connection:
            await connection.execute(sa.select(1))


def canonical(email: str) -> str:
    """An e-mail address as it is stored.

    Raises:
        ValueError: this is no e-mail address.
    """
    address = email.strip().lower()
    if len(address) > 254 or not re.fullmatch(r"[^@\s\x00]+@[^@\s\x00]+\.[^@\s\x00.]+", address):
        raise ValueError("Give an e-mail address, such as ada@example.com.")
    return address


async def open_accounts(engine: AsyncEngine) -> AsyncIterator[Accounts]:
    """Open the service; what would follow `yield` is done when the application stops."""
    await add_examples(engine)
    yield Accounts(engine)


async def add_examples(engine: AsyncEngine) -> None:
    """Give an empty table some accounts, so that there is something to see. Remove it when there are real ones."""
    try:
        async with engine.begin() as connection:
            if not await connection.scalar(sa.select(sa.exists(sa.select(table)))):
                await connection.execute(sa.insert(table), EXAMPLES)
    except IntegrityError:
        pass  # another process that started at the same time was first
