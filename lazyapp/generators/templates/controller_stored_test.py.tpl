### keep
async def keep_$one(client: Client) -> int:
    """Put $a_one into the database; its key."""
    async with AsyncSession(client.app.services.get(AsyncEngine)) as db:
$rows
        key = $one.id
        await db.commit()
    return key
### index
async def test_the_${many}_are_listed(client: Client) -> None:
    (await client.get("/$many")).see("None yet.")
    await keep_$one(client)
    page = await client.get("/$many")
    assert page.title.startswith("$many_title")
    page.see_not("None yet.")
### create
async def test_who_is_signed_in_adds_$an_one(client: Client) -> None:
    await keep_$one(client)
    await client.sign_in(ANN)
    page = await client.get("/$many/new")
$fill
    page = await page.fill(typed).press("Add $words")
    assert page.status == 200
    page.see("The $words was added.")
### create_login
async def test_strangers_add_no_$one(client: Client) -> None:
    page = await client.get("/$many/new")
    assert page.path.startswith("/login")
### show
async def test_${an_one}_has_a_page(client: Client) -> None:
    key = await keep_$one(client)
    assert (await client.get(f"/$many/{key}")).status == 200
    for unknown in (key + 1, 0, 10**30):
        assert (await client.get(f"/$many/{unknown}")).status == 404
### update
async def test_who_is_signed_in_changes_$an_one(client: Client) -> None:
    key = await keep_$one(client)
    await client.sign_in(ANN)
    page = await client.get(f"/$many/{key}/edit")
    page = await page.press("Save $words")
    assert page.status == 200
    page.see("The $words was changed.")
### delete
async def test_who_is_signed_in_deletes_$an_one(client: Client) -> None:
    key = await keep_$one(client)
    await client.delete(f"/$many/{key}")
    await client.sign_in(ANN)
    page = await client.delete(f"/$many/{key}")
    page.see("The $words was deleted.")
    assert (await client.delete(f"/$many/{key}")).status == 404
