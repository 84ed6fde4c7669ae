### index
async def test_the_${many}_are_listed(client: Client) -> None:
    page = await client.get("/$many")
    assert page.status == 200
    assert page.title.startswith("$many_title")
### create
async def test_the_form_of_${an_one}_is_read(client: Client) -> None:
    page = await client.get("/$many/new")
    page = await page.fill({"Name": "example"}).press("Add $words")
    page.see("example was read.")


async def test_a_form_of_${an_one}_that_is_wrong_is_shown_again(client: Client) -> None:
    page = await client.get("/$many/new")
    page = await page.fill({"Name": "x" * 256}).press("Add $words")
    assert page.status == 422
    assert page.value("Name") == "x" * 256
### show
async def test_${an_one}_has_a_page(client: Client) -> None:
    (await client.get("/$many/7")).see("$title 7")
    assert (await client.get("/$many/seven")).status == 404
### custom
async def test_${action}_is_served(client: Client) -> None:
    page = await client.get("$path")
    assert page.status == 200
    assert page.title.startswith("$action_title")
