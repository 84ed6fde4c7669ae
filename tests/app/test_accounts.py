import asyncio

import pytest
from sqlalchemy.ext.asyncio import create_async_engine

from app.services.accounts import Account, AccountNotFound, Accounts, EmailTaken, canonical, open_accounts
from tests.app.migrated import migrate

ADA, ALAN, GRACE = Account("ada@example.com", True), Account("alan@example.com", False), Account("grace@example.com", True)


@pytest.fixture
async def engine(database_url):
    engine = create_async_engine(database_url)
    await migrate(engine)
    yield engine
    await engine.dispose()


@pytest.fixture
async def accounts(engine):
    async for accounts in open_accounts(engine):
        yield accounts


async def test_an_empty_table_is_given_some_accounts(accounts):
    assert await accounts.search() == [ADA, ALAN, GRACE]
    assert await accounts.search(active=True) == [ADA, GRACE]
    assert await accounts.search(active=False) == [ALAN]


async def test_what_was_added_outlives_the_process(accounts, engine):
    assert await accounts.add(" Kay@Example.com ") == Account("kay@example.com", True)
    async for again in open_accounts(engine):
        assert len(await again.search()) == 4
        assert await again.get("KAY@example.com") == Account("kay@example.com", True)


async def test_an_account_is_made_active_or_not(accounts):
    assert await accounts.set_active("ADA@example.com", active=False) == Account("ada@example.com", False)
    assert await accounts.search(active=True) == [GRACE]
    with pytest.raises(AccountNotFound):
        await accounts.set_active("nobody@example.com", active=True)


async def test_processes_that_start_at_once_do_not_hinder_each_other(engine):
    async def start():
        return [await accounts.search() async for accounts in open_accounts(engine)]

    assert await asyncio.gather(*(start() for _ in range(4))) == [[[ADA, ALAN, GRACE]]] * 4


async def test_an_address_has_one_account(accounts):
    with pytest.raises(EmailTaken, match=r"There is already an account for ada@example.com\."):
        await accounts.add("ADA@example.com")
    assert len(await accounts.search()) == 3


async def test_two_who_add_the_same_address_at_once_are_told_apart(accounts):
    results = await asyncio.gather(*(accounts.add("kay@example.com") for _ in range(4)), return_exceptions=True)
    assert sorted(type(result).__name__ for result in results) == ["Account", "EmailTaken", "EmailTaken", "EmailTaken"]


@pytest.mark.parametrize(
    "email", ["", "ada", "ada@example", "a b@example.com", "ada@example.com.", "ada@x\0.com", "a" * 250 + "@b.de", "@b.de"]
)
def test_what_is_no_address_is_told_what_one_looks_like(email):
    with pytest.raises(ValueError, match=r"such as ada@example\.com"):
        canonical(email)


async def test_an_unknown_address_has_no_account(accounts):
    assert await accounts.get("ada@example.com") == ADA
    with pytest.raises(AccountNotFound, match=r"There is no account for eve@example.com\."):
        await accounts.get("eve@example.com")


async def test_a_ping_asks_the_database(accounts):
    await accounts.ping()
    nowhere = create_async_engine("postgresql+asyncpg://nobody@127.0.0.1:1/nothing")
    with pytest.raises(ConnectionRefusedError):
        await Accounts(nowhere).ping()
    await nowhere.dispose()
