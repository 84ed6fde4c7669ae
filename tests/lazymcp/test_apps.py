"""lazymcp/apps.py: pages inside the client (MCP Apps, SEP-1865; the promise "Export MCP Apps")."""

import pytest

from lazymcp import AppCSP, AppPermissions, AppSpec, Base, Context, RegistrationError, Scope
from lazymcp.options import Options
from tests.lazymcp.asgi_peer import served


class Rendered:
    """A renderer that knows two views and tells what it was asked."""

    def __call__(self, view, variables, layout):
        if variables.get("fail"):
            raise ZeroDivisionError
        return f"<!doctype html>{view}|{sorted(variables.items())}|{layout}"

    def exists(self, view):
        return view in {"mcp/pages/known", "layouts/mcp_app", "layouts/wide"}


def module_with(**fields):
    """A module with one app."""

    def page_app(self):
        return AppSpec(desc="A page.", **fields)

    return type("Pages", (Base,), {"page_app": page_app})()


async def page_of(**fields):
    """The list entry and the content of a module's only app."""
    peer = served(module_with(**fields), views=Rendered())
    (entry,) = (await peer.ask("resources/list")).result["resources"]
    (content,) = (await peer.ask("resources/read", {"uri": entry["uri"]})).result["contents"]
    assert entry.get("_meta") == content.get("_meta")
    assert entry["mimeType"] == content["mimeType"] == "text/html;profile=mcp-app"
    return entry, content


async def test_a_static_page_is_given_as_it_stands():
    entry, content = await page_of(html="<!doctype html>hi")
    assert entry["uri"] == "ui://pages/page"
    assert content["text"] == "<!doctype html>hi"


@pytest.mark.parametrize(
    ("fields", "layout"),
    [({}, None), ({"use_layout": True}, "mcp_app"), ({"use_layout": True, "layout": "wide"}, "wide"), ({"layout": "wide"}, "wide")],
)
async def test_a_view_is_rendered_in_its_layout(fields, layout):
    """Promised: app/views/mcp/<module>/<view>; without a name the layout is mcp_app."""
    _, content = await page_of(view="known", **fields)
    assert content["text"] == f"<!doctype html>mcp/pages/known|[('title', 'A page.')]|{layout}"


async def test_variables_are_a_mapping_or_what_a_function_finds():
    async def later(ctx: Context):
        return {"n": 2, "over": ctx.transport}

    for variables, told in [
        ({"n": 1, "title": "T"}, "('n', 1), ('title', 'T')"),
        (lambda: {"n": 2}, "('n', 2)"),
        (later, "('over', 'http')"),
    ]:
        _, content = await page_of(view="known", variables=variables)
        assert told in content["text"]


async def test_every_key_that_hosts_read_is_there():
    entry, _ = await page_of(
        html="x",
        domain="https://mcp.example.com",
        prefers_border=False,
        csp=AppCSP(
            connect_domains=["https://a"],
            resource_domains=["https://b"],
            frame_domains=["https://c"],
            base_uri_domains=["https://d"],
        ),
        permissions=AppPermissions(camera=True, clipboard_write=True),
    )
    assert entry["_meta"] == {
        "ui": {
            "csp": {
                "connectDomains": ["https://a"],
                "resourceDomains": ["https://b"],
                "frameDomains": ["https://c"],
                "baseUriDomains": ["https://d"],
            },
            "permissions": {"camera": {}, "clipboardWrite": {}},
            "domain": "https://mcp.example.com",
            "prefersBorder": False,
        },
        "openai/widgetDescription": "A page.",
        "openai/widgetCSP": {"connect_domains": ["https://a"], "resource_domains": ["https://b"], "frame_domains": ["https://c"]},
        "openai/widgetDomain": "https://mcp.example.com",
        "openai/widgetPrefersBorder": False,
    }


async def test_empty_lists_are_a_policy_and_none_is_not():
    """Promised: empty slices are a valid policy for a self-contained widget."""
    entry, _ = await page_of(html="x", csp=AppCSP())
    assert entry["_meta"]["ui"]["csp"] == {"connectDomains": [], "resourceDomains": []}
    assert entry["_meta"]["openai/widgetCSP"] == {"connect_domains": [], "resource_domains": []}
    entry, _ = await page_of(html="x")
    assert "ui" not in entry["_meta"]


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"view": "unknown"}, r"there is no view 'mcp/pages/unknown': write app/views/mcp/pages/unknown\.html\.j2"),
        ({"view": "known", "layout": "none"}, "there is no view 'layouts/none'"),
        ({"view": "known", "variables": lambda name: {}}, "takes no parameters but the context"),
    ],
)
def test_what_cannot_be_rendered_is_refused_at_registration(fields, reason):
    with pytest.raises(RegistrationError, match=rf"test_apps\.py:\d+: .*{reason}"):
        Scope(Options(views=Rendered())).register(module_with(**fields))


async def test_a_page_that_fails_is_told_by_its_id(caplog):
    peer = served(module_with(view="known", variables={"fail": True}), views=Rendered())
    error = (await peer.ask("resources/read", {"uri": "ui://pages/page"})).error
    assert caplog.records[0].args[1] in error["message"]
