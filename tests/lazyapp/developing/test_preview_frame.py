"""lazyapp/developing/preview_frame.py: the policy that a resource asks for, and the document behind it."""

from typing import Any

import pytest

from lazyapp.developing.preview_frame import KEPT, KEPT_BYTES, Frames, Wanted, digest_of, problems_of

APP = "text/html;profile=mcp-app"


def policy_of(meta: Any, **more: Any) -> dict[str, str]:
    lines = Wanted.of(meta, **more).policy().split("; ")
    return {name: rest for name, _, rest in (line.partition(" ") for line in lines)}


@pytest.mark.parametrize(
    "meta", [{}, {"ui": {}}, {"ui": {"csp": {}}}, {"ui": {"csp": None}}, {"ui": 1}, {"ui": {"csp": {"connectDomains": 1}}}]
)
def test_who_asks_for_nothing_may_load_nothing(meta: Any) -> None:
    """SEP-1865, "UI resource metadata": the restrictive default."""
    policy = policy_of(meta)
    assert (
        policy["default-src"]
        == policy["connect-src"]
        == policy["frame-src"]
        == policy["object-src"]
        == policy["font-src"]
        == "'none'"
    )
    assert (policy["script-src"], policy["img-src"], policy["form-action"]) == ("'unsafe-inline'", "data:", "'none'")


def test_each_domain_stands_in_its_directives() -> None:
    """SEP-1865: connectDomains, resourceDomains, frameDomains, baseUriDomains."""
    csp = {
        "connectDomains": ["https://api.example.com", "wss://live.example.com"],
        "resourceDomains": ["https://*.example.com"],
        "frameDomains": ["https://video.example.com"],
        "baseUriDomains": ["https://base.example.com"],
    }
    policy = policy_of({"ui": {"csp": csp}})
    assert policy["connect-src"] == "https://api.example.com wss://live.example.com"
    assert policy["script-src"] == policy["style-src"] == "'unsafe-inline' https://*.example.com"
    assert policy["img-src"] == policy["media-src"] == "data: https://*.example.com"
    assert policy["font-src"] == "https://*.example.com"
    assert (policy["frame-src"], policy["base-uri"]) == ("https://video.example.com", "https://base.example.com")


def test_chatgpt_reads_its_own_key() -> None:
    """OpenAI, Apps SDK reference: openai/widgetCSP, snake_case; the standard's key where it is alone."""
    meta = {
        "ui": {"csp": {"connectDomains": ["https://a.example"]}},
        "openai/widgetCSP": {"connect_domains": ["https://b.example"]},
    }
    assert policy_of(meta, chatgpt=True)["connect-src"] == "https://b.example"
    assert policy_of(meta)["connect-src"] == "https://a.example"
    del meta["openai/widgetCSP"]
    assert policy_of(meta, chatgpt=True)["connect-src"] == "https://a.example"


@pytest.mark.parametrize("entry", ["x; script-src *", "a, b", "a b", "a\nb", "", "x" * 300, "ü"])
def test_nothing_begins_another_directive(entry: str) -> None:
    """W3C CSP Level 3, section 2.2: a semicolon ends a directive, a comma a policy."""
    wanted = Wanted.of({"ui": {"csp": {"connectDomains": [entry, "https://good.example"]}}})
    assert "connect-src https://good.example;" in wanted.policy()
    assert wanted.odd == (entry,)
    assert any("is no origin" in words for words in problems_of({"mimeType": APP}, wanted, chatgpt=False))


def test_only_known_features_are_allowed() -> None:
    """SEP-1865, "Permissions"."""
    assert Wanted.of({"ui": {"permissions": {"camera": {}, "clipboardWrite": {}, "usb": {}}}}).allow == "camera; clipboard-write"


@pytest.mark.parametrize(
    ("kind", "host", "fits"),
    [(APP, False, True), ("text/html", False, False), ("text/html+skybridge", True, True), ("text/html+skybridge", False, False)],
)
def test_other_types_are_named(kind: str, host: bool, fits: bool) -> None:
    """SEP-1865: the type is exactly this; ChatGPT knows an older one."""
    assert (not list(problems_of({"mimeType": kind}, Wanted.of({}), chatgpt=host))) is fits


@pytest.mark.parametrize(
    ("html", "begins"),
    [
        ("<!doctype html><html lang=en><p>x", "<!doctype html><script>//"),
        ("\n<!-- ours --> <!DOCTYPE HTML>\n<p>x", "\n<!-- ours --> <!DOCTYPE HTML><script>//"),
        ("<p>x", "<script>//"),
        ("", "<script>//"),
    ],
)
def test_our_script_comes_first_and_the_page_keeps_its_mode(html: str, begins: str) -> None:
    """HTML, section 13.2.6.4.1: what stands before a doctype puts the page into quirks mode."""
    frames = Frames()
    document = frames.get(frames.put(html, "", host="standard", state={}))
    assert document is not None
    assert document.body.decode().startswith(begins)
    assert document.body.decode().endswith(html[-4:])


def test_what_window_openai_holds_ends_no_script() -> None:
    """HTML, section 4.12.1.3."""
    frames = Frames()
    state = {"toolInput": {"a": "</script><script>alert(1)</script><!--", "b": "\u2028\ud800"}}
    document = frames.get(frames.put("<p>", "", host="openai", state=state))
    assert document is not None
    text = document.body.decode()
    assert text.count("</script>") == 2
    assert "alert(1)" in text
    assert "<script>alert" not in text


def test_the_oldest_document_is_forgotten() -> None:
    """State is bounded."""
    frames = Frames()
    ids = [frames.put(str(number), "", host="standard", state={}) for number in range(KEPT + 1)]
    assert (frames.get(ids[0]), frames.get("")) == (None, None)
    assert len(set(ids)) == KEPT + 1
    assert frames.get(ids[1]) is not None


def test_large_documents_push_out_more_than_one_and_the_newest_stays() -> None:
    """State is bounded in bytes too."""
    frames = Frames()
    small = frames.put("a", "", host="standard", state={})
    large = frames.put("a" * (KEPT_BYTES - 10_000), "", host="standard", state={})
    larger = frames.put("a" * (KEPT_BYTES + 1), "", host="standard", state={})
    assert (frames.get(small), frames.get(large)) == (None, None)
    assert frames.get(larger) is not None


def test_a_digest_tells_versions_apart() -> None:
    """Half a surrogate pair is text too."""
    assert digest_of("a") != digest_of("b")
    assert digest_of("\ud800") == digest_of("\ud800")
