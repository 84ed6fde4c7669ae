async def test_${name}_answers(client: Client) -> None:
$call
    assert not result.is_error
$answered
