async def test_${said}_is_kept(client: Client) -> None:
    engine = client.app.services.get(AsyncEngine)
    async with AsyncSession(engine) as db:
$rows
        await db.commit()
    async with AsyncSession(engine) as db:
        [$one] = await db.scalars(select($class_name))
$compared
