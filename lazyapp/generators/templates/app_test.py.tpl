async def test_the_tool_names_its_page(client: Client) -> None:
    tools = {tool["name"]: tool for tool in await {claude}.list_tools()}
    assert tools["$module.$tool"]["_meta"]["ui"]["resourceUri"] == "ui://$module/$name"


async def test_the_page_is_a_document_of_its_own(client: Client) -> None:
    page = await {claude}.read("ui://$module/$name")
    assert page.mime_type == "text/html;profile=mcp-app"
    assert "<h1>$title</h1>" in page.text
    assert page.parts[0]["_meta"]["ui"]["csp"] == {"connectDomains": [], "resourceDomains": []}
