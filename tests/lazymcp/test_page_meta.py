"""lazymcp/page_meta.py: metadata of pages and of the tools that show them (SEP-1865; OpenAI, Apps SDK reference)."""

import pytest

from lazyauth import Claims, User, signed_in
from lazymcp import UI, AppCSP, AppPermissions, AppSpec, Base, RegistrationError, Scope, tool
from lazymcp.page_meta import without_domain
from lazymcp.protocol import APP_MIME_TYPE, CAPABILITIES_KEY, UI_EXTENSION
from tests.lazymcp.asgi_peer import ERAS, MODERN, served

UI_HOST = {"extensions": {UI_EXTENSION: {"mimeTypes": [APP_MIME_TYPE]}}}


class Shop(Base):
    @tool(ui=UI("ui://shop/cart", invoking="Looking …", invoked="Found"), read_only=True)
    async def cart(self) -> dict[str, int]:
        """Show the cart."""
        return {"count": 1}

    @tool(ui="ui://shop/cart", visibility=["app"])
    async def remove(self, number: int) -> None:
        """Remove an item, by its button."""

    @tool(visibility=["model"])
    async def search(self, words: str) -> str:
        """Search the shop."""
        return words

    @tool(scopes=["shop:buy"], file_params=["receipt"])
    async def buy(self, receipt: dict[str, str]) -> str:
        """Buy what is in the cart."""
        return receipt["file_id"]

    def cart_app(self) -> AppSpec:
        return AppSpec(
            desc="The cart.",
            html="<!doctype html>",
            domain="https://shop.example.com",
            csp=AppCSP(connect_domains=["wss://a.example.com:8443"], redirect_domains=["https://pay.example.com"]),
            link_trusted_domains=["https://*.example.com"],
            display_modes=["inline", "fullscreen"],
            permissions=AppPermissions(tools=["shop.remove", "shop_cart"], microphone=True),
        )


async def tools_of(peer, **meta):
    return {entry["name"]: entry for entry in (await peer.ask("tools/list", **meta)).result["tools"]}


@pytest.mark.parametrize("era", ERAS)
async def test_a_tool_bears_every_key_that_hosts_read(era):
    """SEP-1865, "Tool metadata", and the flat alias that older hosts read; ChatGPT's names for them."""
    tools = await tools_of(served(Shop(), era=era, tool_names="dotted"))
    assert tools["shop.cart"]["_meta"] == {
        "ui": {"resourceUri": "ui://shop/cart"},
        "ui/resourceUri": "ui://shop/cart",
        "openai/outputTemplate": "ui://shop/cart",
        "openai/widgetAccessible": True,
        "openai/visibility": "public",
        "openai/toolInvocation/invoking": "Looking …",
        "openai/toolInvocation/invoked": "Found",
    }
    assert tools["shop.search"]["_meta"] == {
        "ui": {"visibility": ["model"]},
        "openai/widgetAccessible": False,
        "openai/visibility": "public",
    }
    assert tools["shop.buy"]["_meta"] == {
        "openai/fileParams": ["receipt"],
        "securitySchemes": [{"type": "oauth2", "scopes": ["shop:buy"]}],
    }
    assert tools["shop.buy"]["securitySchemes"] == tools["shop.buy"]["_meta"]["securitySchemes"]
    assert "securitySchemes" not in tools["shop.cart"]


async def test_a_page_bears_every_key_that_hosts_read():
    """SEP-1865, "UI resource metadata": on the list entry and on the content."""
    peer = served(Shop())
    (entry,) = (await peer.ask("resources/list")).result["resources"]
    (content,) = (await peer.ask("resources/read", {"uri": "ui://shop/cart"})).result["contents"]
    assert entry["_meta"] == content["_meta"]
    assert entry["mimeType"] == content["mimeType"] == "text/html;profile=mcp-app"
    assert entry["_meta"] == {
        "ui": {
            "csp": {"connectDomains": ["wss://a.example.com:8443"], "resourceDomains": []},
            "domain": "https://shop.example.com",
            "linkTrustedDomains": ["https://*.example.com"],
            "permissions": {"microphone": {}},
        },
        "ui.permissions": {"tools": ["shop.remove", "shop_cart"]},
        "openai/widgetDescription": "The cart.",
        "openai/widgetCSP": {
            "connect_domains": ["wss://a.example.com:8443"],
            "resource_domains": [],
            "redirect_domains": ["https://pay.example.com"],
        },
        "openai/widgetDomain": "https://shop.example.com",
        "openai/ui": {"availableDisplayModes": ["inline", "fullscreen"]},
    }


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    ("client", "capabilities", "is_host"),
    [
        ("peer", {}, False),
        ("peer", UI_HOST, True),
        ("peer", {"experimental": UI_HOST["extensions"]}, True),
        ("peer", {"extensions": {UI_EXTENSION: {}}}, True),
        ("peer", {"extensions": {UI_EXTENSION: {"mimeTypes": ["text/html"]}}}, False),
        ("peer", {"extensions": [UI_EXTENSION]}, False),
        ("peer", {"extensions": {UI_EXTENSION: {"mimeTypes": 5}}}, False),
        ("openai-mcp", {}, True),
    ],
)
async def test_a_client_without_pages_neither_sees_nor_calls_what_only_pages_call(era, client, capabilities, is_host):
    """SEP-1865, "Visibility": such a tool is hidden from the model."""
    peer = served(Shop(), era=era, client={"name": client, "version": "1"}, tool_names="dotted")
    meta = {}
    if era == MODERN:
        meta = {CAPABILITIES_KEY: capabilities}
    else:
        await peer.initialize(capabilities=capabilities)
    assert ("shop.remove" in await tools_of(peer, **meta)) is is_host
    answer = await peer.ask("tools/call", {"name": "shop.remove", "arguments": {"number": 1}}, **meta)
    unknown = await peer.ask("tools/call", {"name": "shop.gone", "arguments": {"number": 1}}, **meta)
    if is_host:
        assert not answer.result.get("isError")
    else:
        assert answer.error == {**unknown.error, "message": unknown.error["message"].replace("gone", "remove")}


