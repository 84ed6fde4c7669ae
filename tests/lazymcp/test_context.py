"""lazymcp/context.py: what a tool may know of its request, and the way back."""

from types import MappingProxyType

import pytest

from lazymcp import Context


class Recorder:
    transport = "http"
    endpoint = "https://example.com/mcp"
    headers = MappingProxyType({"user-agent": "x"})

    def __init__(self):
        self.sent = []

    async def notify(self, method, params):
        self.sent.append((method, params))


@pytest.fixture
def link():
    return Recorder()


def test_a_context_tells_about_the_request(link):
    ctx = Context(link, {"traceparent": "00-1-2-01"}, {"name": "claude"}, {"elicitation": {}})
    assert (ctx.transport, ctx.endpoint, ctx.headers["user-agent"]) == ("http", "https://example.com/mcp", "x")
    assert (ctx.meta["traceparent"], ctx.client["name"], ctx.capabilities) == ("00-1-2-01", "claude", {"elicitation": {}})


def test_a_trace_is_handed_on_as_headers(link):
    """W3C Trace Context, section 3; what could break a header is left out."""
    meta = {"traceparent": "00-1-2-01", "tracestate": "a=1,b=2", "baggage": "é", "progressToken": 1}
    assert Context(link, meta, {}, {}).trace_context == {"traceparent": "00-1-2-01", "tracestate": "a=1,b=2"}
    assert Context(link, {"traceparent": "a\r\nx-evil: 1", "tracestate": 5}, {}, {}).trace_context == {}


@pytest.mark.parametrize("token", ["t", 0, 7])
async def test_progress_rises_and_goes_to_who_asked(link, token):
    """MCP, basic/utilities/progress: the value must rise with each notification."""
    ctx = Context(link, {"progressToken": token}, {}, {})
    for value in (0, 1, 1, 0.5, 2):
        await ctx.progress(value)
    await ctx.progress(3, 4, "nearly")
    assert [params["progress"] for _, params in link.sent] == [0, 1, 2, 3]
    assert link.sent[-1] == ("notifications/progress", {"progressToken": token, "progress": 3, "total": 4, "message": "nearly"})


async def test_who_did_not_ask_hears_nothing(link):
    ctx = Context(link, {}, {}, {})
    await ctx.progress(1)
    await ctx.log("x", "emergency")
    assert link.sent == []


async def test_log_messages_below_the_level_are_left_out(link):
    """RFC 5424, section 6.2.1: the order of severity."""
    ctx = Context(link, {}, {}, {}, "warning")
    for level in ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"):
        await ctx.log({"a": 1}, level, "db")
    assert [params["level"] for _, params in link.sent] == ["warning", "error", "critical", "alert", "emergency"]
    assert link.sent[0][1] == {"level": "warning", "data": {"a": 1}, "logger": "db"}
