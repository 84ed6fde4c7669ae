async def test_${name}_can_be_read(client: Client) -> None:
    contents = await {claude}.read("$uri")
    assert contents.mime_type == "application/json"
$held
