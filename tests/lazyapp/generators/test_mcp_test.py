"""`lazyapp.generators.mcp_test`."""

from lazyapp.generators.application import Application
from lazyapp.generators.mcp_test import file_of_tests, has_ann, path_of_test

BODY = "async def test_it(client: Client) -> None:\n    {claude}\n"


def test_a_client_signs_in_where_there_is_a_login(application: Application) -> None:
    """docs/testing.md: without OAuth `/mcp` asks for no token."""
    assert "    client.mcp()\n" in file_of_tests(application, "shop", "Doc.", [BODY])
    config = application.root / "init" / "app.py"
    config.write_text(config.read_text().replace("drawer=draw,", "drawer=draw,\n        oauth=oauth,"))
    text = file_of_tests(application, "shop", "Doc.", [BODY])
    assert 'ANN = lazyauth.User("ann", {"mcps": ["shop"]})' in text
    assert "    client.mcp(ANN)\n" in text


def test_the_person_of_the_applications_tests_is_used(application: Application) -> None:
    people = application.root / "tests" / "people.py"
    people.write_text("ANN = (")
    assert not has_ann(application)
    people.write_text("ANN = 1\n")
    assert has_ann(application)
    config = application.root / "init" / "app.py"
    config.write_text(config.read_text().replace("drawer=draw,", "drawer=draw,\n        oauth=oauth,"))
    assert "from tests.people import ANN\n" in file_of_tests(application, "shop", "Doc.", [BODY])


def test_a_test_is_called_after_what_it_tests() -> None:
    assert path_of_test("shop", "find", "tool").as_posix() == "tests/test_shop_find_tool.py"
