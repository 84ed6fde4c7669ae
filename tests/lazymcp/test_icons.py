"""lazymcp/icons.py: pictures in lists (MCP, `Icon`)."""

import pytest

from lazymcp import AppSpec, Base, Icon, PromptSpec, RegistrationError, Scope, ServerInfo, ToolSpec, prompt, resource, tool
from tests.lazymcp.asgi_peer import ERAS, served

ICON = Icon("https://example.com/icon.png", "image/png", ["48x48", "96x96"], "dark")
WIRE = {"src": "https://example.com/icon.png", "mimeType": "image/png", "sizes": ["48x48", "96x96"], "theme": "dark"}


class Pictured(Base):
    @tool(icons=[ICON])
    async def look(self) -> str:
        """Look."""
        return ""

    @resource("app://one", icons=[Icon("data:image/png;base64,AAAA")])
    async def one(self) -> str:
        """One."""
        return ""

    @resource("app://many/{x}", icons=(ICON,))
    async def many(self, x: str) -> str:
        """Many."""
        return x

    def page_app(self) -> AppSpec:
        return AppSpec(desc="A page.", html="<!doctype html>", icons=[ICON])

    @prompt(icons=[ICON])
    def ask(self) -> str:
        """Ask."""
        return ""


@pytest.mark.parametrize("era", ERAS)
async def test_icons_stand_in_every_list(era):
    peer = served(Pictured(), era=era, server_info=ServerInfo(name="s", icons=[ICON]))
    (listed,) = (await peer.ask("tools/list")).result["tools"]
    assert listed["icons"] == [WIRE]
    listed = {entry["uri"]: entry for entry in (await peer.ask("resources/list")).result["resources"]}
    assert listed["app://one"]["icons"] == [{"src": "data:image/png;base64,AAAA"}]
    assert listed["ui://pictured/page"]["icons"] == [WIRE]
    (listed,) = (await peer.ask("resources/templates/list")).result["resourceTemplates"]
    assert listed["icons"] == [WIRE]
    (listed,) = (await peer.ask("prompts/list")).result["prompts"]
    assert listed["icons"] == [WIRE]


async def test_the_server_has_icons():
    peer = served(Pictured(), server_info=ServerInfo(name="s", icons=[ICON]))
    assert (await peer.ask("server/discover")).result["_meta"]["io.modelcontextprotocol/serverInfo"]["icons"] == [WIRE]
    older = served(Pictured(), era="2025-11-25", server_info=ServerInfo(name="s", icons=[ICON]))
    assert (await older.initialize()).result["serverInfo"]["icons"] == [WIRE]


@pytest.mark.parametrize(
    ("icon", "reason"),
    [
        (Icon("http://example.com/icon.png"), "https: or a data: URI"),
        (Icon("javascript:alert(1)"), "https: or a data: URI"),
        (Icon("/icon.png"), "https: or a data: URI"),
        (Icon("https://"), "https: or a data: URI"),
        (Icon("https://example.com/my icon.png"), "https: or a data: URI"),
        (Icon(5), "https: or a data: URI"),
        (Icon("data:,x", sizes="48x48"), "sizes of an icon"),
        (Icon("data:,x", sizes=["big"]), "sizes of an icon"),
        (Icon("data:,x", theme="blue"), "theme of an icon"),
        ("https://example.com/icon.png", "an icon is an Icon"),
    ],
)
def test_an_icon_that_no_client_loads_is_refused_at_registration(icon, reason):
    """2025-11-25, server/tools: https or data only."""

    class Module(Base):
        def shown_tool(self):
            return ToolSpec(desc="Shown.", fn=lambda: None, icons=[icon])

    with pytest.raises(RegistrationError, match=reason) as caught:
        Scope().register(Module())
    assert caught.value.place.startswith("tests/lazymcp/test_icons.py:")
    with pytest.raises(RegistrationError, match=reason):
        ServerInfo(icons=[icon]).to_dict()


def test_icons_are_a_list():
    class Module(Base):
        def shown_prompt(self):
            return PromptSpec(desc="Shown.", fn=lambda: "", icons="https://example.com/icon.png")

    with pytest.raises(RegistrationError, match=r"PromptSpec\.icons must be a list"):
        Scope().register(Module())
