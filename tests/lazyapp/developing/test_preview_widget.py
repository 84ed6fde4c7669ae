"""`/_lazy/preview` in Chromium: widgets of every kind, and the page around them.

The scripts of the preview (`lazyapp/developing/assets/preview*.js`) have their tests here: what they do shows in a browser only.
"""

import asyncio
import json
import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.flows.looking import PACKAGES
from tests.flows.node import answer_of, packages
from tests.flows.served import served
from tests.lazyapp.developing.gallery import OFFICIAL, WIDGETS, gallery, people
from tests.lazymcp.chromium import find_chromium
from tests.lazymcp.test_widget_bridge import PACKAGES as EXT_APPS

pytestmark = pytest.mark.asyncio(loop_scope="module")

SCRIPT = Path(__file__).with_name("preview_visit.mjs")
RUN_TIMEOUT_S = 240
Seen = Mapping[str, Any]

QUERIES = {
    "picture": {"tool": "gallery.show", "args": '{"name": "noon"}'},
    "breach": {"tool": "gallery.show", "args": "{}"},
    "repainted": {"tool": "gallery.paint", "args": "{}"},
    "chatgpt": {"tool": "gallery.chat", "host": "openai"},
    "form": {"tool": "gallery.order"},
    "field": {"tool": "gallery_dated"},
    "failure": {"tool": "gallery.fall"},
    "asked": {"tool": "gallery.frame"},
    "cancelled": {"tool": "gallery.wait"},
    "official": {"tool": "gallery.official"},
    **{
        name: {"tool": "gallery.hostile", "args": json.dumps({"what": name})}
        for name in ("reach", "flood", "large", "leave", "send")
    },
}


def _official(cache: pytest.Cache) -> str:
    """A page with the official class in it, bundled."""
    node, folder = packages(cache, EXT_APPS)
    shutil.copy(WIDGETS / "official.mjs", folder)
    command = [
        node,
        "node_modules/esbuild/bin/esbuild",
        "official.mjs",
        "--bundle",
        "--minify",
        "--format=esm",
        "--log-level=warning",
    ]
    script = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout.replace(
        "</script", "<\\/script"
    )
    head = '<!doctype html><html lang="en"><head><title>Official</title></head><body><p id="told"></p><p id="context"></p>'
    return f'{head}<script type="module">{script}</script></body></html>'


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def seen(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Seen]:
    """What every visit found; one browser for all of them.

    `LAZYAPP_TEST_SHOTS` names a folder for screenshots, for whoever wants to look too.
    """
    assert request.config.cache is not None
    chromium = find_chromium()
    node, installed = packages(request.config.cache, PACKAGES)
    shutil.copy(SCRIPT, installed)
    folder = tmp_path_factory.mktemp("preview")
    OFFICIAL[0] = await asyncio.to_thread(_official, request.config.cache)
    await people(folder)
    app, _ = gallery(folder)
    async with served(app, lifespan="on") as origin:
        job = folder / "job.json"
        visits = [{"name": name, "query": query} for name, query in QUERIES.items()]
        told = {"chromium": chromium, "origin": origin, "visits": visits, "shots": os.environ.get("LAZYAPP_TEST_SHOTS")}
        job.write_text(json.dumps(told))
        found: Mapping[str, Seen] = await answer_of(node, installed / SCRIPT.name, str(job), timeout_s=RUN_TIMEOUT_S)
    for name, one in found.items():
        assert "broken" not in one, f"{name}: {one['broken']}\n" + "\n".join(one["said"])
    return found


def in_order(log: Sequence[str], *names: str) -> bool:
    """Whether these stand in the log, in this order."""
    rest = iter(log)
    return all(name in rest for name in names)


async def test_the_result_of_a_tool_reaches_its_widget(seen: Mapping[str, Seen]) -> None:
    """SEP-1865, lifecycle: ui/initialize, initialized, tool-input, tool-result with its `_meta`. By a deep link."""
    picture = seen["picture"]
    assert (picture["name"], picture["rows"], picture["height"]) == ("noon", "first second", 222)
    assert in_order(
        picture["log"],
        *("ui/initialize", "ui/notifications/initialized", "ui/notifications/tool-input", "ui/notifications/tool-result"),
    )
    assert "tool=gallery.show" in picture["address"]
    assert picture["again"] == "noon"


async def test_the_widget_calls_tools_that_are_for_apps(seen: Mapping[str, Seen]) -> None:
    """SEP-1865, "Visibility": a host refuses what is for the model alone."""
    assert json.loads(seen["picture"]["renamed"]) == {"renamed": "dawn"}
    assert seen["picture"]["erased"] == "the tool gallery.erase is not for apps"
    assert "for the model alone" in seen["picture"]["notes"][1]


