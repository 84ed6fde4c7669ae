"""What only the SQL list of connections has: its table. The contract is in test_connections.py."""

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import create_async_engine

from lazyoauth import SQLConnections


async def test_the_table_appears_when_it_is_first_needed_and_holds_no_secret(database_url):
    """Only what the page shows, and the ids that it needs."""
    engine = create_async_engine(database_url)
    await SQLConnections(engine).of_user("ada")
    async with engine.connect() as connection:
        columns = await connection.run_sync(lambda sync: sa.inspect(sync).get_columns("lazyoauth_connections"))
    await engine.dispose()
    assert [column["name"] for column in columns] == [
        *("family_id", "user_id", "client_id", "client_name", "redirect_host"),
        *("scope", "resource", "created_at", "last_used_at"),
    ]