async def test_lists_are_kept_apart_for_hosts_and_others():
    """MCP 2026-07-28, server/utilities/caching: what depends on the client is private."""
    peer = served(Shop(), tool_names="dotted")
    for _ in range(2):
        plain = (await peer.ask("tools/list")).result
        host = (await peer.ask("tools/list", **{CAPABILITIES_KEY: UI_HOST})).result
        assert len(host["tools"]) == len(plain["tools"]) + 1
        assert host["cacheScope"] == plain["cacheScope"] == "private"


async def test_a_tool_with_a_page_never_answers_without_content():
    """SEP-1865, "Graceful Degradation": a meaningful content although there is a page."""
    peer = served(Shop())
    answer = await peer.ask("tools/call", {"name": "shop.remove", "arguments": {"number": 1}}, **{CAPABILITIES_KEY: UI_HOST})
    assert answer.result["content"] == [{"type": "text", "text": "shop.remove is done."}]


async def test_claude_is_not_told_of_a_domain():
    """https://github.com/Doist/todoist-mcp/issues/432: it refuses a page with an origin that it did not make."""
    peer = served(Shop(), client={"name": "claude-ai", "version": "1"})
    (entry,) = (await peer.ask("resources/list")).result["resources"]
    (content,) = (await peer.ask("resources/read", {"uri": "ui://shop/cart"})).result["contents"]
    assert entry["_meta"] == content["_meta"]
    assert set(entry["_meta"]["ui"]) == {"csp", "linkTrustedDomains", "permissions"}
    assert entry["_meta"]["openai/widgetDomain"] == "https://shop.example.com"
    other = served(Shop())
    assert (await other.ask("resources/list")).result["cacheScope"] == "private"
    assert (await served(Plain()).ask("resources/list")).result["cacheScope"] == "public"


class Plain(Base):
    def page_app(self):
        return AppSpec(desc="A page.", html="<!doctype html>")


def test_a_domain_of_claudes_making_stays():
    meta = {"ui": {"domain": "0123.claudemcpcontent.com"}}
    assert without_domain(meta) == meta
    assert without_domain({"ui": {"domain": "https://a"}, "x": 1}) == {"x": 1}


async def test_a_missing_scope_is_still_told_to_those_who_may_know_the_tool():
    """RFC 6750, section 3.1."""
    peer = served(Shop())
    with signed_in(User("ada"), Claims({"sub": "ada", "mcps": ["*"]})):
        answer = await peer.ask("tools/call", {"name": "shop.buy", "arguments": {"receipt": {}}})
    assert answer.status == 403


@pytest.mark.parametrize(
    "origin", ["example.com", "https://a/b", "https://a; script-src *", "https://a b", "'self'", "*", "data:", "https://", 5]
)
@pytest.mark.parametrize("field", ["connect_domains", "resource_domains", "frame_domains", "base_uri_domains", "redirect_domains"])
def test_what_is_no_origin_is_refused(field, origin):
    """Content Security Policy Level 3, section 2.3.1: nothing may begin another directive."""
    with pytest.raises(RegistrationError, match=f"{field} are origins such as"):
        register(AppSpec(desc="A page.", html="x", csp=AppCSP(**{field: [origin]})))


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"link_trusted_domains": ["example.com"]}, "link_trusted_domains are origins"),
        ({"display_modes": ["modal"]}, "display_modes are inline, fullscreen and pip"),
        ({"display_modes": "inline"}, "display_modes must be a list"),
    ],
)
def test_what_hosts_would_not_understand_is_refused(fields, reason):
    with pytest.raises(RegistrationError, match=reason):
        register(AppSpec(desc="A page.", html="x", **fields))


@pytest.mark.parametrize(
    ("name", "reason"), [("m.gone", "which nobody publishes"), ("m.model", "whose visibility is the model's alone")]
)
def test_a_page_calls_tools_that_it_can_call(name, reason):
    class M(Base):
        @tool(visibility=["model"])
        def model(self) -> str:
            """For the model."""
            return ""

        def page_app(self):
            return AppSpec(desc="A page.", html="x", permissions=AppPermissions(tools=[name]))

    scope = Scope()
    scope.register(M())
    with pytest.raises(RegistrationError, match=f"app ui://m/page calls the tool '{name}', {reason}"):
        scope.close_registry()


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"ui": UI("ui://m/page", invoking="x" * 65)}, r"ui\.invoking has at most 64 characters, this one 65"),
        ({"visibility": "app"}, "visibility must be a list"),
        ({"visibility": ["user"]}, 'visibility is a list of "model" and "app"'),
        ({"file_params": ["picture"]}, "file_params names a parameter that it does not have"),
    ],
)
def test_what_a_tool_cannot_say_is_refused(options, reason):
    class M(Base):
        @tool(**options)
        def t(self) -> str:
            """A tool."""
            return ""

    with pytest.raises(RegistrationError, match=reason):
        Scope().register(M())


def register(spec):
    def page_app(self):
        return spec

    Scope().register(type("M", (Base,), {"page_app": page_app})())