async def test_the_frame_is_nobody(seen: Mapping[str, Seen]) -> None:
    """SEP-1865, "Security implications": no same origin, and only the features that the resource asked for."""
    assert (seen["picture"]["sandbox"], seen["picture"]["allow"]) == ("allow-scripts allow-forms", "geolocation")


async def test_the_widget_hears_of_its_surroundings_and_asks_its_host(seen: Mapping[str, Seen]) -> None:
    """SEP-1865: host-context-changed, ui/open-link, ui/message, ui/request-display-mode; what would go farther is shown as text."""
    picture = seen["picture"]
    assert (picture["theme"], picture["mode"]) == ("dark", "fullscreen")
    assert picture["link"] == "https://example.com/more"
    assert picture["spoken"] == "<b>Buy it</b>"
    assert picture["filtered"] == 1


async def test_errors_of_the_widget_are_told(seen: Mapping[str, Seen]) -> None:
    """Nobody looks for the console of a frame."""
    assert "the widget fell down" in seen["picture"]["notes"][0]
    assert seen["picture"]["said"] == ["error: the widget fell down"]


async def test_a_breach_of_the_policy_is_shown_with_what_to_write(seen: Mapping[str, Seen]) -> None:
    """docs/preview.md. W3C CSP Level 3, section 5."""
    told = seen["breach"]["breach"]
    assert "connect-src blocked https://evil.example/steal?x=1" in told
    assert 'csp=AppCSP(connect_domains=["https://evil.example"])' in told
    assert not seen["breach"]["after"]
    assert all("Content Security Policy" in line for line in seen["breach"]["said"])


async def test_a_widget_whose_file_changes_is_loaded_again(seen: Mapping[str, Seen]) -> None:
    """docs/preview.md. The widget wears the layout `mcp_app`, and so speaks with the host by the script of lazymcp."""
    assert seen["repainted"] == {"stroke": "second", "said": []}


async def test_window_openai_holds_what_it_holds_in_chatgpt(seen: Mapping[str, Seen]) -> None:
    """OpenAI, Apps SDK reference: globals, the event, callTool, setWidgetState; the state outlives the page."""
    chat = seen["chatgpt"]
    assert chat["name"] == "dawn dawn first"
    assert chat["seen"] == "light inline desktop 0 nothing"
    assert json.loads(chat["renamed"]) == {"renamed": "noon"}
    assert chat["erased"] == "the tool gallery.erase is not for apps"
    assert (chat["dark"], chat["phone"]) == ("dark inline desktop 0 much", "dark inline mobile 0 much")
    assert chat["again"] == "dark inline mobile 0 much"
    assert chat["file"] == "dot.svg image/svg+xml 7 there is no file none; this preview has those that this widget uploaded"
    assert chat["link"] == "https://example.com/dawn"
    assert (chat["first"], chat["modal"], chat["closed"]) == ("inline none", "modal sure?", "inline none")
    assert "not answered: ui/initialize" in chat["log"]
    assert chat["said"] == []


async def test_the_official_class_has_nothing_to_complain_of(seen: Mapping[str, Seen]) -> None:
    """SEP-1865 as npm's @modelcontextprotocol/ext-apps reads it: it checks each message against the schema."""
    told = seen["official"]["told"]
    assert told["partial"] == [{"name": "da"}, {"name": "dawn"}]
    assert (told["input"], told["result"]) == ({"name": "dawn"}, {"name": "dawn"})
    assert told["context"] == ["light", "inline", "web", "gallery.official"]
    assert told["host"]["name"] == "lazyapp preview"
    assert (told["link"], told["message"], told["model"]) == ({}, {}, {})
    assert told["mode"] == {"mode": "inline"}  # the widget itself offers no other
    assert told["refused"] == "the tool gallery.erase is not for apps"
    assert told["called"] == {"renamed": "noon"}
    assert seen["official"]["context"] == "dark inline"
    assert in_order(seen["official"]["log"], "ui/notifications/host-context-changed", "ui/resource-teardown", "result")


async def test_a_form_is_made_of_the_schema(seen: Mapping[str, Seen]) -> None:
    """JSON Schema 2020-12: what is left empty is left out; what is wrong is said at the field, which gets the focus."""
    form = seen["form"]
    assert form["fields"] == ["title *", "copies", "price", "paper", "framed", "tags", "size", "width *", "height", "extra"]
    assert (form["required"], form["focus"], form["most"]) == (["This is required."], "title *", ["At most 9."])
    wanted = {"title": "Dusk", "copies": 3, "paper": "gloss", "tags": ["sea"], "size": {"width": 640}, "extra": {"deep": [1, None]}}
    assert form["args"] == wanted
    assert "unknown argument 'nothing'" in form["unknown"]
    assert form["filled"] == ["D", "0"]


