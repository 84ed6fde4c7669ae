async def test_${name}_is_a_message_of_the_user(client: Client) -> None:
$call
    [message] = said.messages
    assert message["role"] == "user"
$read
