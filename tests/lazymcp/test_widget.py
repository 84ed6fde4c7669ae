"""lazymcp/widget.js and the layout mcp_app, in a real browser: SEP-1865 (MCP Apps, revision 2026-01-26)."""

import json
import re
from itertools import pairwise
from pathlib import Path

import pytest

from lazyview import Views
from tests.lazymcp.chromium import visit

HERE = Path(__file__).parent / "widget"
WIDGET = (Path(__file__).parents[2] / "lazymcp" / "widget.js").read_text(encoding="utf-8")
BRIDGE = """<script>
window.openai = {
  theme: "dark", locale: "fr-FR", toolInput: {active: true}, toolOutput: null, toolResponseMetadata: null,
  callTool: async (name, args) => {
    if (name === "fail") throw new Error("no such tool");
    return {structuredContent: {name, args}, _meta: {by: "bridge"}};
  },
  openExternal: async (what) => parent.postMessage({kind: "openExternal", value: what}, "*"),
  sendFollowUpMessage: async (what) => parent.postMessage({kind: "sendFollowUpMessage", value: what}, "*"),
  requestDisplayMode: async (what) => (parent.postMessage({kind: "requestDisplayMode", value: what}, "*"), what),
  requestClose: () => parent.postMessage({kind: "requestClose", value: null}, "*"),
  notifyIntrinsicHeight: (height) => {
    parent.postMessage({kind: "height", value: height}, "*");
    deliver();
  },
};
let isDelivered = false;
const deliver = () => {
  if (isDelivered) return;
  isDelivered = true;
  const globals = {toolOutput: {count: 3}, toolResponseMetadata: {rows: [1, 2, 3]}, theme: "light"};
  Object.assign(window.openai, globals);
  window.dispatchEvent(new CustomEvent("openai:set_globals", {detail: {globals}}));
};
</script>
"""


def document(**variables):
    views = Views([HERE])
    return views.render("view", {"widget_script": WIDGET, "heading": "Users", **variables}, layout="mcp_app")


@pytest.fixture(scope="module")
def browse(tmp_path_factory):
    """Opens the host page around a document in Chromium; what the host was told comes back."""

    def run(page, speaks):
        # In a script element, "</" would end it.
        text = json.dumps(page).replace("</", "<\\/")
        host = (HERE / "host.html").read_text(encoding="utf-8")
        host = host.replace("/*SPEAKS*/ true", json.dumps(speaks)).replace('/*DOCUMENT*/ ""', text)
        return visit({"/": ("text/html", host)}, tmp_path_factory.mktemp("chromium"))

    return run


@pytest.fixture(scope="module")
def standard(browse):
    return browse(document(), speaks=True)


@pytest.fixture(scope="module")
def bridged(browse):
    return browse(document().replace("<head>", "<head>" + BRIDGE), speaks=False)


def told(log, kind):
    return [entry["value"] for entry in log if entry.get("kind") == kind]


def sent(log, method):
    return [entry.get("params") for entry in log if entry.get("method") == method]


def test_the_page_introduces_itself_and_waits_for_the_answer(standard):
    """SEP-1865, lifecycle: ui/initialize, then ui/notifications/initialized."""
    assert standard[0] == {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "ui/initialize",
        "params": {"appInfo": {"name": "App", "version": "1.0.0"}, "appCapabilities": {}, "protocolVersion": "2026-01-26"},
    }
    methods = [entry["method"] for entry in standard if "method" in entry]
    assert methods[:2] == ["ui/initialize", "ui/notifications/initialized"]


def test_the_arguments_and_the_result_arrive(standard):
    """SEP-1865: tool-input, tool-input-partial, tool-result. Promised: _meta reaches the widget."""
    assert told(standard, "input") == [{"args": {"act": True}, "partial": True}, {"args": {"active": True}, "partial": False}]
    content = [{"type": "text", "text": "3"}]
    assert told(standard, "result") == [{"data": {"count": 3}, "meta": {"rows": [1, 2, 3]}, "content": content, "isError": False}]


def test_a_frame_beside_the_page_is_not_believed(standard):
    """HTML, section 9.3: check who sent a message. Only window.parent is the host."""
    assert "forged" not in json.dumps(standard)


def test_what_is_no_json_rpc_is_ignored(standard):
    """SEP-1865: the transport is JSON-RPC 2.0."""
    assert told(standard, "cancelled") == ["enough"]


def test_who_subscribes_late_is_told_the_latest_and_who_left_is_not(standard):
    """A page may be slower than its host."""
    assert told(standard, "late") == [{"count": 3}]
    assert told(standard, "never") == []


def test_the_page_calls_tools_of_its_server(standard):
    """SEP-1865: tools/call from the view; an error is an exception."""
    assert sent(standard, "tools/call") == [
        {"name": "admin.user_count", "arguments": {"active": True}},
        {"name": "fail", "arguments": {}},
    ]
    assert told(standard, "called") == [{"data": {"name": "admin.user_count"}, "meta": {}, "content": [], "isError": True}]
    assert told(standard, "failed") == [{"message": "no such tool", "code": -32602}]


