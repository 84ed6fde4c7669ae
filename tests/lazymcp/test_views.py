"""lazymcp/views.py: the bridge to lazyview, the same with and without lazyapp (the promise "Standalone stdio transport")."""

import pytest

import lazyview
from lazymcp import AppSpec, Base, Options, RegistrationError, Scope, view_renderer
from tests.lazymcp.asgi_peer import served


class AdminMCP(Base):
    def dashboard_app(self):
        return AppSpec(desc="Dashboard.", view="dashboard", use_layout=True, variables=lambda: {"count": 3})


@pytest.fixture
def views(tmp_path):
    (tmp_path / "mcp" / "admin").mkdir(parents=True)
    return lazyview.Views([tmp_path])


async def test_a_page_is_a_complete_document_with_the_script_of_its_host(views, tmp_path):
    """Promised: if use_layout is true and no layout is set, it is mcp_app."""
    (tmp_path / "mcp" / "admin" / "dashboard.html.j2").write_text("<p>{{ count }} &lt; {{ '<four>' }}</p>")
    peer = served(AdminMCP(), views=view_renderer(views))
    (item,) = (await peer.ask("resources/read", {"uri": "ui://admin/dashboard"})).result["contents"]
    html = item["text"]
    assert html.lower().startswith("<!doctype html>")
    assert "<p>3 &lt; &lt;four&gt;</p>" in html
    assert "ui/initialize" in html, "widget.js is inside"
    assert "<title>Dashboard.</title>" in html


def test_a_view_that_is_missing_is_found_out_at_registration(views):
    with pytest.raises(RegistrationError, match="there is no view 'mcp/admin/dashboard'"):
        Scope(Options(views=view_renderer(views))).register(AdminMCP())