async def test_what_the_tool_finds_wrong_stands_at_the_field(seen: Mapping[str, Seen]) -> None:
    """MCP 2025-11-25: bad tool input is an error of the tool."""
    assert "must be a date" in seen["field"]["complaint"]


async def test_a_failed_call_leads_to_its_traceback(seen: Mapping[str, Seen]) -> None:
    """Design, section 3."""
    assert "the frame fell down" in seen["failure"]["there"]


async def test_the_text_of_a_failed_tool_is_seen_to_its_end(seen: Mapping[str, Seen]) -> None:
    """docs/preview.md. The text ends with the number of the error."""
    assert len(seen["failure"]["text"]) > 60
    assert seen["failure"]["hidden"] == 0


async def test_a_tool_asks_its_user(seen: Mapping[str, Seen]) -> None:
    """MCP 2026-07-28, basic/patterns/mrtr, and client/elicitation: a form with titles and defaults, a page to open, a no."""
    asked = seen["asked"]
    assert asked["message"] == "How shall <b>it</b> be framed?"
    assert asked["labels"] == ["wood", "Nails nails *"]
    assert asked["choices"][1:] == ["Old oak", "ash"]
    assert (asked["wood"], asked["required"]) == ('"oak"', "This is required.")
    assert (asked["link"], asked["text"]) == ("https://pay.example.com/1", "ash, 8 nails")
    assert (asked["left"], asked["faults"], asked["said"]) == (0, [], [])


async def test_a_call_can_be_cancelled(seen: Mapping[str, Seen]) -> None:
    """MCP 2026-07-28: closing the answer cancels the call."""
    assert seen["cancelled"]["words"] == "The call was cancelled."


async def test_a_hostile_widget_reaches_nothing(seen: Mapping[str, Seen]) -> None:
    """SEP-1865, "Security implications": cookies, the page, storage, windows; nor does what a frame within it forges."""
    reach = seen["reach"]
    denied = {"cookie": "SecurityError", "parent": "SecurityError", "storage": "SecurityError", "top": "SecurityError"}
    assert reach["tried"] == {**denied, "popup": "null", "alert": "undefined"}
    assert (reach["address"], reach["pages"]) == ("/_lazy/preview", 1)
    assert reach["log"].count("tools/call") == 1
    assert "ignored a message from another window" in reach["log"]


async def test_a_flood_of_messages_ends_the_widget_and_not_the_page(seen: Mapping[str, Seen]) -> None:
    """docs/preview.md: the log is bounded."""
    assert "so it was stopped" in seen["flood"]["note"]
    assert (seen["flood"]["frames"], seen["flood"]["alive"]) == (0, 42)
    assert seen["flood"]["rows"] <= 300


async def test_what_is_too_large_or_no_message_is_not_read(seen: Mapping[str, Seen]) -> None:
    """50 MB in one message, circles, names of prototypes, markup: shown as text, or not at all."""
    large = seen["large"]
    assert large["spoken"] == ["<img src=x onerror=alert(1)>"]
    assert "<img src=x onerror=alert(1)> blocked" in large["breach"]
    assert (large["images"], large["links"], large["height"]) == (0, 0, 4000)
    assert "ui/message: larger than 4000000 characters, not read" in large["log"]
    assert large["size"] < 100_000
    assert large["said"] == []


@pytest.mark.parametrize("name", ["leave", "send"])
async def test_a_widget_that_leaves_its_document_is_cut_off(seen: Mapping[str, Seen], name: str) -> None:
    """What comes next in the frame is somebody else's page, and would speak in the widget's name."""
    assert "left its own document" in seen[name]["note"]
    assert seen[name]["frames"] == 0


@pytest.mark.parametrize("name", ["picture", "breach", "form"])
async def test_the_page_is_for_everyone(seen: Mapping[str, Seen], name: str) -> None:
    """WCAG 2.2 A and AA by axe-core, light and dark; 1.4.10 at 320 pixels."""
    assert seen[name]["faults"] == []


@pytest.mark.parametrize("name", ["form", "field", "failure", "cancelled"])
async def test_the_console_is_silent(seen: Mapping[str, Seen], name: str) -> None:
    assert seen[name]["said"] == []