def test_the_page_opens_links_and_speaks_for_the_user(standard):
    """SEP-1865: ui/open-link, ui/message."""
    assert sent(standard, "ui/open-link") == [{"url": "https://example.com/"}]
    assert sent(standard, "ui/message") == [{"role": "user", "content": [{"type": "text", "text": "Show more"}]}]


def test_the_page_asks_for_a_mode_and_for_its_end(standard):
    """SEP-1865: ui/request-display-mode, whose answer is the mode that it became; ui/notifications/request-teardown."""
    assert sent(standard, "ui/request-display-mode") == [{"mode": "fullscreen"}]
    assert told(standard, "mode") == ["inline"]
    assert sent(standard, "ui/notifications/request-teardown") == [{}]


def test_the_theme_of_the_host_is_worn(standard):
    """SEP-1865, host context: theme and style variables, changed later in part."""
    assert told(standard, "context") == [{"theme": "dark", "locale": "de-DE"}, {"theme": "light", "locale": "de-DE"}]
    assert told(standard, "theme") == [["light", "light", "light", "#123456"]]


def test_the_size_is_reported_when_it_changes(standard):
    """SEP-1865: ui/notifications/size-changed."""
    sizes = sent(standard, "ui/notifications/size-changed")
    assert sizes[0]["width"] == 600
    heights = [size["height"] for size in sizes]
    assert 0 < heights[0] < 200
    assert heights[-1] >= heights[0] + 500
    assert all(before != after for before, after in pairwise(sizes))


def test_requests_of_the_host_are_answered(standard):
    """SEP-1865: ping, ui/resource-teardown, which waits for the page; what is unknown is -32601."""
    answers = {entry["id"]: entry for entry in standard if "id" in entry and "method" not in entry}
    assert answers["p1"] == {"jsonrpc": "2.0", "id": "p1", "result": {}}
    assert answers[7]["error"]["code"] == -32601
    assert answers["t1"]["result"] == {}
    assert [entry.get("kind") or entry.get("id") for entry in standard][-2:] == ["teardown", "t1"]


def test_chatgpt_is_spoken_to_over_its_bridge(bridged):
    """Promised: ChatGPT preserves the result envelope in window.openai.toolResponseMetadata."""
    assert told(bridged, "input")[0] == {"args": {"active": True}, "partial": False}
    assert told(bridged, "result") == [{"data": {"count": 3}, "meta": {"rows": [1, 2, 3]}, "content": [], "isError": False}]
    assert told(bridged, "context") == [{"theme": "dark", "locale": "fr-FR"}, {"theme": "light", "locale": "fr-FR"}]
    called = {
        "data": {"name": "admin.user_count", "args": {"active": True}},
        "meta": {"by": "bridge"},
        "content": [],
        "isError": False,
    }
    assert told(bridged, "called") == [called]
    assert told(bridged, "failed") == [{"message": "no such tool"}]
    assert told(bridged, "openExternal") == [{"href": "https://example.com/"}]
    assert told(bridged, "sendFollowUpMessage") == [{"prompt": "Show more"}]
    assert told(bridged, "requestDisplayMode") == [{"mode": "fullscreen"}]
    assert told(bridged, "mode") == ["fullscreen"]
    assert told(bridged, "requestClose") == [None]
    assert told(bridged, "height")[-1] >= told(bridged, "height")[0] + 500
    assert [entry["method"] for entry in bridged if "method" in entry] == ["ui/initialize"]


def test_the_layout_is_a_complete_document_with_a_safe_title():
    """SEP-1865, UI resources: a valid HTML5 document, self-contained."""
    page = document(title="<Users & more>")
    assert page.startswith("<!doctype html>\n<html")
    assert page.rstrip().endswith("</html>")
    assert "<title>&lt;Users &amp; more&gt;</title>" in page
    assert "<title>App</title>" in document()
    assert "<h1>&lt;b&gt;</h1>" in document(heading="<b>")
    assert not re.search(r"""(?:src|href)\s*=|@import|url\(""", page.replace(WIDGET, ""))


def test_the_script_stands_before_the_content_as_it_is():
    """The content's scripts find `lazy`."""
    page = document()
    assert page.count(WIDGET) == 1
    assert page.index(WIDGET) < page.index("<h1>")


def test_a_script_cannot_end_its_element_early():
    """HTML, section 13.2.5: only "</script" and "<!--" matter inside a script element."""
    page = document(widget_script="let a = '</script><!-- <SCRIPT> </sCript>'")
    [script] = re.findall(r"<script>(let a.*?)</script>", page, re.IGNORECASE | re.DOTALL)
    assert script == r"let a = '<\/script><\!-- <SCRIPT> <\/sCript>'"


def test_the_widget_is_small_and_needs_nothing():
    """Design, section 4: a few kB, ours."""
    assert len(WIDGET) < 12_000
    assert "</" not in WIDGET
    assert "<!--" not in WIDGET
    assert "import " not in WIDGET
    assert "fetch(" not in WIDGET
