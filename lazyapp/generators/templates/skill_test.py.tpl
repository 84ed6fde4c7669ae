async def test_the_skill_${name}_can_be_read(client: Client) -> None:
    contents = await {claude}.read("skill://$module/$folder/SKILL.md")
    assert contents.text.startswith("---\nname: $folder\n")


async def test_the_skill_${name}_is_listed(client: Client) -> None:
    listed = await {claude}.list_resources()
    assert "skill://$module/$folder/SKILL.md" in [each["uri"] for each in listed]
