"""The hot path in numbers that no machine changes: frames and Python calls from the application's door to a tool's first line.

Design, section 9: at most 12 frames and 120 calls through the whole `App`, which adds about three frames to those counted here.
"""

import asyncio
import json
import sys
from functools import cache

import pytest

from lazymcp import Base, Scope, ToolSpec, tool
from tests.lazymcp.asgi_peer import ERAS, Peer

MAX_FRAMES = 9
MAX_CALLS = 50


class Sum(Base):
    name = ""

    def __init__(self):
        self.frames = 0

    @tool
    async def add(self, a: int, b: int) -> int:
        """Add two numbers."""
        frame = sys._getframe()
        while frame is not None and frame.f_code is not calls_until.__code__:
            self.frames += 1
            frame = frame.f_back
        return a + b


class Many(Base):
    def tools(self):
        return [ToolSpec(name=f"t{number}", desc="One of many.", fn=self.nothing) for number in range(1000)]

    async def nothing(self) -> None: ...


def calls_until(code, app, scope, body):
    """The Python calls from the door to the first line of a function, and those of the whole request."""
    seen = []

    def watch(frame, event, _):
        if event == "call":
            seen.append(frame.f_code)

    async def receive():
        return {"type": "http.request", "body": body}

    async def send(message):
        assert message.get("status", 200) == 200

    work = app(scope, receive, send)
    sys.setprofile(watch)
    try:
        work.send(None)
    except StopIteration:
        pass
    finally:
        sys.setprofile(None)
    return seen.index(code), len(seen)


def request(era):
    peer = Peer(None, era)
    message = peer.message("tools/call", {"name": "add", "arguments": {"a": 1, "b": 2}})
    headers = [(name.encode(), value.encode()) for name, value in peer.headers_for(message).items()]
    return {"type": "http", "method": "POST", "headers": headers}, json.dumps(message).encode()


@cache
def served(*kinds):
    """An application with these modules; the first is returned too."""
    modules = [kind() for kind in kinds]
    scope = Scope()
    scope.register(*modules)
    return scope.asgi(), modules[0]


def costs(era, *kinds):
    app, module = served(*kinds)
    asgi_scope, body = request(era)

    async def measure():
        calls_until(Sum.add.__code__, app, asgi_scope, body)
        module.frames = 0
        return calls_until(Sum.add.__code__, app, asgi_scope, body), module.frames

    return asyncio.run(measure())


@pytest.mark.parametrize("era", ERAS)
def test_a_call_reaches_the_tool_in_few_steps(era):
    """Design, section 9: the second identical request, no authentication."""
    (before, whole), frames = costs(era, Sum)
    assert 0 < frames <= MAX_FRAMES
    assert before <= MAX_CALLS
    assert whole <= MAX_CALLS + 20


@pytest.mark.parametrize("era", ERAS)
def test_a_call_costs_the_same_beside_a_thousand_tools(era):
    """Design, section 9: a call's cost does not depend on how many tools there are."""
    assert costs(era, Sum, Many) == costs(era, Sum)


def test_a_call_that_waits_for_nothing_makes_no_task():
    """`calls_until` takes one step of the request, and that is all of it."""
    app, _ = served(Sum)
    asgi_scope, body = request(ERAS[0])

    async def tasks_made():
        before = asyncio.all_tasks()
        calls_until(Sum.add.__code__, app, asgi_scope, body)
        return asyncio.all_tasks() - before

    assert asyncio.run(tasks_made()) == set()


async def test_a_list_is_written_once():
    """Design, section 9: a thousand tools in one page are the same bytes again."""
    scope = Scope()
    scope.register(Sum())
    app = scope.asgi()
    first, second = [(await Peer(app).ask("tools/list")).body for _ in range(2)]
    assert first == second
    (page,) = scope._registry.pages.values()
    assert page.data in first
